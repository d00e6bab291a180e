// The note with its marks, and beside it the masked text.
import { get } from "../api.js";
import { el, find, percent } from "../dom.js";
import { currentMark, desk, emit, groupOf, on, passes, report, setCurrent, textOf } from "./desk.js";

const STATES = { found: "undecided", hint: "a hint, not marked yet", accepted: "accepted", rejected: "rejected" };

export function setUpText() {
  on("note", renderOriginal);
  let waiting = 0;
  on("note", () => {
    clearTimeout(waiting);
    waiting = setTimeout(renderMasked, 60);
  });
  on("filter", renderOriginal);
  on("current", showCurrent);
  const original = find("#original");
  original.addEventListener("click", (event) => {
    const mark = event.target.closest(".mark");
    if (mark && getSelection().isCollapsed) setCurrent(Number(mark.dataset.id), { focus: true });
  });
  original.addEventListener("focusin", (event) => {
    const mark = event.target.closest(".mark");
    if (mark && Number(mark.dataset.id) !== desk.current) setCurrent(Number(mark.dataset.id));
  });
  for (const id of ["#style", "#policy"]) find(id).addEventListener("change", renderMasked);
  scrollTogether(find("#original-scroll"), find("#masked-scroll"));
}

const sureness = (mark) => {
  const score = mark.score ?? 1;
  return score >= 0.9 ? "high" : score >= 0.7 ? "mid" : "low";
};

function describe(mark) {
  const certain = mark.score === null ? "marked by people" : `${percent(mark.score)} certain`;
  return `${textOf(mark)}: ${mark.label}, ${certain}, ${STATES[mark.status]}`;
}

// What stands in the page now: its marks in order, and their elements.
let drawn = { text: null, marks: [], nodes: [] };

function renderOriginal() {
  const { note, shown } = desk;
  const same =
    drawn.text === note.text &&
    drawn.marks.length === shown.length &&
    drawn.marks.every((mark, i) => mark.id === shown[i].id && mark.start === shown[i].start && mark.end === shown[i].end);
  if (same) for (const [i, mark] of shown.entries()) dress(drawn.nodes[i], mark);
  else redraw();
  drawn = { ...drawn, text: note.text, marks: shown };
  showCurrent({ focus: find("#original").contains(document.activeElement), still: true });
}

function redraw() {
  const { note, offsets, shown } = desk;
  const parts = [];
  const nodes = [];
  let done = 0;
  for (const mark of shown) {
    const start = offsets.toUnits(mark.start);
    const end = offsets.toUnits(mark.end);
    const node = el("span", { role: "button", tabIndex: -1, data: { id: mark.id } }, note.text.slice(start, end));
    dress(node, mark);
    nodes.push(node);
    parts.push(...plainParts(done, start), node);
    done = end;
  }
  parts.push(...plainParts(done, note.text.length));
  const scroll = find("#original-scroll");
  const top = scroll.scrollTop;
  const hadFocus = find("#original").contains(document.activeElement);
  find("#original").replaceChildren(...parts);
  scroll.scrollTop = top;
  if (hadFocus) find(`#original .mark[data-id="${desk.current}"]`)?.focus({ preventScroll: true });
  drawn.nodes = nodes;
}

/** The text between two marks; in a masked note that is read, what was replaced stands out a little. */
function plainParts(from, to) {
  const { text } = desk.note;
  const parts = [];
  let done = from;
  for (const place of desk.beside?.places ?? []) {
    const [start, end] = place.map((point) => desk.offsets.toUnits(point));
    if (end <= done || start >= to) continue;
    const [first, last] = [Math.max(start, done), Math.min(end, to)];
    parts.push(text.slice(done, first), el("span", { className: "replaced" }, text.slice(first, last)));
    done = last;
  }
  return [...parts, text.slice(done, to)];
}

/** Gives an element the looks of its mark; an element that has them already is left alone. */
function dress(node, mark) {
  const looks = [mark.label, mark.status, mark.score, passes(mark)].join();
  if (node.looks === looks) return;
  node.looks = looks;
  node.className = passes(mark) ? "mark" : "mark aside";
  node.title = describe(mark);
  node.setAttribute("aria-label", describe(mark));
  Object.assign(node.dataset, { label: mark.label, group: groupOf(mark.label), status: mark.status, sure: sureness(mark) });
}

function showCurrent(options = {}) {
  for (const node of document.querySelectorAll(".mark.current")) {
    node.classList.remove("current");
    node.removeAttribute("aria-current");
    if (node.closest("#original")) node.tabIndex = -1;
  }
  const node = find(`#original .mark[data-id="${desk.current}"]`) ?? null;
  if (node) {
    node.classList.add("current");
    node.setAttribute("aria-current", "true");
    node.tabIndex = 0;
    if (options.focus) node.focus({ preventScroll: true });
    if (!options.still) reveal(node, find("#original-scroll"));
  }
  const mark = currentMark();
  const twin = mark && !desk.beside ? find(`#masked .mark[data-start="${mark.start}"]`) : null;
  twin?.classList.add("current");
}

function reveal(node, box) {
  const inner = node.getBoundingClientRect();
  const outer = box.getBoundingClientRect();
  const margin = Math.min(60, outer.height / 4);
  if (inner.top < outer.top + margin || inner.bottom > outer.bottom - margin) {
    box.scrollTop += inner.top - outer.top - outer.height / 3;
  }
}

let asked = 0;

export async function renderMasked() {
  if (find("#masked-pane").hidden || !desk.note) return;
  if (desk.beside) {
    const none = [{ text: "The original is not here: begin the reading with --original to have it beside.", start: null }];
    find("#masked").replaceChildren(...(desk.beside.original ?? none).map(pieceNode));
    return;
  }
  asked += 1;
  const mine = asked;
  const choice = new URLSearchParams({ style: find("#style").value, policy: find("#policy").value });
  if (desk.settle) choice.set("settle", "true");
  try {
    const answer = await get(`/review/api/notes/${desk.note.number}/masked?${choice}`);
    if (mine !== asked) return;
    find("#masked").replaceChildren(...answer.pieces.map(pieceNode));
    showCurrent({ still: true });
    emit("masked");
  } catch (error) {
    report(error);
  }
}

function pieceNode(piece) {
  if (piece.start === null) return document.createTextNode(piece.text);
  const data = { group: groupOf(piece.label), start: piece.start };
  return el("span", { className: "mark", title: piece.label, data }, piece.text);
}

function scrollTogether(one, other) {
  let leader = null;
  const follow = (from, to) => () => {
    if (leader && leader !== from) return;
    leader = from;
    const range = from.scrollHeight - from.clientHeight;
    to.scrollTop = range > 0 ? (from.scrollTop / range) * (to.scrollHeight - to.clientHeight) : 0;
    requestAnimationFrame(() => requestAnimationFrame(() => (leader = null)));
  };
  one.addEventListener("scroll", follow(one, other));
  other.addEventListener("scroll", follow(other, one));
}
