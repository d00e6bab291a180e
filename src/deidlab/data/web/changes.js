// What a retrained model would change in all notes.
import { get } from "./api.js";
import { el, find, percent, plural, setUpTheme } from "./dom.js";

const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)));

async function start() {
  setUpTheme(find("#theme"));
  const { models } = await get("/review/api/corpus");
  find("#model").replaceChildren(...models.map((name) => el("option", { value: name }, name)));
  find("#model").addEventListener("change", () => show().catch(tell));
  if (!models.length) {
    tell(new Error("No retrained model is compared yet. Train one on the exported notes, then start the review with --compare RUN."));
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
  const found = await get(`/review/api/changes?${new URLSearchParams({ model: find("#model").value })}`);
  find("#notice").hidden = true;
  find("#answer").hidden = false;
  const { adds, drops, relabels, moves } = found.changes;
  find("#figures").replaceChildren(
    figure("It adds", adds),
    figure("It drops", drops),
    figure("It relabels", relabels),
    figure("It moves edges of", moves),
  );
  const { drawn, drawn_found, rejected, rejected_gone } = found.lessons;
  find("#lessons").replaceChildren(
    figure("Spans that reviewers drew, now found", `${drawn_found} of ${drawn}`),
    figure("Spans that reviewers rejected, now gone", `${rejected_gone} of ${rejected}`),
    figure("Notes with changes", found.notes.length),
  );
  find("#scores").replaceChildren(...scores(found));
  find("#notes").replaceChildren(...found.notes.slice(0, 500).map(row));
  if (!found.notes.length) {
    find("#notes").replaceChildren(el("tr", {}, el("td", { colSpan: 6, className: "soft" }, "None: it finds just what stands now.")));
  }
}

function scores({ finished, before, after }) {
  if (!finished) return [el("p", { className: "soft small" }, "No note is done yet: there is nothing to score against.")];
  const ratios = ["precision", "recall", "f1"];
  const cell = (value) => el("td", { className: "number" }, percent(value));
  const line = (name, values) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...ratios.map((key) => cell(values[key])));
  const head = ["Against reviewers", "Precision", "Recall", "F1"].map((name, i) => el("th", { scope: "col", className: i ? "number" : "" }, name));
  return [
    el("table", {}, el("caption", {}, `Whole spans, over ${plural(finished, "finished note")}`), el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, line("First marks", before), line(find("#model").value, after))),
    el("p", { className: "soft small" }, "If these notes trained the model, its figures on them flatter it: judge it on notes that it has not seen."),
  ];
}

function row(note) {
  const n = (key) => el("td", { className: "number" }, String(note[key] ?? 0));
  const link = el("a", { href: `/review#${note.number}` }, note.id);
  const state = el("td", {}, note.done ? "done" : "to review");
  return el("tr", {}, el("th", { scope: "row" }, link), state, n("adds"), n("drops"), n("relabels"), n("moves"));
}

start().catch(tell);
