// A note is masked as it is typed; the newest request wins.
import { get, post } from "./api.js";
import { el, find, percent, plural, recall, remember, say, setUpTheme, toast } from "./dom.js";
import { Offsets } from "./offsets.js";

const PAUSE = 160;
const EXAMPLE = `DISCHARGE SUMMARY
Patient: Okonjo, Tamsin    MRN: 448-21-907    DOB: 11/02/1988
Admitted: 03/09/2071       Discharged: 03/14/2071

Ms. Okonjo is an 82 y/o retired bus driver from Brenholm, WA 98402, brought in by her
daughter after a fall at home. Seen by Dr. Ilse Verhoeven at Larchmont Valley Clinic.
BP 120/80, strength 4/5 on the left. Foley removed. No sign of Parkinson disease.

Follow-up with Dr. Verhoeven on 3/28. Call (253) 555-0147 or write to
t.okonjo@mail.example with questions.

I. Verhoeven, MD   pager 41822
`;

let groups = new Map();
let under = null;
let timer = 0;
let patient = newPatient();

async function start() {
  setUpTheme(find("#theme"));
  const known = await get("/v1/models");
  fill("#model", known.models.map((model) => [model.name, model.description]), known.models.find((model) => model.default)?.name);
  fill("#style", known.styles.map((name) => [name, ""]), known.default_style);
  fill("#policy", known.policies.map((policy) => [policy.name, policy.description]), known.policies.find((policy) => policy.default)?.name);
  showCaution();
  groups = new Map(Object.entries(GROUPS).flatMap(([group, labels]) => labels.map((label) => [label, group])));
  for (const id of ["#model", "#style", "#policy"]) {
    find(id).addEventListener("change", () => {
      remember(`play-${id.slice(1)}`, find(id).value);
      showCaution();
      mask();
    });
  }
  find("#note").addEventListener("input", soon);
  find("#note").addEventListener("paste", () => (patient = newPatient()));
  find("#example").addEventListener("click", () => put(EXAMPLE));
  find("#clear").addEventListener("click", () => put(""));
  find("#choose").addEventListener("click", () => find("#file").click());
  find("#file").addEventListener("change", () => read(find("#file").files[0]));
  find("#copy").addEventListener("click", copy);
  setUpDrop(find("#note").closest(".pane"));
  document.body.dataset.ready = "true";
}

const GROUPS = {
  NAME: ["PATIENT", "DOCTOR", "USERNAME"],
  PROFESSION: ["PROFESSION"],
  LOCATION: ["HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "ZIP", "ROOM", "DEPARTMENT", "LOCATION-OTHER"],
  AGE: ["AGE"],
  DATE: ["DATE"],
  CONTACT: ["PHONE", "FAX", "EMAIL", "URL", "IPADDR"],
  ID: ["SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM"],
};

function fill(id, rows, standard) {
  const wanted = recall(`play-${id.slice(1)}`, standard);
  const chosen = rows.some(([name]) => name === wanted) ? wanted : standard;
  find(id).replaceChildren(...rows.map(([name, title]) => el("option", { value: name, title, selected: name === chosen }, name)));
}

function showCaution() {
  find("#rules-only").hidden = find("#model").value !== "rules";
}

// Notes of one patient share surrogates and the date shift: they stay while a note is typed, and go with it.
function newPatient() {
  return `playground-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
}

function put(text) {
  patient = newPatient();
  find("#note").value = text;
  find("#note").focus();
  find("#note").setSelectionRange(0, 0);
  find("#note").scrollTop = 0;
  mask();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(mask, PAUSE);
}

async function mask() {
  clearTimeout(timer);
  under?.abort();
  under = new AbortController();
  const text = find("#note").value.toWellFormed?.() ?? find("#note").value;
  if (!text.trim()) {
    patient = newPatient();
    show({ text: "", replacements: [] }, 0);
    return;
  }
  const began = performance.now();
  const body = { text, patient, model: find("#model").value, style: find("#style").value, policy: find("#policy").value };
  try {
    const answer = await post("/v1/mask", body, { signal: under.signal });
    show(answer, performance.now() - began);
  } catch (error) {
    if (error.name === "AbortError") return;
    show({ text: "", replacements: [] }, 0);
    toast(error.message, true);
  }
}

function show(answer, milliseconds) {
  const offsets = new Offsets(answer.text);
  const parts = [];
  let done = 0;
  for (const one of answer.replacements) {
    const start = offsets.toUnits(one.masked_start);
    const end = offsets.toUnits(one.masked_end);
    const title = `${one.label}${one.score === undefined ? "" : `, ${percent(one.score)} certain`}`;
    parts.push(answer.text.slice(done, start));
    parts.push(el("span", { className: "mark", title, data: { group: groups.get(one.label) ?? "OTHER" } }, answer.text.slice(start, end)));
    done = end;
  }
  parts.push(answer.text.slice(done));
  find("#masked").replaceChildren(...parts);
  find("#copy").disabled = !answer.text;
  find("#timing").textContent = milliseconds ? `${Math.round(milliseconds)} ms` : "";
  showFound(answer.replacements, Boolean(answer.text));
}

function showFound(replacements, asked) {
  const counts = new Map();
  for (const { label } of replacements) counts.set(label, (counts.get(label) ?? 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  find("#found").replaceChildren(
    ...rows.map(([label, n]) => el("li", { className: "chip", data: { group: groups.get(label) ?? "OTHER" } }, `${label} ${n}`)),
  );
  find("#found-none").hidden = rows.length > 0;
  find("#found-none").textContent = asked ? "Nothing was found." : "Nothing yet.";
  if (asked) say(`${plural(replacements.length, "replacement")}.`);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(find("#masked").textContent);
    toast("Copied.");
  } catch {
    toast("This browser does not let pages copy: select the text instead.", true);
  }
}

async function read(file) {
  if (!file) return;
  if (file.size > 4_000_000) {
    toast("That file is too large for the playground: use `deidlab mask`.", true);
    return;
  }
  put(await file.text());
}

function setUpDrop(pane) {
  pane.addEventListener("dragover", (event) => {
    event.preventDefault();
    pane.classList.add("dropping");
  });
  pane.addEventListener("dragleave", () => pane.classList.remove("dropping"));
  pane.addEventListener("drop", (event) => {
    event.preventDefault();
    pane.classList.remove("dropping");
    const file = event.dataTransfer.files[0];
    if (file) read(file);
    else put(event.dataTransfer.getData("text/plain"));
  });
}

start().catch((error) => toast(error.message, true));
