// The span in hand: what it is, how certain, and what can be done with it.
import { el, find, percent } from "../dom.js";
import * as actions from "./actions.js";
import { chosen, currentMark, desk, groupOf, inTurn, on, textOf } from "./desk.js";
import { cancelSelection, startDrawing, startResizing } from "./draw.js";
import { quickLabels } from "./palette.js";

export function setUpDock() {
  for (const event of ["note", "current", "selection"]) on(event, render);
}

const button = (name, key, act, options = {}) =>
  el(
    "button",
    { type: "button", className: `button ${options.main ? "main" : ""}`, onclick: () => inTurn(act), data: { act: name }, ...options.more },
    name,
    " ",
    el("kbd", { "aria-hidden": "true" }, key),
  );

function render() {
  if (!desk.note) return;
  const held = document.activeElement?.closest("#dock") ? document.activeElement.dataset.act : null;
  find("#dock").replaceChildren(...(desk.selection ? selectionRows() : markRows()));
  if (held) find(`#dock [data-act="${held}"]`)?.focus();
}

function quick(act) {
  const chips = quickLabels().map((label, place) =>
    el(
      "button",
      { type: "button", className: "chip", onclick: () => inTurn(() => act(label)), data: { group: groupOf(label), act: `label ${label}` } },
      el("kbd", { "aria-hidden": "true" }, String(place + 1)),
      label,
    ),
  );
  return el("div", { className: "quick", role: "group", "aria-label": "Types" }, ...chips);
}

const sameButton = (n) =>
  button(n ? `All ${n} mentions` : "Every mention", "x", actions.toggleSame, {
    more: { "aria-pressed": String(desk.everySame) },
  });

function selectionRows() {
  const { start, end, purpose } = desk.selection;
  const resizing = purpose === "resize";
  return [
    el(
      "div",
      { className: "row between" },
      el("div", {}, el("span", { className: "soft small" }, resizing ? "New edges: " : "Selected: "),
        el("span", { className: "what" }, desk.note.text.slice(start, end))),
      el("div", { className: "row tight" },
        resizing ? button("Keep these edges", "Enter", () => actions.draw(), { main: true }) : sameButton(0),
        resizing ? null : button("Choose type", "Enter", () => actions.draw(), { main: true }),
        button("Cancel", "Esc", cancelSelection)),
    ),
    quick((label) => actions.draw(label)),
    el("p", { className: "soft small" }, "← → move by words, Shift + → takes more words in, [ ] and { } move an edge by a character."),
  ];
}

function markRows() {
  const mark = currentMark();
  if (!mark) {
    const some = "No span is chosen: n goes to the next one.";
    const none = desk.corpus.reading
      ? "No leak is marked. Select what still tells who somebody is; with none, e goes on."
      : "Nothing is marked in this note. Select text to mark it.";
    const said = el("p", { className: "soft" }, desk.shown.length ? some : none);
    return [el("div", { className: "row between" }, said, button("Draw a span", "d", startDrawing))];
  }
  const same = desk.shown.filter((other) => textOf(other) === textOf(mark)).length;
  return [
    el("div", { className: "row between" }, facts(mark), buttons(mark, same)),
    quick((label) => actions.relabel(label)),
  ];
}

function facts(mark) {
  const states = { found: "undecided", hint: desk.corpus.reading ? "suspect" : "hint", accepted: `accepted by ${mark.reviewer}`, rejected: `rejected by ${mark.reviewer}` };
  const bar = el("i");
  bar.style.width = `${Math.round((mark.score ?? 1) * 100)}%`;
  const certainty = mark.score === null ? null
    : el("span", { className: "small", data: { group: groupOf(mark.label) } },
        el("span", { className: "meter", "aria-hidden": "true" }, bar), `${percent(mark.score)} certain`);
  const many = chosen().length > 1 ? ` (${chosen().length} mentions)` : "";
  return el(
    "div",
    { className: "row" },
    el("span", { className: "chip", data: { group: groupOf(mark.label) } }, mark.label),
    el("span", { className: "what" }, textOf(mark) + many),
    certainty,
    el("span", { className: "soft small" }, [mark.source, states[mark.status]].filter(Boolean).join(" · ")),
  );
}

function buttons(mark, same) {
  return el(
    "div",
    { className: "row tight" },
    button(desk.corpus.reading ? "A leak" : "Accept", "a", actions.accept, { main: true }),
    button(desk.corpus.reading ? "No leak" : "Reject", "r", actions.reject),
    button("Relabel", "l", () => actions.relabel()),
    button("Edges", "w", startResizing),
    same > 1 ? sameButton(same) : null,
    button("Draw", "d", startDrawing),
  );
}
