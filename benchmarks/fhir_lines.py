"""What FHIR costs: NDJSON of resources masked beside the same texts as plain JSON lines.

The commands run by turns in one process, by rules and with the embedded model. What counts is processor time
(all threads), since the machine may have other work, for each character of the notes; a resource has five
fields to be masked beside its note, whose characters do not count.

    python benchmarks/fhir_lines.py [--notes 1200] [--model-notes 200] [--rounds 5] \\
        [--out benchmarks/results/fhir_lines.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import tempfile
from functools import partial
from pathlib import Path

import deidlab
from by_turns import measure
from deidlab.cli.app import run

NOTES = Path(__file__).parents[1] / "tests" / "data" / "notes-en"
LEAST = 0.75
"""Of the throughput of plain lines, what FHIR must keep."""
_WAYS = {"rules alone": ("--rules", "only"), "`--model en`": ("--model", "en")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1200)
    parser.add_argument("--model-notes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    texts = [document.text for document in deidlab.read_corpus(NOTES, "inline")]
    rows = []
    for (way, options), n in zip(_WAYS.items(), (chosen.notes, chosen.model_notes), strict=True):
        with tempfile.TemporaryDirectory() as folder:
            n_characters = _write(texts, n, Path(folder))
            sources = {name: Path(folder) / name for name in ("a.ndjson", "b.jsonl")}
            commands = {name: partial(_mask, path, options) for name, path in sources.items()}
            fhir, plain = measure(commands, chosen.rounds, _processor_time).values()
        rows.append(_row(way, n, n_characters, fhir, plain))
    table = "\n".join((_said(chosen.rounds), "", *_HEAD, *rows))
    print(table)
    if chosen.out is not None:
        chosen.out.write_text(f"# Masking FHIR beside plain lines\n\n{table}\n", "utf-8")


_COLUMNS = (
    "found", "notes", "characters of notes", "FHIR, CPU s", "plain lines, CPU s", "FHIR, characters/s",
    "plain lines, characters/s", "FHIR to plain lines", "least and most of the rounds",
)  # fmt: skip
_HEAD = (f"| {' | '.join(_COLUMNS)} |", f"| --- |{' ---: |' * (len(_COLUMNS) - 1)}")


def _row(way: str, n: int, n_characters: int, fhir: list[float], plain: list[float]) -> str:
    ratios = sorted(other / own for own, other in zip(fhir, plain, strict=True))
    spent = (statistics.median(fhir), statistics.median(plain))
    cells = (
        way, f"{n:,}", f"{n_characters:,}", *(f"{each:.2f}" for each in spent),
        *(f"{n_characters / each:,.0f}" for each in spent), f"{statistics.median(ratios):.2f}",
        f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _said(rounds: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return (
        f"`python benchmarks/fhir_lines.py`, {datetime.date.today()}, {machine}, one worker, style tag, "
        f"policy i2b2, a key of each run's own; medians of {rounds} rounds by turns, after one that is not "
        f"counted. FHIR must keep {LEAST} of the throughput of plain lines. Start and end of a command are "
        "in the time, and so are the five fields of a resource that are masked beside its note; only the "
        "characters of notes are counted."
    )


def _write(texts: list[str], n: int, folder: Path) -> int:
    """The notes both ways, and how many characters they have."""
    total = 0
    with (folder / "a.ndjson").open("w") as records, (folder / "b.jsonl").open("w") as notes:
        for number in range(n):
            text, patient = texts[number % len(texts)], f"p{number % 50}"
            records.write(json.dumps(_record(number, patient, text)) + "\n")
            notes.write(json.dumps({"id": f"n{number}", "patient": patient, "text": text}) + "\n")
            total += len(text)
    return total


def _record(number: int, patient: str, text: str) -> dict[str, object]:
    return {
        "resourceType": "DiagnosticReport", "id": f"r{number}", "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": "11502-2"}]},
        "subject": {"reference": f"Patient/{patient}"}, "effectiveDateTime": "2064-03-13T08:15:00Z",
        "performer": [{"reference": "Practitioner/d1", "display": "Dr. Tom Harkness"}], "conclusion": text,
    }  # fmt: skip


def _mask(source: Path, options: tuple[str, ...]) -> None:
    out = source.with_name(f"out{source.suffix}")
    if run(["mask", str(source), "--out", str(out), *options, "--workers", "1", "--overwrite", "-q"]):
        raise SystemExit(1)


def _processor_time() -> float:
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
