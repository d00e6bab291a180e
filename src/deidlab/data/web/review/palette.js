// Choosing a type: type a few letters, arrows, Enter.
import { el, find } from "../dom.js";
import { desk, groupOf } from "./desk.js";

let resolve = null;
let active = 0;
let options = [];

/** The types, those of the corpus first; the first nine have a digit. */
const orderedLabels = () => {
  const labels = desk.corpus.labels;
  return [...labels.filter((label) => label.used), ...labels.filter((label) => !label.used)].map((label) => label.name);
};
export const quickLabels = () => orderedLabels().slice(0, 9);

/** Asks for a type; null where nothing was chosen. */
export function chooseLabel(title) {
  find("#palette-title").textContent = title;
  find("#palette-input").value = "";
  narrow();
  find("#palette").showModal();
  find("#palette-input").focus();
  return new Promise((done) => (resolve = done));
}

function narrow() {
  const wanted = find("#palette-input").value.trim().toUpperCase();
  const all = orderedLabels();
  const starts = all.filter((label) => label.startsWith(wanted));
  options = [...starts, ...all.filter((label) => !label.startsWith(wanted) && label.includes(wanted))];
  activate(0);
}

function activate(index) {
  active = Math.max(0, Math.min(index, options.length - 1));
  const quick = quickLabels();
  const rows = options.map((label, place) =>
    el(
      "li",
      { id: `option-${place}`, role: "option", "aria-selected": String(place === active), data: { place } },
      el("span", { className: "chip", data: { group: groupOf(label) } }, label),
      quick.includes(label) ? el("kbd", {}, String(quick.indexOf(label) + 1)) : null,
    ),
  );
  find("#palette-list").replaceChildren(...rows);
  const input = find("#palette-input");
  if (rows.length) input.setAttribute("aria-activedescendant", `option-${active}`);
  else input.removeAttribute("aria-activedescendant");
  rows[active]?.scrollIntoView({ block: "nearest" });
}

/** A key that was typed before the dialog was there to hear it. */
export function typeInPalette(key) {
  const input = find("#palette-input");
  if (key === "Enter" || (/^[1-9]$/.test(key) && input.value === "")) {
    const label = key === "Enter" ? options[active] : quickLabels()[Number(key) - 1];
    if (label) finish(label);
  } else if (key === "Escape") finish(null);
  else if (key.length === 1) {
    input.value += key;
    narrow();
  }
}

function finish(label) {
  const answer = resolve;
  resolve = null;
  if (find("#palette").open) find("#palette").close();
  answer?.(label);
}

export function setUpPalette() {
  const input = find("#palette-input");
  input.addEventListener("input", narrow);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") activate(active + 1);
    else if (event.key === "ArrowUp") activate(active - 1);
    else if (event.key === "Enter") {
      if (options[active]) finish(options[active]);
    } else if (/^[1-9]$/.test(event.key) && input.value === "") {
      const label = quickLabels()[Number(event.key) - 1];
      if (label) finish(label);
    } else return;
    event.preventDefault();
  });
  find("#palette-list").addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (row) finish(options[Number(row.dataset.place)]);
  });
  find("#palette-close").addEventListener("click", () => finish(null));
  find("#palette").addEventListener("close", () => finish(null));
}
