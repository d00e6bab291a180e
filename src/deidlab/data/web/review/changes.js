// What a retrained model would change in this note, each with a button to take it over.
import { get } from "../api.js";
import { el, find } from "../dom.js";
import { decide, desk, groupOf, inTurn, on, report, setCurrent } from "./desk.js";

let asked = 0;

export function setUpChanges() {
  const { models } = desk.corpus;
  if (!models.length) return;
  find("#changes").hidden = false;
  find("#model").replaceChildren(...models.map((name) => el("option", { value: name }, name)));
  find("#model").addEventListener("change", render);
  on("note", render);
}

async function render() {
  asked += 1;
  const mine = asked;
  const choice = new URLSearchParams({ model: find("#model").value });
  if (desk.settle) choice.set("settle", "true");
  try {
    const answer = await get(`/review/api/notes/${desk.note.number}/changes?${choice}`);
    if (mine !== asked) return;
    const rows = answer.changes.map(row);
    const none = answer.known ? "Nothing: it finds just what stands here." : "It was not run on this note.";
    find("#change-list").replaceChildren(...(rows.length ? rows : [el("li", { className: "soft" }, none)]));
  } catch (error) {
    report(error);
  }
}

const cut = (span) =>
  desk.note.text.slice(desk.offsets.toUnits(span.start), desk.offsets.toUnits(span.end));
const chip = (label) => el("span", { className: "chip", data: { group: groupOf(label) } }, label);
const said = (text) => el("span", { className: "said" }, text);

function row({ kind, mark, span }) {
  const shown = {
    adds: () => ["adds ", chip(span.label), said(cut(span))],
    drops: () => ["drops ", chip(mark.label), said(cut(mark))],
    relabels: () => [said(cut(mark)), chip(mark.label), " becomes ", chip(span.label)],
    moves: () => [said(cut(mark)), chip(mark.label), " becomes ", said(cut(span)), chip(span.label)],
  }[kind]();
  const place = mark ?? span;
  const button = (name, said, act) =>
    el("button", { type: "button", className: "quiet", onclick: act, "aria-label": said }, name);
  return el(
    "li",
    {},
    ...shown,
    button("Take over", `Take over: ${kind} ${place.label} ${cut(place)}`, () => take(kind, mark, span)),
    mark ? button("Show", `Show ${cut(place)}`, () => setCurrent(mark.id, { focus: true })) : null,
  );
}

const take = (kind, mark, span) =>
  inTurn(async () => {
    if (kind === "drops") await decide("reject", { marks: [mark.id] });
    else if (kind === "relabels") await decide("relabel", { marks: [mark.id], label: span.label });
    else await decide("draw", { start: span.start, end: span.end, label: span.label });
  });
