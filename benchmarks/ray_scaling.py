"""Notes a second of `deidlab mask` with 1, 2 … N workers, on Ray and as local processes, in one run.

Invented notes of some 900 characters, four a patient, as JSON lines; each cell is a command of its own, as
from a shell, and every output is compared byte for byte with the first. Time is that of the run from its own
record (both passes and writing, the start of workers included) and, beside it, by the clock from start to
end, which holds the start of Python and of Ray. Efficiency is speed over workers times the speed of one. The
order of the cells changes from round to round; the median is told.

    python benchmarks/ray_scaling.py [--notes 6000] [--workers 1 2] [--ways rules model] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from mask import make_note, row

WAYS = {"rules": ("--rules", "only"), "model": ("--model", "en")}


@dataclass(frozen=True)
class Cell:
    """One command: way, engine and workers; seconds of the run, by the clock, and the machine's load."""

    way: str
    engine: str
    workers: int
    seconds: float
    clock: float
    load: float


def measure(folder: Path, source: Path, way: str, engine: str, workers: int, expected: list[bytes]) -> Cell:
    out = folder / f"{way}-{engine}-{workers}.jsonl"
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), *WAYS[way], "--style",
               "surrogate", "--key-file", str(folder / "key"), "--workers", str(workers), "--engine", engine,
               "--overwrite", "-q"]  # fmt: skip
    started = time.perf_counter()
    subprocess.run(command, check=True)
    clock = time.perf_counter() - started
    data = out.read_bytes()
    if not expected:
        expected.append(data)
    assert data == expected[0], "the output depends on who made it"
    record = json.loads((folder / f"{out.name}.deidlab" / "record.json").read_text())
    return Cell(way, engine, workers, record["seconds"], clock, load)


def describe(cells: list[Cell], n_notes: int, n_rounds: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    versions = f"Ray {version('ray')}, OpenVINO {version('openvino')}"
    said = (
        f"`python benchmarks/ray_scaling.py`, {datetime.date.today()}, {machine}, {versions}; {n_notes:,} "
        f"notes of {len(make_note(0)['text']):,} characters, median of {n_rounds}; all outputs are the same, "
        "byte for byte."
    )
    head = (
        "found by",
        "engine",
        "workers",
        "seconds",
        "notes/s",
        "efficiency",
        "by the clock, s",
        "load before",
    )
    lines = [
        "# Ray and local workers: speed and efficiency",
        "",
        said,
        "",
        row(head),
        row(("---", "---", *["---:"] * 6)),
    ]
    keys = sorted({(c.way, c.engine, c.workers) for c in cells}, key=lambda key: (key[0] != "rules", key))
    for way, engine, workers in keys:
        own = [c for c in cells if (c.way, c.engine, c.workers) == (way, engine, workers)]
        ones = [c.seconds for c in cells if (c.way, c.engine) == (way, engine) and c.workers == 1]
        seconds = statistics.median(c.seconds for c in own)
        efficiency = f"{statistics.median(ones) / seconds / workers:.0%}" if ones else "–"
        clock, load = statistics.median(c.clock for c in own), statistics.median(c.load for c in own)
        figures = (f"{seconds:.1f}", f"{n_notes / seconds:,.0f}", efficiency, f"{clock:.1f}", f"{load:.1f}")
        lines.append(row((way, engine, str(workers), *figures)))
    return "\n".join(lines) + "\n"


def version(name: str) -> str:
    from importlib.metadata import version as installed

    return installed(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, default=6000)
    parser.add_argument("--workers", type=int, nargs="+", default=list(range(1, (os.cpu_count() or 1) + 1)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", nargs="+", default=["rules"], choices=list(WAYS))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    cells: list[Cell] = []
    chance = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
        (folder / "key").chmod(0o600)
        source = folder / "source.jsonl"
        with source.open("w") as file:
            file.writelines(json.dumps(make_note(number)) + "\n" for number in range(asked.notes))
        expected: dict[str, list[bytes]] = {way: [] for way in asked.ways}
        for _ in range(asked.rounds):
            plan = [(w, e, n) for w in asked.ways for e in ("local", "ray") for n in asked.workers]
            chance.shuffle(plan)
            for way, engine, workers in plan:
                cells.append(measure(folder, source, way, engine, workers, expected[way]))
                print(cells[-1], flush=True)
            if asked.out:
                asked.out.write_text(describe(cells, asked.notes, asked.rounds))
                asked.out.with_suffix(".json").write_text(
                    json.dumps([asdict(c) for c in cells], indent=1) + "\n"
                )
    print(describe(cells, asked.notes, asked.rounds))


if __name__ == "__main__":
    main()
