// A stretch of text to become a span: selected with the mouse, or word by word with keys.
import { find, say } from "../dom.js";
import { findWords, snap } from "../offsets.js";
import { currentMark, desk, emit, on } from "./desk.js";

export function setUpDrawing() {
  const original = find("#original");
  document.addEventListener("mouseup", (event) => {
    if (!original.contains(event.target) && !event.target.closest?.("#original-scroll")) return;
    // After the browser has settled its own selection.
    setTimeout(() => takeMouseSelection(event.altKey), 0);
  });
  on("note", () => {
    words = null;
  });
}

let words = null;
const wordsOfNote = () => (words ??= findWords(desk.note.text));

function takeMouseSelection(exact) {
  const chosen = getSelection();
  const original = find("#original");
  if (chosen.isCollapsed || !original.contains(chosen.anchorNode) || !original.contains(chosen.focusNode)) {
    if (desk.selection && chosen.isCollapsed) cancelSelection();
    return;
  }
  const places = [
    unitAt(chosen.anchorNode, chosen.anchorOffset),
    unitAt(chosen.focusNode, chosen.focusOffset),
  ].sort((a, b) => a - b);
  const stretch = exact ? places : snap(desk.note.text, ...places);
  if (stretch) select(stretch[0], stretch[1], "draw");
}

function unitAt(node, offset) {
  const range = document.createRange();
  range.setStart(find("#original"), 0);
  range.setEnd(node, offset);
  return range.toString().length;
}

function pointAt(unit, atEnd) {
  const walker = document.createTreeWalker(find("#original"), NodeFilter.SHOW_TEXT);
  let passed = 0;
  let node = walker.nextNode();
  while (node) {
    const length = node.data.length;
    if (unit < passed + length || (atEnd && unit === passed + length)) return [node, unit - passed];
    passed += length;
    node = walker.nextNode();
  }
  return [find("#original"), find("#original").childNodes.length];
}

export function select(start, end, purpose) {
  desk.selection = { start, end, purpose };
  const chosen = getSelection();
  chosen.setBaseAndExtent(...pointAt(start, false), ...pointAt(end, true));
  const box = find("#original-scroll").getBoundingClientRect();
  const place = chosen.getRangeAt(0).getBoundingClientRect();
  if (place.top < box.top + 20 || place.bottom > box.bottom - 20) {
    find("#original-scroll").scrollTop += place.top - box.top - box.height / 3;
  }
  say(`Selected: ${desk.note.text.slice(start, end)}`);
  emit("selection");
}

export function cancelSelection() {
  desk.selection = null;
  getSelection().removeAllRanges();
  emit("selection");
}

/** Begins at the first word after the current mark. */
export function startDrawing() {
  const list = wordsOfNote();
  if (!list.length) return;
  const mark = currentMark();
  const from = mark ? desk.offsets.toUnits(mark.end) : 0;
  const word = list.find(([start]) => start >= from) ?? list[list.length - 1];
  find("#original-scroll").focus({ preventScroll: true });
  select(word[0], word[1], "draw");
}

/** Begins with the current mark, to move its edges. */
export function startResizing() {
  const mark = currentMark();
  if (mark) select(desk.offsets.toUnits(mark.start), desk.offsets.toUnits(mark.end), "resize");
}

export function moveSelection(step) {
  const list = wordsOfNote();
  const { start, end, purpose } = desk.selection;
  const next = step > 0 ? list.find(([from]) => from >= end) : list.findLast(([, to]) => to <= start);
  if (next) select(next[0], next[1], purpose);
}

/** To the word above or below, at about the same place of the line. */
export function moveSelectionByLine(step) {
  const { text } = desk.note;
  const { start, purpose } = desk.selection;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const column = start - lineStart;
  const lineEnd = text.indexOf("\n", start);
  let target;
  if (step > 0) {
    if (lineEnd < 0) return;
    const nextEnd = text.indexOf("\n", lineEnd + 1);
    target = Math.min(lineEnd + 1 + column, nextEnd < 0 ? text.length : nextEnd);
  } else {
    if (lineStart === 0) return;
    target = Math.min(text.lastIndexOf("\n", lineStart - 2) + 1 + column, lineStart - 1);
  }
  const list = wordsOfNote();
  const next = step > 0 ? list.find(([, to]) => to > target) : list.findLast(([from]) => from <= target);
  if (next && next[0] !== start) select(next[0], next[1], purpose);
}

/** Moves the end by a word, or an edge by a character. */
export function stretchSelection(edge, unit, step) {
  const { text } = desk.note;
  let { start, end } = desk.selection;
  if (unit === "word") {
    const list = wordsOfNote();
    const word = step > 0 ? list.find(([, to]) => to > end) : list.findLast(([, to]) => to < end && to > start);
    if (word) end = word[1];
  } else if (edge === "start") start = Math.max(0, start + step);
  else end = Math.min(text.length, end + step);
  if (start < end) select(start, end, desk.selection.purpose);
}
