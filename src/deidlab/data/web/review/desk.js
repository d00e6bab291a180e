// The state of the page and all that changes it. Nothing is shown as done before the server has kept it.
import { ApiError, get, post } from "../api.js";
import { say, toast } from "../dom.js";
import { Offsets } from "../offsets.js";

export const desk = {
  corpus: null,
  groups: new Map(),
  note: null,
  offsets: null,
  shown: [],
  current: null,
  // Units of the text that are selected, and what for: a new span, or the edges of the current one.
  selection: null,
  everySame: false,
  settle: false,
  filter: { labels: [], low: 0, high: 1 },
  // In the reading of a sample: what was replaced in the note, its original, and why it leaks.
  beside: null,
};

const listeners = new Map();

/** Calls back on `note` (new text or marks), `current`, `selection`, `list` (counts changed). */
export function on(event, callback) {
  listeners.set(event, [...(listeners.get(event) ?? []), callback]);
}

export function emit(event, detail) {
  for (const callback of listeners.get(event) ?? []) callback(detail);
}

let queue = Promise.resolve();
let waiting = 0;

/** Runs one thing after the other, so that keys typed fast are all heard, in order. Never wait for it inside. */
export function inTurn(work) {
  waiting += 1;
  queue = queue
    .then(work)
    .catch(report)
    .finally(() => (waiting -= 1));
  return queue;
}

export const isBusy = () => waiting > 0;

export function report(error) {
  if (error?.name === "AbortError") return;
  if (!(error instanceof ApiError)) throw error;
  toast(error.message, true);
}

const isPhi = (mark) => mark.status === "found" || mark.status === "accepted";
export const isOpen = (mark) => mark.status === "found" || mark.status === "hint";
export const groupOf = (label) => desk.groups.get(label) ?? "OTHER";
export const textOf = (mark) =>
  desk.note.text.slice(desk.offsets.toUnits(mark.start), desk.offsets.toUnits(mark.end));
export const currentMark = () => desk.shown.find((mark) => mark.id === desk.current) ?? null;

/** Whether a mark passes the filters by type and certainty. */
export function passes(mark) {
  const { labels, low, high } = desk.filter;
  const score = mark.score ?? 1;
  return (labels.length === 0 || labels.includes(mark.label)) && score >= low && score <= high;
}

export async function openNote(number, options = {}) {
  const settle = options.settle ?? false;
  const note = await get(`/review/api/notes/${number}${settle ? "?settle=true" : ""}`);
  desk.beside = desk.corpus.reading ? await get(`/review/api/reading/${number}${settle ? "?settle=true" : ""}`) : null;
  desk.settle = note.settling;
  desk.selection = null;
  show(note);
  const first = desk.shown.find((mark) => isOpen(mark) && passes(mark)) ?? desk.shown[0];
  setCurrent(first?.id ?? null, { focus: options.focus ?? false });
  emit("opened", note);
}

/** Takes over a note as the server has it now. */
export function show(note) {
  const isNew = desk.note?.number !== note.number || desk.note?.text !== note.text;
  desk.note = note;
  if (isNew) desk.offsets = new Offsets(note.text);
  desk.shown = arrange(note.marks);
  if (!desk.shown.some((mark) => mark.id === desk.current)) desk.current = null;
  emit("note", note);
}

/** Marks that can stand side by side in the text: PHI first, then hints, then what was rejected. */
function arrange(marks) {
  const rank = (mark) => (isPhi(mark) ? 0 : mark.status === "hint" ? 1 : 2);
  const placed = [];
  for (const mark of [...marks].sort((a, b) => rank(a) - rank(b) || a.start - b.start)) {
    const low = firstAfter(placed, mark.start);
    const before = placed[low - 1];
    const after = placed[low];
    if ((!before || before.end <= mark.start) && (!after || mark.end <= after.start)) placed.splice(low, 0, mark);
  }
  return placed;
}

function firstAfter(placed, start) {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle].start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function setCurrent(id, options = {}) {
  desk.current = id;
  emit("current", options);
}

/** To the next mark in that direction that fits, around the end of the note. */
export function move(step, fits = () => true) {
  const marks = desk.shown.filter(passes);
  const at = marks.findIndex((mark) => mark.id === desk.current);
  const from = at >= 0 ? at : placeOfCurrent(marks, step);
  for (let i = 1; i <= marks.length; i += 1) {
    const mark = marks[(((from + step * i) % marks.length) + marks.length) % marks.length];
    if (fits(mark)) {
      setCurrent(mark.id, { focus: true });
      return true;
    }
  }
  return false;
}

function placeOfCurrent(marks, step) {
  const here = desk.note.marks.find((mark) => mark.id === desk.current)?.start ?? -1;
  const next = marks.findIndex((mark) => mark.start > here);
  const gap = next < 0 ? marks.length : next;
  return step > 0 ? gap - 1 : gap;
}

export function moveToOpen(step = 1) {
  if (!move(step, isOpen)) say("Every span here is decided.");
}

/** The undecided mark that is most in doubt. */
export function moveToLeastSure() {
  const doubt = (mark) => (mark.status === "hint" ? mark.score ?? 0 : 1 - (mark.score ?? 1));
  const open = desk.shown.filter((mark) => isOpen(mark) && passes(mark)).sort((a, b) => doubt(b) - doubt(a));
  if (open.length) setCurrent(open[0].id, { focus: true });
  else say("Every span here is decided.");
}

/** The current mark, and with `everySame` all marks of the same text. */
export function chosen() {
  const mark = currentMark();
  if (!mark) return [];
  if (!desk.everySame) return [mark];
  const text = textOf(mark);
  return desk.shown.filter((other) => textOf(other) === text);
}

// Where this window decided something, the last at the end: undo goes back there.
const trail = [];

/** Sends one decision; a note that somebody else changed meanwhile is shown anew, and nothing is lost unseen. */
export async function decide(kind, fields = {}) {
  const number = desk.note.number;
  const body = { version: desk.note.version, settle: desk.settle, kind, ...fields };
  const note = await sendOrReload(`/review/api/notes/${number}/decisions`, body);
  if (!note) return false;
  trail.push({ number, settle: desk.settle });
  show(note);
  emit("list");
  return true;
}

export async function takeBack(way) {
  const last = way === "undo" ? trail.at(-1) : null;
  // What was decided last may lie in the note before this one.
  if (last && last.number !== desk.note.number) await openNote(last.number, { settle: last.settle });
  const before = new Map(desk.note.marks.map((mark) => [mark.id, JSON.stringify(mark)]));
  const note = await sendOrReload(`/review/api/notes/${desk.note.number}/${way}`, {
    version: desk.note.version,
    settle: desk.settle,
  });
  if (!note) return;
  if (way === "undo") trail.pop();
  else trail.push({ number: note.number, settle: desk.settle });
  show(note);
  const changed = note.marks.find((mark) => before.get(mark.id) !== JSON.stringify(mark));
  setCurrent(changed?.id ?? desk.current, { focus: true });
  say(way === "undo" ? "Undone." : "Done again.");
  emit("list");
}

async function sendOrReload(path, body) {
  try {
    return await post(path, body);
  } catch (error) {
    if (error.code === "stale") {
      toast(`${capital(error.message)}. This is how it stands now.`, true);
      show(await get(`/review/api/notes/${desk.note.number}${desk.settle ? "?settle=true" : ""}`));
      emit("list");
      return null;
    }
    if (error.code === "nothing-to-undo") {
      toast(capital(error.message) + ".");
      say(error.message);
      return null;
    }
    throw error;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Somebody else may have worked while this window was in the background. */
export async function refresh() {
  if (!desk.note) return;
  const note = await get(`/review/api/notes/${desk.note.number}${desk.settle ? "?settle=true" : ""}`);
  if (note.version === desk.note.version) return;
  toast(`${note.changed_by || "Somebody"} changed this note; this is how it stands now.`);
  show(note);
  emit("list");
}
