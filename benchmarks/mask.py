"""Notes a second and peak memory of `deidlab mask` at 1,000, 10,000 and 100,000 notes.

Time should grow in line with the notes, and memory not at all. Invented notes of some 900 characters with a
dozen identifiers each, four notes a patient, are written as JSON lines and masked with the rules alone, in
processes of their own, as from a shell. Memory is the resident set, looked at every 50 ms: the highest of the
main process, and of the largest worker.

    python benchmarks/mask.py [--notes 1000 10000] [--styles tag surrogate] [--workers 2] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FIRST = [
    "Tamsin",
    "Walter",
    "Lenore",
    "Iker",
    "Mona",
    "Corinne",
    "Desmond",
    "Priya",
    "Olaf",
    "Yuki",
    "Rosa",
    "Emeka",
]
LAST = [
    "Okonjo",
    "Ostrander",
    "Vasquez",
    "Montoro",
    "Hargreaves",
    "Abernethy",
    "Pelling",
    "Raman",
    "Lindqvist",
    "Sato",
]
PLAIN = (
    "BP 120/80, pulse 72, afebrile. Strength 4/5 on the left, Foley removed, no sign of Parkinson disease. "
    "Furosemide 40 mg twice a day, metolazone added on hospital day 2, net negative 2.4 L. Creatinine 1.7. "
    "Glasgow 15, alert, oriented to place. Chest clear, abdomen soft, wound dry. Plan: diet, physiotherapy. "
)


def make_note(number: int) -> dict[str, str]:
    patient = number // 4
    chance = random.Random(patient)
    first, last, doctor = chance.choice(FIRST), chance.choice(LAST), chance.choice(LAST)
    mrn, phone = chance.randrange(10**6, 10**7), chance.randrange(1000, 9999)
    day = datetime.date(2068, 1, 1) + datetime.timedelta(days=chance.randrange(700) + 9 * (number % 4))
    text = (
        f"Record date: {day.isoformat()}\n\nPatient: {last}, {first}   MRN: {mrn}   "
        f"DOB: {day.month}/{day.day}/1988\n\n"
        f"Mr. {last} is an {60 + patient % 35}-year-old from Brenholm, WA 98402, seen by Dr. {doctor} on "
        f"{day.month}/{day.day}. {PLAIN}Call (253) 555-{phone} with results, or write to "
        f"{last.lower()}@example.org. {PLAIN}Next visit "
        f"{(day + datetime.timedelta(days=21)).strftime('%B %d, %Y')}.\n\nDr. {doctor}, MD\n"
    )
    return {"id": f"n{number:07}", "patient": f"p{patient:06}", "text": text}


@dataclass(frozen=True)
class Measured:
    style: str
    n_notes: int
    seconds: float
    cpu_seconds: float
    main_mib: float
    worker_mib: float
    load: float

    @property
    def speed(self) -> float:
        return self.n_notes / self.seconds


def rss(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def children_cpu() -> float:
    """Seconds of processor that finished processes took: unlike the clock, the same on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(folder: Path, source: Path, n_notes: int, style: str, workers: int) -> Measured:
    out = folder / f"{style}-{n_notes}.jsonl"
    key = folder / "key"
    options = ["--rules", "only", "--style", style, "--key-file", str(key), "--workers", str(workers), "-q"]
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), *options]
    started, used = time.perf_counter(), children_cpu()
    process = subprocess.Popen(command)
    main = worker = 0
    while process.poll() is None:
        main = max(main, rss(process.pid))
        worker = max([worker, *map(rss, children(process.pid))])
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    with out.open() as lines:
        assert process.returncode == 0 and sum(1 for _ in lines) == n_notes, "notes are missing"
    out.unlink()
    cpu = children_cpu() - used
    return Measured(style, n_notes, seconds, cpu, main / 2**20, worker / 2**20, os.getloadavg()[0])


def describe(rows: list[Measured], workers: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    size = len(make_note(0)["text"])
    said = (
        f"`python benchmarks/mask.py`, {datetime.date.today()}, {machine}, {workers} workers, rules only, "
        f"JSON lines of {size:,} characters a note, four notes a patient, with a key file."
    )
    head = (
        "style",
        "notes",
        "seconds",
        "notes/s",
        "CPU ms a note",
        "main process, MiB",
        "largest worker, MiB",
        "load of the machine",
    )
    lines = ["# Masking: speed and memory", "", said, "", row(head), row(("---", *["---:"] * 7))]
    for each in rows:
        cpu = 1000 * each.cpu_seconds / each.n_notes
        memory = (f"{each.main_mib:.0f}", f"{each.worker_mib:.0f}")
        figures = (f"{each.seconds:.1f}", f"{each.speed:,.0f}", f"{cpu:.2f}", *memory)
        lines.append(row((each.style, f"{each.n_notes:,}", *figures, f"{each.load:.1f}")))
    return "\n".join(lines) + "\n"


def row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write(rows: list[Measured], workers: int, path: Path) -> None:
    """After every row, so that a run which is cut short has what it measured."""
    path.write_text(describe(rows, workers))
    as_json = [{**row.__dict__, "notes_per_second": row.speed} for row in rows]
    path.with_suffix(".json").write_text(json.dumps(as_json, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--styles", nargs="+", default=["tag", "surrogate"])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
        (folder / "key").chmod(0o600)
        for n_notes in asked.notes:
            source = folder / f"source-{n_notes}.jsonl"
            with source.open("w") as file:
                file.writelines(json.dumps(make_note(number)) + "\n" for number in range(n_notes))
            for style in asked.styles:
                rows.append(measure(folder, source, n_notes, style, asked.workers))
                print(describe(rows, asked.workers).splitlines()[-1], flush=True)
                if asked.out:
                    write(rows, asked.workers, asked.out)
            source.unlink()


if __name__ == "__main__":
    main()
