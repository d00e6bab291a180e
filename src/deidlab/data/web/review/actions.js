// What a reviewer can do, each by a key and by a button.
import { post } from "../api.js";
import { plural, say, toast } from "../dom.js";
import {
  chosen,
  currentMark,
  decide,
  desk,
  emit,
  inTurn,
  isOpen,
  moveToOpen,
  openNote,
  passes,
  setCurrent,
  takeBack,
} from "./desk.js";
import { cancelSelection } from "./draw.js";
import { question, refresh } from "./list.js";
import { chooseLabel } from "./palette.js";

const nOpen = () => desk.shown.filter((mark) => isOpen(mark) && passes(mark)).length;

function tell(what) {
  const left = nOpen();
  say(`${what}. ${left ? `${left} left` : "Every span here is decided"}.`);
}

export const accept = () => judge("accept", "Accepted");
export const reject = () => judge("reject", "Rejected");

async function judge(kind, said) {
  const marks = chosen();
  if (!marks.length) return;
  const { label } = marks[0];
  if (!(await decide(kind, { marks: marks.map((mark) => mark.id) }))) return;
  goOn();
  tell(`${said} ${label}${marks.length > 1 ? `, ${marks.length} times` : ""}`);
}

function goOn() {
  if (nOpen()) moveToOpen();
  else emit("current", { focus: true });
}

/** Gives the current mark another type; without one, asks for it and lets the page go on meanwhile. */
export async function relabel(label) {
  const marks = chosen().map((mark) => mark.id);
  if (!marks.length) return;
  if (label) await giveLabel(marks, label);
  else askLabel("Which type is it?", (wanted) => giveLabel(marks, wanted));
}

async function giveLabel(marks, label) {
  if (!(await decide("relabel", { marks, label }))) return;
  goOn();
  tell(`Now ${label}`);
}

function askLabel(title, act) {
  chooseLabel(title).then((label) => {
    if (label) inTurn(() => act(label));
    else if (!desk.selection) emit("current", { focus: true });
  });
}

export async function reopen() {
  const marks = chosen().map((mark) => mark.id);
  if (!marks.length || !(await decide("reopen", { marks }))) return;
  emit("current", { focus: true });
  tell("Open again");
}

/** The selected text becomes a span, or the current span gets these edges. */
export async function draw(label) {
  if (!desk.selection) return;
  const { purpose, start, end } = desk.selection;
  const stretch = { start: desk.offsets.toPoints(start), end: desk.offsets.toPoints(end) };
  if (purpose === "resize" && !label) await moveEdges(stretch);
  else if (label) await makeSpan(stretch, label);
  else askLabel("Which type is the selected text?", (wanted) => makeSpan(stretch, wanted));
}

async function moveEdges(stretch) {
  const mark = currentMark();
  cancelSelection();
  if (mark && (await decide("resize", { marks: [mark.id], ...stretch }))) tell("Edges moved");
  emit("current", { focus: true });
}

async function makeSpan(stretch, label) {
  cancelSelection();
  const before = new Set(desk.note.marks.map((mark) => mark.id));
  if (!(await decide("draw", { ...stretch, label, everywhere: desk.everySame }))) return;
  const made = desk.shown.filter((mark) => !before.has(mark.id));
  setCurrent(made[0]?.id ?? desk.current, { focus: true });
  tell(`Marked as ${label}${made.length > 1 ? `, ${made.length} times` : ""}`);
}

export async function acceptAll() {
  const n = desk.shown.filter((mark) => mark.status === "found").length;
  if (!(await decide("accept-all"))) return;
  toast(`Accepted ${plural(n, "span")}. u takes it back.`);
  emit("current", { focus: true });
  tell(`Accepted ${plural(n, "span")}`);
}

export const undo = () => takeBack("undo");
export const redo = () => takeBack("redo");

// The note that was to be closed with spans undecided: done a second time in a row, it is meant.
let asked = null;

export function forgetAsking() {
  asked = null;
}

/** Whether the note may be closed as it is; where spans are undecided, it takes a second time to say so. */
function mayClose() {
  const open = desk.shown.filter(isOpen);
  if (!open.length || asked === desk.note.number) return true;
  asked = desk.note.number;
  setCurrent(open[0].id, { focus: true });
  const said = `${plural(open.length, "span")} undecided. Press e again to close the note anyway, n for the next of them.`;
  toast(said, true);
  say(said);
  return false;
}

/** Done with this note: on to the one that needs review most. */
export async function finish() {
  const here = desk.note.number;
  if (desk.note.done) {
    if (await decide("not-done")) say("Open again.");
    return;
  }
  if (!mayClose()) return;
  forgetAsking();
  const left = desk.shown.filter(isOpen).length;
  if (!(await decide("done"))) return;
  const aside = left ? ` ${plural(left, "span")} undecided.` : "";
  await refresh();
  const answer = await post("/review/api/notes", { ...question(), which: "open", offset: 0, limit: 2 });
  const next = answer.notes.find((row) => row.number !== here);
  if (!next) {
    toast(`Note done.${aside} There is no other note to review.`);
    say("Note done. There is no other note to review.");
    return;
  }
  toast(`Note done.${aside}`);
  history.pushState(null, "", `#${next.number}`);
  await openNote(next.number, { focus: true });
  say(`Note done. Next: ${desk.note.id}, ${plural(nOpen(), "span")} to decide.`);
}

export function toggleSame() {
  desk.everySame = !desk.everySame;
  say(desk.everySame ? "Acts on every mention of the same text" : "Acts on this mention alone");
  emit("selection");
}
