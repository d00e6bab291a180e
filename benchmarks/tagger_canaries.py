"""What a model inside remembers of notes that it is trained further on: canaries, and whole notes.

    PYTHONPATH=src python benchmarks/tagger_canaries.py [--notes 120] [--canaries 24] [--epochs 5] [--out F]

The notes are made, three in ten of them held out; the settings are those of docs/training.md for further
training, with windows for a CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_DEIDLAB = (sys.executable, "-m", "deidlab")


def train(notes: Path, run: Path, canaries: int, epochs: int) -> None:
    more = ("--validation-share", "0.3", "--epochs", str(epochs), "--canaries", str(canaries))
    windows = ("--window", "256", "--stride", "192", "--learning-rate", "1e-4", "--set", "shapes=true")
    where = ("--model", "en", "--out", str(run), "--device", "cpu")
    subprocess.run([*_DEIDLAB, "train", str(notes), *where, *more, *windows], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=120)
    parser.add_argument("--canaries", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "tagger_canaries.json")
    said = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        notes, run = Path(folder, "made.jsonl"), Path(folder, "run")
        make = ("corpus", "make", str(notes), "--notes", str(said.notes), "--seed", "61", "--quiet")
        subprocess.run([*_DEIDLAB, *make], check=True)
        train(notes, run, said.canaries, said.epochs)
        record = json.loads((run / "record.json").read_text("utf-8"))
    found = {key: record[key] for key in ("canaries", "membership", "settings", "environment")}
    found |= {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": len(os.sched_getaffinity(0)),
        "seconds": round(time.perf_counter() - began),
        "f1": {part: record[part]["f1"] for part in ("train", "validation")},
    }
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
