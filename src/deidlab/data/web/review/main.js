// The review page, put together.
import { get } from "../api.js";
import { el, find, percent, plural, recall, remember, setUpTheme } from "../dom.js";
import * as actions from "./actions.js";
import { setUpChanges } from "./changes.js";
import { desk, inTurn, isOpen, on, openNote, refresh, report } from "./desk.js";
import { setUpDock } from "./dock.js";
import { setUpDrawing } from "./draw.js";
import { setUpKeys } from "./keys.js";
import { refresh as refreshList, setUpList } from "./list.js";
import { setUpReading } from "./reading.js";
import { setUpPalette } from "./palette.js";
import { renderMasked, setUpText } from "./render.js";

async function start() {
  setUpTheme(find("#theme"));
  desk.corpus = await get("/review/api/corpus");
  desk.groups = new Map(desk.corpus.labels.map((label) => [label.name, label.group]));
  find("#reviewer").textContent = desk.corpus.reviewer;
  const by = desk.corpus.found_with;
  find("#found-with").textContent = by === "rules" ? "First marks by rules alone, without a model" : `First marks by ${by}`;
  find("#log-out").hidden = !desk.corpus.logged_in;
  fillChoices("#style", desk.corpus.styles, desk.corpus.style);
  fillChoices("#policy", desk.corpus.policies, desk.corpus.policy);
  showMasked(recall("masked", "on") === "on");
  setUpText();
  setUpDrawing();
  setUpPalette();
  setUpDock();
  setUpList();
  setUpKeys();
  setUpChanges();
  setUpExport();
  on("note", showHead);
  if (desk.corpus.reading) setUpReading();
  find("#toggle-masked").addEventListener("click", () => showMasked(find("#masked-pane").hidden));
  find("#undo").addEventListener("click", () => inTurn(actions.undo));
  find("#done").addEventListener("click", () => inTurn(actions.finish));
  addEventListener("hashchange", () => inTurn(openFromHash));
  addEventListener("focus", () => inTurn(refresh));
  await openFirst();
}

const fillChoices = (id, names, chosen) =>
  find(id).replaceChildren(...names.map((name) => el("option", { value: name, selected: name === chosen }, name)));

async function openFirst() {
  const answer = await refreshList();
  if (!(await openFromHash()) && answer.notes.length) {
    history.replaceState(null, "", `#${answer.notes[0].number}`);
    await openNote(answer.notes[0].number);
  }
  document.body.dataset.ready = "true";
}

async function openFromHash() {
  const parts = location.hash.slice(1).split("&");
  const number = Number(parts[0]);
  if (!Number.isInteger(number) || number < 1) return false;
  const settle = parts.includes("settle");
  if (desk.note?.number === number && desk.settle === settle) return true;
  const inList = document.activeElement?.closest("#list");
  await openNote(number, { settle, focus: !inList && document.activeElement !== document.body });
  return true;
}

function showHead(note) {
  find("#note-title").textContent = note.id;
  document.title = `${note.done ? "✓ " : ""}Review · DeidLab`;
  const open = note.marks.filter(isOpen).length;
  const by = note.changed_by ? ` · last change by ${note.changed_by}` : "";
  const state = note.done ? "done" : open ? `${plural(open, "span")} to decide` : "all decided";
  find("#note-state").textContent = `${state}${note.patient === note.id ? "" : ` · patient ${note.patient}`}${by}`;
  const done = find("#done");
  done.firstChild.textContent = note.done ? "Open again " : "Done, next note ";
  const notice = find("#notice");
  notice.hidden = !note.twice;
  notice.textContent = note.settling
    ? "You are settling two reviews of this note: what both marked alike is accepted, the rest is yours to decide."
    : "Two people review this note apart from each other: nobody sees what the other marks.";
  const least = Math.min(1, ...note.marks.filter(isOpen).map((mark) => mark.score ?? 1));
  find("#legend").textContent = open ? `least certain ${percent(least)}` : "";
}

function showMasked(wanted) {
  find("#masked-pane").hidden = !wanted;
  find("#panes").classList.toggle("single", !wanted);
  find("#toggle-masked").setAttribute("aria-pressed", String(wanted));
  remember("masked", wanted ? "on" : "off");
  if (wanted) renderMasked();
}

function setUpExport() {
  const update = () => {
    const none = find("#export-part").value === "done" && desk.corpus.counts.done === 0;
    find("#export-none").hidden = !none;
    find("#export-links").hidden = none;
    for (const format of ["i2b2", "brat", "jsonl"]) {
      find(`#export-${format}`).href = `/review/api/export?format=${format}&part=${find("#export-part").value}`;
    }
  };
  find("#export-part").addEventListener("change", update);
  find("#open-export").addEventListener("click", async () => {
    desk.corpus.counts = (await get("/review/api/corpus")).counts;
    update();
    find("#export").showModal();
  });
  find("#export-close").addEventListener("click", () => find("#export").close());
  update();
}

start().catch(report);
