"""What masking costs and what an attack tells, for the three styles: on made notes, and on MEDDOCAN.

    python benchmarks/utility.py [--notes 600] [--meddocan FOLDER ...] [--out FOLDER]

The made notes are classified by their kind, which the maker wrote, and MEDDOCAN's case reports by the
journal that printed them, whose ISSN begins their ids: journals keep to one specialty. `run.json` has the
day, the cores and the time that it took.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deidlab.corpus import read_corpus, write_corpus
from deidlab.types import Document

ROOT = Path(__file__).parents[1]
_ISSN = slice(1, 10)


def measure(notes: Path, out: Path, more: Sequence[str]) -> None:
    """One report; of it the page of figures is kept."""
    began, spent = time.perf_counter(), processor_seconds()
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
    run = {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": len(os.sched_getaffinity(0)),
        "python": sys.version.split()[0],
        "seconds": round(time.perf_counter() - began),
        "processor_seconds": round(processor_seconds() - spent),
    }
    (out / "run.json").write_text(json.dumps(run, indent=1) + "\n", "utf-8")


def processor_seconds() -> float:
    """What the commands so far took of all cores together."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_reports(folders: Sequence[Path]) -> list[Document]:
    """MEDDOCAN's case reports, each with its journal."""
    documents = [each for folder in folders for each in read_corpus(folder)]
    return [replace(each, meta={**each.meta, "journal": each.id[_ISSN]}) for each in documents]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=600, help="how many notes are made")
    parser.add_argument("--meddocan", type=Path, nargs="+", help="folders of MEDDOCAN's notes")
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
            write_corpus(read_reports(said.meddocan), notes, "jsonl")
            measure(notes, said.out / "meddocan", ("--language", "es", "--model", "es", "--task", "journal"))


if __name__ == "__main__":
    main()
