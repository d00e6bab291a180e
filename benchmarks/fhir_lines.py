"""Processor time of masking FHIR NDJSON beside the same text as plain JSONL notes, by turns in one run.

python benchmarks/fhir_lines.py [--notes 400] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from deidlab.cli.app import run

NOTES = Path(__file__).parents[1] / "tests" / "data" / "notes-en"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    texts = [path.read_text("utf-8") for path in sorted(NOTES.glob("*.txt"))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "a.ndjson").open("w") as records, (folder / "b.jsonl").open("w") as notes:
            for number in range(chosen.notes):
                text, patient = texts[number % len(texts)], f"p{number % 50}"
                records.write(json.dumps(_record(number, patient, text)) + "\n")
                notes.write(json.dumps({"id": f"n{number}", "patient": patient, "text": text}) + "\n")
        spent: dict[str, list[float]] = {"a.ndjson": [], "b.jsonl": []}
        for _ in range(chosen.rounds):
            for source, times in spent.items():
                times.append(_mask(folder / source, folder))
        fhir, plain = (statistics.median(times) for times in spent.values())
    print(f"FHIR {fhir:.2f} s, plain {plain:.2f} s, {plain / fhir:.2f} of the notes' throughput")


def _record(number: int, patient: str, text: str) -> dict[str, object]:
    return {
        "resourceType": "DiagnosticReport", "id": f"r{number}", "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": "11502-2"}]},
        "subject": {"reference": f"Patient/{patient}"}, "effectiveDateTime": "2064-03-13T08:15:00Z",
        "performer": [{"reference": "Practitioner/d1", "display": "Dr. Tom Harkness"}], "conclusion": text,
    }  # fmt: skip


def _mask(source: Path, folder: Path) -> float:
    before = os.times()
    out = folder / f"out{source.suffix}"
    if run(
        ["mask", str(source), "--out", str(out), "--rules", "only", "--workers", "1", "--overwrite", "-q"]
    ):
        raise SystemExit(1)
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


if __name__ == "__main__":
    main()
