// The list of notes: by need of review, searched and filtered.
import { post } from "../api.js";
import { el, find, percent, plural } from "../dom.js";
import { desk, emit, groupOf, on, report } from "./desk.js";

const PAGE = 50;
let offset = 0;
let total = 0;
let asked = 0;

export function setUpList() {
  let timer = 0;
  find("#search").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(restart, 180);
  });
  for (const id of ["#which", "#order"]) find(id).addEventListener("change", restart);
  for (const id of ["#low", "#high"]) find(id).addEventListener("input", readSliders);
  find("#clear-filters").addEventListener("click", clearFilters);
  find("#earlier").addEventListener("click", () => turn(-PAGE));
  find("#later").addEventListener("click", () => turn(PAGE));
  on("note", markCurrent);
  // Not in turn with decisions: keys need not wait for the list.
  let counting = 0;
  on("list", () => {
    clearTimeout(counting);
    counting = setTimeout(() => refresh().catch(report), 120);
  });
  renderTypes();
}

/** What the search field and the filters ask for. */
export function question() {
  const { labels, low, high } = desk.filter;
  return { search: find("#search").value, labels, low, high, which: find("#which").value, order: find("#order").value };
}

/** Asks for this page of the list anew. */
export async function refresh() {
  asked += 1;
  const mine = asked;
  const answer = await post("/review/api/notes", { ...question(), offset, limit: PAGE });
  if (mine !== asked) return answer;
  total = answer.total;
  render(answer);
  return answer;
}

function restart() {
  offset = 0;
  refresh().catch(report);
}

function turn(step) {
  offset = Math.max(0, offset + step);
  refresh().catch(report);
}

function render({ notes, counts }) {
  find("#list").replaceChildren(...notes.map(row));
  find("#progress").max = counts.notes || 1;
  find("#progress").value = counts.done;
  find("#progress-text").textContent = `${counts.done} of ${counts.notes} done`;
  const last = Math.min(offset + PAGE, total);
  find("#page-text").textContent = total ? `${offset + 1}–${last} of ${total}` : "no note fits";
  find("#earlier").disabled = offset === 0;
  find("#later").disabled = last >= total;
  markCurrent();
}

function row(note) {
  const reading = Boolean(desk.corpus.reading);
  const open = note.undecided ? plural(note.undecided, reading ? "suspect" : "span") : "";
  const state = note.done ? (reading ? "read" : "done") : open ? `${open} to decide` : reading ? "to read" : "all decided";
  const who = note.changed_by ? ` · ${note.changed_by}` : "";
  const twice = note.twice && !reading ? " · twice" : "";
  return el(
    "li",
    {},
    el(
      "a",
      { href: `#${note.number}`, className: note.done ? "done" : "", data: { number: note.number } },
      el("span", { className: "id" }, reading ? `${note.number}. ${note.id}` : note.id),
      el("span", { className: "why" }, `${state}${who}${twice}`),
      el("span", { className: "need", title: reading ? "" : "Decisions that the detector expects to be wrong" },
        note.done ? "✓" : note.need && !reading ? note.need.toFixed(1) : "", el("span", { className: "unseen" }, note.done || reading ? "" : " in doubt")),
    ),
  );
}

function markCurrent() {
  for (const link of find("#list").querySelectorAll("a")) {
    if (Number(link.dataset.number) === desk.note?.number) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** The note after or before this one in the list. */
export function neighbour(step) {
  const links = [...find("#list").querySelectorAll("a")];
  const here = links.findIndex((link) => Number(link.dataset.number) === desk.note?.number);
  const next = links[here + step];
  if (next) location.hash = next.dataset.number;
}

function renderTypes() {
  const used = desk.corpus.labels.filter((label) => label.used).map((label) => label.name).sort();
  const buttons = used.map((label) =>
    el(
      "button",
      {
        type: "button",
        className: "chip",
        "aria-pressed": "false",
        data: { group: groupOf(label), label },
        onclick: (event) => {
          const { labels } = desk.filter;
          desk.filter.labels = labels.includes(label) ? labels.filter((each) => each !== label) : [...labels, label];
          event.currentTarget.setAttribute("aria-pressed", String(desk.filter.labels.includes(label)));
          filtersChanged();
        },
      },
      label,
    ),
  );
  find("#types").replaceChildren(...buttons);
}

function readSliders() {
  const low = Number(find("#low").value);
  const high = Math.max(low, Number(find("#high").value));
  find("#high").value = String(high);
  desk.filter.low = low / 100;
  desk.filter.high = high / 100;
  find("#low-text").textContent = percent(desk.filter.low);
  find("#high-text").textContent = percent(desk.filter.high);
  filtersChanged();
}

function clearFilters() {
  desk.filter = { labels: [], low: 0, high: 1 };
  find("#low").value = "0";
  find("#high").value = "100";
  find("#low-text").textContent = percent(0);
  find("#high-text").textContent = percent(1);
  for (const node of find("#types").children) node.setAttribute("aria-pressed", "false");
  filtersChanged();
}

function filtersChanged() {
  const { labels, low, high } = desk.filter;
  const n = labels.length + (low > 0 || high < 1 ? 1 : 0);
  find("#filter-count").hidden = n === 0;
  find("#filter-count").textContent = String(n);
  if (desk.note) emit("filter");
  restart();
}
