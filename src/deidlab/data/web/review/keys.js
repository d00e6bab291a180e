// Keys: one table that is both what they do and what the help shows.
import { el, find, recall, remember } from "../dom.js";
import * as actions from "./actions.js";
import { desk, inTurn, isBusy, move, moveToLeastSure, moveToOpen } from "./desk.js";
import { cancelSelection, moveSelection, moveSelectionByLine, startDrawing, startResizing, stretchSelection } from "./draw.js";
import { neighbour } from "./list.js";
import { quickLabels, typeInPalette } from "./palette.js";
import { askWhy } from "./reading.js";

const SPANS = [
  [["n"], "next span to decide", () => moveToOpen(1)],
  [["p"], "the one before", () => moveToOpen(-1)],
  [["c"], "the least certain one", moveToLeastSure],
  [["j", "ArrowDown"], "next span of any kind", () => move(1)],
  [["k", "ArrowUp"], "the one before", () => move(-1)],
  [["a", "Enter"], "accept, and go on", actions.accept],
  [["r", "Delete", "Backspace"], "reject, and go on", actions.reject],
  [["l"], "choose another type, and go on", () => actions.relabel()],
  [["o"], "open again what was decided", actions.reopen],
  [["x"], "act on every mention of the same text", actions.toggleSame],
  [["Shift+A"], "accept all that is left", actions.acceptAll],
];
const DRAW = [
  [["d"], "draw a new span, word by word", startDrawing],
  [["w"], "move the edges of this span", startResizing],
];
const NOTES = [
  [["e"], "done, to the next note; twice where spans are undecided (or open again)", actions.finish],
  [["Shift+J"], "next note of the list", () => neighbour(1)],
  [["Shift+K"], "the one before", () => neighbour(-1)],
  [["/"], "search", () => find("#search").focus()],
  [["m"], "masked text beside the original", () => find("#toggle-masked").click()],
  [["u"], "undo", actions.undo],
  [["Shift+U"], "redo", actions.redo],
  [["?"], "this help", () => find("#help").showModal()],
];
const READING = [
  [["a"], "a suspect is a leak", actions.accept],
  [["r"], "it is none", actions.reject],
  [["y"], "say why the note leaks", askWhy],
];
const SELECTING = [
  [["ArrowRight"], "next word", () => moveSelection(1)],
  [["ArrowLeft"], "the word before", () => moveSelection(-1)],
  [["ArrowDown"], "the line below", () => moveSelectionByLine(1)],
  [["ArrowUp"], "the line above", () => moveSelectionByLine(-1)],
  [["Shift+ArrowRight"], "one more word", () => stretchSelection("end", "word", 1)],
  [["Shift+ArrowLeft"], "one word less", () => stretchSelection("end", "word", -1)],
  [["["], "start one character earlier", () => stretchSelection("start", "character", -1)],
  [["]"], "start one character later", () => stretchSelection("start", "character", 1)],
  [["{"], "end one character earlier", () => stretchSelection("end", "character", -1)],
  [["}"], "end one character later", () => stretchSelection("end", "character", 1)],
  [["x"], "mark every mention of the text", actions.toggleSame],
  [["Enter"], "choose the type, or keep the edges", () => actions.draw()],
  [["Escape"], "cancel", cancelSelection],
];
const tables = { Spans: SPANS, "New spans": DRAW, "While selecting": SELECTING, Notes: NOTES };

let singleKeys = recall("single-keys", "on") === "on";

export function setUpKeys() {
  document.addEventListener("keydown", hear);
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("#done")) actions.forgetAsking();
  });
  const box = find("#single-keys");
  box.checked = singleKeys;
  box.addEventListener("change", () => {
    singleKeys = box.checked;
    remember("single-keys", singleKeys ? "on" : "off");
  });
  renderHelp();
  find("#help-close").addEventListener("click", () => find("#help").close());
  find("#open-help").addEventListener("click", () => find("#help").showModal());
}

function nameOf(event) {
  const { key } = event;
  const named = key.length > 1 || key.toLowerCase() !== key.toUpperCase();
  return event.shiftKey && named ? `Shift+${key.length === 1 ? key.toUpperCase() : key}` : key;
}

function hear(event) {
  if (event.defaultPrevented || event.isComposing || !desk.note) return;
  if (document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    const key = event.key.toLowerCase();
    if (typing || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    inTurn(key === "y" || event.shiftKey ? actions.redo : actions.undo);
    return;
  }
  if (typing) {
    if (event.key === "Escape") find("#main").focus();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const name = nameOf(event);
  // A key that is held down must not answer the question that it raised.
  if (name === "e" && event.repeat) {
    event.preventDefault();
    return;
  }
  const { target } = event;
  // What a key means is looked up when its turn comes: a key before it may have begun or ended a selection.
  if (!findAction(name, target) && !(isBusy() && name.length === 1)) return;
  event.preventDefault();
  inTurn(() => obey(name, event.key, target));
}

function obey(name, key, target) {
  if (find("#palette").open) {
    typeInPalette(key);
    return null;
  }
  if (name !== "e") actions.forgetAsking();
  // The element that heard the key may have been drawn anew since.
  const here = target.isConnected ? target : document.activeElement ?? document.body;
  return findAction(name, here)?.();
}

function findAction(name, target) {
  const selecting = desk.selection !== null;
  // Enter and space on a button or a link are that button's.
  const onControl = target.closest("button, a, summary, .scroll");
  if ((name === "Enter" || name === " ") && onControl && !target.closest(".mark") && !(selecting && onControl.matches(".scroll"))) return null;
  if (!singleKeys && name.length === 1) return null;
  const inText = selecting || target.closest(".mark");
  if (name.length > 1 && !inText && !name.startsWith("Shift+") && name !== "Escape") return null;
  if (/^[1-9]$/.test(name)) {
    const label = quickLabels()[Number(name) - 1];
    return label ? () => (desk.selection ? actions.draw(label) : actions.relabel(label)) : null;
  }
  const reading = desk.corpus.reading ? READING : [];
  const table = selecting ? [...SELECTING, ...NOTES] : [...SPANS, ...DRAW, ...NOTES, ...reading];
  return table.find(([keys]) => keys.includes(name))?.[2] ?? null;
}

const KEY_NAMES = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Delete: "Del", Backspace: "⌫" };
const shownKey = (key) => key.split("+").map((part) => KEY_NAMES[part] ?? part).join(" ");

function renderHelp() {
  const digits = [["1 … 9"], "give the span that type, and go on", null];
  const shown = desk.corpus.reading ? { Leaks: READING, ...tables } : tables;
  const sections = Object.entries(shown).map(([title, rows]) => {
    const entries = (title === "Spans" ? [...rows, digits] : rows).flatMap(([keys, what]) => [
      el("dt", {}, ...keys.flatMap((key) => [el("kbd", {}, shownKey(key)), " "])),
      el("dd", {}, what),
    ]);
    return el("section", {}, el("h3", {}, title), el("dl", {}, ...entries));
  });
  find("#help-body").replaceChildren(...sections);
}
