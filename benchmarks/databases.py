"""Notes a second and peak memory of `deidlab mask` from table to table, in SQLite and PostgreSQL.

Time should grow in line with the rows, and memory not at all. The same invented notes as in `mask.py` are put
into a table and masked into another one of the same database, with the rules alone and tags, as from a shell.
The PostgreSQL server is started for this, on a Unix socket, with fsync on; files are masked beside them.

    python benchmarks/databases.py [--notes 2000 20000] [--workers 2] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.postgres import PASSWORD, Server, running_server

from mask import children, children_cpu, make_note, row, rss

COLUMNS = ("--text-column", "body", "--id-column", "name", "--patient-column", "mrn")


@dataclass(frozen=True)
class Measured:
    kind: str
    n_notes: int
    seconds: float
    cpu_seconds: float
    main_mib: float
    worker_mib: float
    load: float


def rows(n_notes: int) -> Iterator[tuple[int, str, str, str]]:
    for number in range(n_notes):
        note = make_note(number)
        yield number, note["id"], note["patient"], note["text"]


def fill_sqlite(path: Path, n_notes: int) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE notes (nr INTEGER PRIMARY KEY, name TEXT, mrn TEXT, body TEXT)")
        db.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", rows(n_notes))


def fill_postgresql(server: Server, n_notes: int) -> None:
    server.fresh_database()
    with server.connect() as connection:
        connection.execute("CREATE TABLE notes (nr BIGINT PRIMARY KEY, name TEXT, mrn TEXT, body TEXT)")
        with connection.cursor() as cursor, cursor.copy("COPY notes FROM STDIN") as copy:
            for cells in rows(n_notes):
                copy.write_row(cells)


def measure(kind: str, n_notes: int, source: str, out: str, folder: Path, workers: int) -> Measured:
    options = ["--rules", "only", "--key-file", str(folder / "key"), "--workers", str(workers), "-q"]
    options += [] if kind == "files" else COLUMNS
    command = [sys.executable, "-m", "deidlab", "mask", source, "--out", out, "--overwrite", *options]
    load, started, used = os.getloadavg()[0], time.perf_counter(), children_cpu()
    process = subprocess.Popen(command, env={**os.environ, "PGPASSWORD": PASSWORD}, cwd=folder)
    main = worker = 0
    while process.poll() is None:
        main = max(main, rss(process.pid))
        worker = max([worker, *map(rss, children(process.pid))])
        time.sleep(0.05)
    assert process.returncode == 0
    seconds, cpu = time.perf_counter() - started, children_cpu() - used
    return Measured(kind, n_notes, seconds, cpu, main / 2**20, worker / 2**20, load)


def measure_all(n_notes: int, folder: Path, server: Server, workers: int) -> Iterator[Measured]:
    source = folder / "notes.jsonl"
    with source.open("w") as file:
        file.writelines(json.dumps(make_note(number)) + "\n" for number in range(n_notes))
    yield measure("files", n_notes, str(source), str(folder / "out.jsonl"), folder, workers)
    path = folder / f"{n_notes}.db"
    fill_sqlite(path, n_notes)
    yield measure(
        "sqlite", n_notes, f"sqlite:///{path}?table=notes", f"sqlite:///{path}?table=masked", folder, workers
    )
    fill_postgresql(server, n_notes)
    url = server.url()
    yield measure("postgresql", n_notes, f"{url}&table=notes", f"{url}&table=masked", folder, workers)


def describe(found: list[Measured], workers: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    said = (
        f"`python benchmarks/databases.py`, {datetime.date.today()}, {machine}, {workers} workers, rules "
        f"only, tags, notes of {len(make_note(0)['text']):,} characters, four a patient."
    )
    head = (
        "",
        "notes",
        "seconds",
        "notes/s",
        "CPU ms a note",
        "main process, MiB",
        "largest worker, MiB",
        "load",
    )
    lines = ["# From table to table", "", said, "", row(head), row(("---", *["---:"] * 7))]
    for each in found:
        cells = (f"{each.seconds:.1f}", f"{each.n_notes / each.seconds:,.0f}")
        cells += (f"{1000 * each.cpu_seconds / each.n_notes:.2f}", f"{each.main_mib:.0f}")
        cells += (f"{each.worker_mib:.0f}", f"{each.load:.1f}")
        lines.append(row((each.kind, f"{each.n_notes:,}", *cells)))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, nargs="+", default=[2000, 20_000])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    found: list[Measured] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(running_server(safe=True))
        (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
        (folder / "key").chmod(0o600)
        for n_notes in asked.notes:
            for each in measure_all(n_notes, folder, server, asked.workers):
                found.append(each)
                print(describe([each], asked.workers).splitlines()[-1], flush=True)
                if asked.out:
                    asked.out.write_text(describe(found, asked.workers))
                    text = json.dumps([asdict(row) for row in found], indent=1)
                    asked.out.with_suffix(".json").write_text(text + "\n")


if __name__ == "__main__":
    main()
