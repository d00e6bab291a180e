"""How near `deidlab mask --plan` comes: planned with 2,000 notes, then 20,000 masked, by rules and a model.

For each way of finding PHI the plan is made first, of the larger corpus and with a sample of a tenth of it;
then the corpus is masked as from a shell, by the clock from start to end. Beside the time, the processor's
seconds, the memory of the main process and of the largest worker, and the disk are compared with the plan.

    python benchmarks/plan_check.py [--notes 20000] [--sample 2000] [--ways rules model] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mask import children, children_cpu, make_note, row, rss

WAYS = {"rules": ("--rules", "only"), "model": ("--model", "en")}
WITHIN = 0.20


@dataclass(frozen=True)
class Checked:
    """Planned and measured of one way."""

    way: str
    n_notes: int
    n_sample: int
    planned: dict[str, float]
    measured: dict[str, float]
    others_planned: float
    others_measured: float

    def off(self, what: str) -> float:
        return self.planned[what] / self.measured[what] - 1


def plan(source: Path, options: list[str], sample: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "mask",
        str(source),
        "--plan",
        "--sample",
        str(sample),
        "--json",
    ]
    done = subprocess.run([*command, *options], check=True, capture_output=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def planned_figures(answer: dict[str, Any]) -> dict[str, float]:
    found = answer["forecasts"][0]
    stages = answer["measured"]["stages"].values()
    return {
        "seconds": found["total_seconds"],
        "CPU seconds": found["n_notes"] * sum(stage["worker"] + stage["driver"] for stage in stages),
        "main MiB": found["driver_bytes"] / 2**20,
        "worker MiB": found["worker_bytes"] / 2**20,
        "unfinished run MB": (found["disk_bytes"]["state"] + found["disk_bytes"]["parts"]) / 1e6,
        "output and record MB": (found["disk_bytes"]["output"] + found["disk_bytes"]["record"]) / 1e6,
    }


def size_of(path: Path) -> int:
    if not path.is_dir():
        return path.stat().st_size if path.exists() else 0
    total = 0
    for each in path.rglob("*"):
        try:
            total += each.stat().st_size if each.is_file() else 0
        except OSError:  # gone meanwhile
            continue
    return total


def run(source: Path, out: Path, options: list[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), "-q", *options]
    folder = out.parent / f".{out.name}.deidlab-run"
    started, used = time.perf_counter(), children_cpu()
    process = subprocess.Popen(command)
    main = worker = disk = looks = 0
    while process.poll() is None:
        main = max(main, rss(process.pid))
        worker = max([worker, *map(rss, children(process.pid))])
        if looks % 4 == 0:
            disk = max(disk, size_of(folder / "state.sqlite") + size_of(folder / "parts"))
        looks += 1
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    assert process.returncode == 0
    return {
        "seconds": seconds,
        "CPU seconds": children_cpu() - used,
        "main MiB": main / 2**20,
        "worker MiB": worker / 2**20,
        "unfinished run MB": disk / 1e6,
        "output and record MB": (size_of(out) + size_of(out.with_name(f"{out.name}.deidlab"))) / 1e6,
    }


def busy_seconds() -> float:
    """Processor seconds of the whole machine so far, of everybody."""
    cells = [int(cell) for cell in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    idle = cells[3] + cells[4]
    return (sum(cells[:8]) - idle) / os.sysconf("SC_CLK_TCK")


class Others:
    """What others took of the processor, as a share of all cores, since this was made."""

    def __init__(self) -> None:
        self.began = (time.perf_counter(), busy_seconds(), children_cpu())

    def share(self) -> float:
        clock, busy, ours = (
            now - then
            for now, then in zip(
                (time.perf_counter(), busy_seconds(), children_cpu()), self.began, strict=True
            )
        )
        return max(0.0, busy - ours) / (clock * (os.cpu_count() or 1))


def check(folder: Path, way: str, n_notes: int, sample: int, workers: int) -> Checked:
    source = folder / "notes.jsonl"
    options = [*WAYS[way], "--key-file", str(folder / "key"), "--workers", str(workers)]
    others = Others()
    planned = planned_figures(plan(source, options, sample))
    while_planning, others = others.share(), Others()
    measured = run(source, folder / f"{way}.jsonl", options)
    return Checked(way, n_notes, sample, planned, measured, while_planning, others.share())


def describe(checks: list[Checked], workers: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    sizes = "; ".join(
        f"{each.way}: planned with {each.n_sample:,} notes, then {each.n_notes:,} masked" for each in checks
    )
    said = (
        f"`python benchmarks/plan_check.py`, {datetime.date.today()}, {machine}, {workers} workers. Tags, "
        f"JSON lines of {len(make_note(0)['text']):,} characters a note, four a patient, with a key file. "
        f"{sizes[0].upper()}{sizes[1:]}."
    )
    head = ("", "what", "planned", "measured", "planned is off by")
    lines = ["# What `deidlab mask --plan` says, and what it then takes", "", said, ""]
    lines += [row(head), row(("---", "---", *["---:"] * 3))]
    for each in checks:
        for what in each.planned:
            figures = (f"{each.planned[what]:,.1f}", f"{each.measured[what]:,.1f}", f"{each.off(what):+.0%}")
            lines.append(row((each.way, what, *figures)))
    shares = ", ".join(f"{c.way}: {c.others_planned:.0%} and {c.others_measured:.0%}" for c in checks)
    lines += ["", f"Of the cores others had while it was planned, and while it ran: {shares}."]
    for each in checks:
        verdict = "within" if abs(each.off("seconds")) <= WITHIN else "NOT within"
        lines.append(
            f"\n{each.way}: {verdict} {WITHIN:.0%} of the measured time ({each.off('seconds'):+.1%})."
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    checks: list[Checked] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
        (folder / "key").chmod(0o600)
        with (folder / "notes.jsonl").open("w") as file:
            file.writelines(json.dumps(make_note(number)) + "\n" for number in range(asked.notes))
        for way in asked.ways:
            checks.append(check(folder, way, asked.notes, asked.sample, asked.workers))
            print(describe(checks[-1:], asked.workers), flush=True)
            if asked.out:
                asked.out.write_text(describe(checks, asked.workers))
                asked.out.with_suffix(".json").write_text(
                    json.dumps([asdict(c) for c in checks], indent=1) + "\n"
                )
    return 0 if all(abs(each.off("seconds")) <= WITHIN for each in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
