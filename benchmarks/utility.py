"""What masking costs and what an attack tells, for the three styles: on made notes, and on MEDDOCAN.

    python benchmarks/utility.py [--notes 150] [--meddocan FOLDER] [--limit 100] [--out FOLDER]

The made notes are classified by their kind, which the maker wrote; MEDDOCAN has no label to learn.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deidlab.corpus import read_corpus, write_corpus

ROOT = Path(__file__).parents[1]


def measure(notes: Path, out: Path, more: Sequence[str]) -> None:
    """One report; of it the page of figures is kept."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        command = [sys.executable, "-m", "deidlab", "utility", str(notes), "--out", str(report)]
        subprocess.run([*command, "--unit", "patient", "--quiet", *more], check=True)
        out.mkdir(parents=True, exist_ok=True)
        for name in ("report.md", "report.json"):
            shutil.copy(report / name, out / name)
        if (report / "figures").is_dir():
            (out / "figures").mkdir(exist_ok=True)
            shutil.copy(report / "figures" / "risk-utility.svg", out / "figures")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=150, help="how many notes are made")
    parser.add_argument("--meddocan", type=Path, help="a folder of MEDDOCAN's notes")
    parser.add_argument("--limit", type=int, default=100, help="how many of its notes")
    parser.add_argument("--skip-made", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "utility")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not said.skip_made:
            notes = Path(folder, "made.jsonl")
            make = ["corpus", "make", str(notes), "--notes", str(said.notes), "--seed", "27", "--quiet"]
            subprocess.run([sys.executable, "-m", "deidlab", *make], check=True)
            measure(notes, said.out / "made", ("--task", "kind"))
        if said.meddocan:
            notes = Path(folder, "meddocan.jsonl")
            documents = sorted(read_corpus(said.meddocan), key=lambda each: each.id)[: said.limit]
            write_corpus(documents, notes, "jsonl")
            measure(notes, said.out / "meddocan", ("--language", "es", "--model", "es"))


if __name__ == "__main__":
    main()
