// Agreement between two reviewers, and the notes that wait to be settled.
import { get, post } from "./api.js";
import { el, find, percent, setUpTheme } from "./dom.js";

const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
const two = (value) => (value === null ? "–" : value.toFixed(2));

async function start() {
  setUpTheme(find("#theme"));
  const { reviewers } = await get("/review/api/corpus");
  for (const [place, id] of ["#one", "#other"].entries()) {
    find(id).replaceChildren(...reviewers.map((name, i) => el("option", { value: name, selected: i === place }, name)));
    find(id).addEventListener("change", () => show().catch(tell));
  }
  if (reviewers.length < 2) {
    tell(new Error("Agreement needs two reviewers who finished the same notes. Start the review with --twice SHARE to set notes apart for that."));
    return;
  }
  await show();
}

function tell(error) {
  find("#answer").hidden = true;
  find("#notice").hidden = false;
  find("#notice").textContent = error.message;
}

async function show() {
  const names = new URLSearchParams({ one: find("#one").value, other: find("#other").value });
  const found = await get(`/review/api/agreement?${names}`);
  find("#notice").hidden = true;
  find("#answer").hidden = false;
  find("#figures").replaceChildren(
    figure("Cohen’s kappa", two(found.kappa)),
    figure("Kappa, PHI or not", two(found.kappa_phi)),
    figure("F1, same span and type", two(found.f1)),
    figure("F1, overlapping", two(found.f1_overlap)),
    figure("Words alike", percent(found.agreed_words)),
    figure("Notes", String(found.notes)),
  );
  find("#only-one").textContent = `Only ${found.one}`;
  find("#only-other").textContent = `Only ${found.other}`;
  find("#types").replaceChildren(...found.labels.map(typeRow));
  find("#differing").replaceChildren(...found.differing.map(noteRow));
  if (!found.differing.length) {
    find("#differing").replaceChildren(el("tr", {}, el("td", { colSpan: 3, className: "soft" }, "None: both marked the same.")));
  }
}

const cell = (value) => el("td", { className: "number" }, String(value));

function typeRow(row) {
  const figures = [two(row.kappa), two(row.f1), row.both, row.only_one, row.only_other];
  return el("tr", {}, el("th", { scope: "row" }, row.label), ...figures.map(cell));
}

function noteRow(row) {
  const act = () => settle(row.number).catch(tell);
  const button = el("button", { type: "button", className: "button", "aria-label": `Settle ${row.id}`, onclick: act }, "Settle");
  return el("tr", {}, el("th", { scope: "row" }, row.id), cell(row.differences), el("td", { className: "number" }, button));
}

/** A note that was brought together before is opened as it stands. */
async function settle(number) {
  const note = await get(`/review/api/notes/${number}?settle=true`);
  if (note.version === 0) await post(`/review/api/merge/${number}`, { version: 0 });
  location.assign(`/review#${number}&settle`);
}

start().catch(tell);
