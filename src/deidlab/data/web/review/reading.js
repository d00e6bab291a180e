// The reading of a sample: leaks are marked in the masked note, and its original stands beside.
import { put } from "../api.js";
import { el, find, plural, say } from "../dom.js";
import { desk, inTurn, isOpen, on } from "./desk.js";

const isLeak = (mark) => mark.status === "accepted" || mark.status === "found";

/** Turns the review page into the page of a reading: once, before the first note is opened. */
export function setUpReading() {
  find("#side-title").textContent = "Sample";
  find("#found-with").textContent = "Read in this order: only notes without a gap before them count.";
  find("#original-title").textContent = "Masked: what is left?";
  find("#original-scroll").setAttribute("aria-label", "Masked note");
  find("#masked-title").textContent = "Original";
  find("#masked-scroll").setAttribute("aria-label", "Original note");
  find("#order").value = "corpus";
  for (const id of ["#filters", "#open-export"]) find(id).hidden = true;
  for (const id of ["#style", "#policy", "#order"]) find(id).closest("label").hidden = true;
  const reasons = Object.entries({ "": "not said", ...desk.corpus.reading });
  find("#reason").replaceChildren(...reasons.map(([value, text]) => el("option", { value }, text)));
  for (const id of ["#reason", "#remark"]) find(id).addEventListener("change", () => inTurn(keep));
  on("note", show);
}

function show(note) {
  const leaks = note.marks.filter(isLeak).length;
  const open = note.marks.filter((mark) => mark.status === "hint").length;
  const verdict = leaks ? plural(leaks, "leak") : "no leak";
  const left = open && !note.done ? ` · ${plural(open, "suspect")} to decide` : "";
  find("#note-state").textContent = `${note.done ? "read: " : ""}${verdict}${left}`;
  document.title = `${note.done ? "✓ " : ""}Reading · DeidLab`;
  const capital = verdict.charAt(0).toUpperCase() + verdict.slice(1);
  find("#done").firstChild.textContent = note.done ? "Open again " : `${capital}, next note `;
  find("#legend").textContent = note.marks.some(isOpen) ? "n goes to the next suspect" : "";
  find("#notice").hidden = !note.settling;
  find("#why").hidden = leaks === 0;
  if (document.activeElement !== find("#reason")) find("#reason").value = desk.beside.reason;
  if (document.activeElement !== find("#remark")) find("#remark").value = desk.beside.said;
}

async function keep() {
  const body = { reason: find("#reason").value, said: find("#remark").value };
  Object.assign(desk.beside, body);
  await put(`/review/api/reading/${desk.note.number}`, { ...body, settle: desk.settle });
  say("Kept.");
}

export function askWhy() {
  if (!find("#why").hidden) find("#reason").focus();
  else say("No leak is marked.");
}
