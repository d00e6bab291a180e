"""Time and memory of `deidlab tables mask` over an invented OMOP database, and all that must hold after it.

The database of `omop.py` is built in PostgreSQL (a server started for this), or as files, masked with the
rules alone, or with a model as well, from a process of its own, and checked by `omop_checks.py`: keys,
joins, intervals, words, findings. With `--kills` it is masked once more, killed at so many moments drawn by
chance, and compared row by row.

    python benchmarks/tables.py [--persons 20000] [--notes 200000] [--kind postgresql|csv|parquet]
                                [--model all] [--kills 50] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.postgres import PASSWORD, Server, running_server

from mask import children, children_cpu, row, rss
from omop import DDL, build_folder, build_postgresql
from omop_checks import complaints

HEAD = ("from and to", "found by", "persons", "notes", "rows", "seconds", "CPU seconds", "rows a CPU second",
        "main process, MiB", "largest worker, MiB", "load", "complaints")  # fmt: skip


def command(folder: Path, out: str, asked: argparse.Namespace) -> list[str]:
    words = [sys.executable, "-m", "deidlab", "tables", "mask", str(folder / "plan.toml"), "--out", out, "-q"]
    finding = ["--model", asked.model] if asked.model else ["--rules", "only"]
    return [*words, *finding, "--key-file", str(folder / "key"), "--workers", str(asked.workers)]


def start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, cwd=folder, env={**os.environ, "PGPASSWORD": PASSWORD})


def measure(words: list[str], folder: Path) -> dict[str, float]:
    load, began, used = os.getloadavg()[0], time.perf_counter(), children_cpu()
    process = start(words, folder)
    main = worker = 0
    while process.poll() is None:
        main = max(main, rss(process.pid))
        worker = max([worker, *map(rss, children(process.pid))])
        time.sleep(0.1)
    assert process.returncode == 0, process.returncode
    spent = {"seconds": time.perf_counter() - began, "cpu": children_cpu() - used, "load": load}
    return {**spent, "main": main / 2**20, "worker": worker / 2**20}


def is_done(folder: Path) -> bool:
    """Whether a run that was killed at its very end had done all: its record is there and its folder gone."""
    return any(folder.glob("*killed.deidlab")) and not any(folder.glob(".*killed.deidlab-run"))


def kill_often(words: list[str], folder: Path, kills: int, seconds: float) -> int:
    """How often the run was killed before it was done; what is left of it is then run to its end."""
    draw, killed = random.Random(kills), 0
    for _ in range(kills):
        process = start(words, folder)
        try:
            # Short enough that it is not done before all kills: each start takes some of the time.
            process.wait(draw.uniform(0.5, max(4.0, 2 * seconds / kills)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        if process.wait() == 0 or is_done(folder):
            return killed
    assert start(words, folder).wait() == 0
    return killed


def rows_of(where: Server | Path, schema: str) -> dict[str, list[tuple[Any, ...]]]:
    if isinstance(where, Server):
        with where.connect() as connection:
            return {name: connection.execute(f"SELECT * FROM {schema}.{name}").fetchall() for name in DDL}
    if (where / schema / "note.csv").exists():
        return {name: _csv(where / schema / f"{name}.csv") for name in DDL}
    import pyarrow.parquet as pq

    tables = {name: pq.read_table(where / schema / f"{name}.parquet") for name in DDL}
    return {n: list(zip(*(c.to_pylist() for c in table.columns), strict=True)) for n, table in tables.items()}


def _csv(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="") as file:
        return [tuple(cells) for cells in csv.reader(file)][1:]


def build(asked: argparse.Namespace, folder: Path, stack: ExitStack) -> tuple[Server | Path, str, str]:
    """Where the database is, as what `plan` reads it, and its schema."""
    if asked.kind != "postgresql":
        build_folder(folder / "omop", asked.persons, asked.notes, asked.kind)
        return folder, str(folder / "omop"), "omop"
    server = stack.enter_context(running_server(safe=True))
    server.fresh_database()
    with server.connect() as connection:
        build_postgresql(connection, asked.persons, asked.notes)
    return server, server.url(), "public"


def figures(asked: argparse.Namespace, n_rows: int, spent: dict[str, float], n_wrong: int) -> tuple[str, ...]:
    """The cells under HEAD."""
    return (
        asked.kind,
        f"rules, `{asked.model}`" if asked.model else "rules",
        f"{asked.persons:,}",
        f"{asked.notes:,}",
        f"{n_rows:,}",
        f"{spent['seconds']:.0f}",
        f"{spent['cpu']:.0f}",
        f"{n_rows / spent['cpu']:,.0f}",
        f"{spent['main']:.0f}",
        f"{spent['worker']:.0f}",
        f"{spent['load']:.1f}",
        str(n_wrong),
    )


def write_page(out: Path, cells: tuple[str, ...], said: str) -> None:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    about = f"`python benchmarks/tables.py`, {datetime.date.today()}, {machine}."
    lines = ["# Whole schemas", "", about, "", row(HEAD), row(("---", "---", *["---:"] * 10)), row(cells)]
    out.write_text("\n".join([*lines, "", said]).rstrip() + "\n")


def asked_for() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--persons", type=int, default=20_000)
    parser.add_argument("--notes", type=int, default=200_000)
    parser.add_argument("--kind", choices=("postgresql", "csv", "parquet"), default="postgresql")
    parser.add_argument("--model", default="", help="a model that finds beside the rules; none: rules alone")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def main() -> None:
    asked = asked_for()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
        (folder / "key").chmod(0o600)
        where, source, schema = build(asked, folder, stack)
        targets = ["shared", "killed"]
        if isinstance(where, Server):
            targets = [f"{where.url()}&schema={name}" for name in targets]
        planned = [sys.executable, "-m", "deidlab", "tables", "plan", source, "-o", str(folder / "plan.toml")]
        assert start([*planned, "-q"], folder).wait() == 0
        print("built and planned", flush=True)
        spent = measure(command(folder, targets[0], asked), folder)
        before, after = rows_of(where, schema), rows_of(where, "shared")
        wrong, n_rows = complaints(before, after), sum(map(len, before.values()))
        cells = figures(asked, n_rows, spent, len(wrong))
        print(row(HEAD), row(cells), *wrong, sep="\n", flush=True)
        said = ""
        if asked.kills:
            killed = kill_often(command(folder, targets[1], asked), folder, asked.kills, spent["seconds"])
            became = "the same, row by row" if rows_of(where, "killed") == after else "NOT the same"
            said = f"Killed {killed} times and gone on, the output is {became}."
            print(said, flush=True)
        if asked.out:
            write_page(asked.out, cells, said)


if __name__ == "__main__":
    main()
