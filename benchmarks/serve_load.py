"""The service under load, beside the batch command on the same notes: throughput, latency, memory.

`deidlab serve` runs as from a shell; 32 clients on loopback each send the next note when they have the answer
to the last, for 60 seconds. Before and after, `deidlab mask` masks the same notes from a file. Both use the
same rules or model, style and key, and as many workers. On a busy machine look at CPU time a note, of all
processes of a side; the clients' own is told apart.

    python benchmarks/serve_load.py [--clients 32] [--seconds 60] [--route mask|batch] [--model FOLDER]
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mask import children, make_note, row, rss

KEY = b"0123456789abcdef0123456789abcdef"
TICKS = os.sysconf("SC_CLK_TCK")
LINES_A_STREAM = 200


@dataclass
class Batch:
    """The batch command on the same notes."""

    n_notes: int
    seconds: float
    cpu_seconds: float


@dataclass
class Load:
    """The service under load."""

    n_notes: int = 0
    n_errors: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    client_cpu_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def cpu_of(pid: int) -> float:
    """Seconds of processor that a process has used so far."""
    try:
        cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(cells[11]) + int(cells[12])) / TICKS


def finding(model: str | None) -> list[str]:
    return ["--rules", "only"] if model is None else ["--model", model]


def run_batch(folder: Path, source: Path, n_notes: int, asked: argparse.Namespace, name: str) -> Batch:
    """Mask the notes with the command; CPU is that of all its processes."""
    out = folder / f"{name}.jsonl"
    options = [
        "--key-file",
        str(folder / "key"),
        "--workers",
        str(asked.workers),
        *finding(asked.model),
        "-q",
    ]
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), *options]
    before, started = os.times(), time.perf_counter()
    subprocess.run(command, check=True)
    seconds, after = time.perf_counter() - started, os.times()
    with out.open() as lines:
        assert sum(1 for _ in lines) == n_notes, "notes are missing"
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Batch(n_notes, seconds, cpu)


def start_server(folder: Path, asked: argparse.Namespace) -> tuple[subprocess.Popen[bytes], int]:
    """The server and its port."""
    options = ["--port", "0", "--workers", str(asked.workers), *finding(asked.model)]
    options += ["--key-file", str(folder / "key")]
    command = [sys.executable, "-m", "deidlab", "serve", *options, "--access-log", str(folder / "access.log")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(rb"listening on http://[\d.]+:(\d+)", line):
            return process, int(found[1])
    raise SystemExit("the server did not start")


def requests_of(notes: list[dict[str, str]], route: str, port: int) -> list[tuple[bytes, int]]:
    """Requests ready to be sent, and how many notes each has."""
    if route == "mask":
        bodies = [(json.dumps(note).encode(), 1) for note in notes]
        kind = "application/json"
    else:
        handfuls = [notes[at : at + LINES_A_STREAM] for at in range(0, len(notes), LINES_A_STREAM)]
        bodies = [("".join(json.dumps(n) + "\n" for n in each).encode(), len(each)) for each in handfuls]
        kind = "application/x-ndjson"
    head = f"POST /v1/{route} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {kind}\r\nContent-Length: "
    return [(f"{head}{len(body)}\r\n\r\n".encode() + body, n) for body, n in bodies]


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, int]:
    """Status, and lines of the body."""
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    found = re.search(rb"content-length: (\d+)", head)
    if found:
        await reader.readexactly(int(found[1]))
        return status, 1
    lines = 0
    while size := int(await reader.readline(), 16):
        lines += (await reader.readexactly(size)).count(b"\n")
        await reader.readexactly(2)
    await reader.readexactly(2)
    return status, lines


async def be_client(port: int, asked: Iterator[tuple[bytes, int]], until: float, load: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    while time.perf_counter() < until:
        request, n_notes = next(asked)
        began = time.perf_counter()
        writer.write(request)
        status, lines = await read_answer(reader)
        load.latencies.append(time.perf_counter() - began)
        if status == 200 and lines == n_notes:
            load.n_notes += n_notes
        else:
            load.n_errors += 1
    writer.close()


async def put_under_load(
    pid: int, port: int, asked: list[tuple[bytes, int]], clients: int, seconds: float
) -> Load:
    load = Load()

    def forever() -> Iterator[tuple[bytes, int]]:
        while True:
            yield from asked

    source = forever()
    family = [pid, *children(pid)]
    own, began, cpu = time.process_time(), time.perf_counter(), sum(map(cpu_of, family))
    work = [asyncio.create_task(be_client(port, source, began + seconds, load)) for _ in range(clients)]
    while not all(task.done() for task in work):
        await asyncio.wait(work, timeout=1.0)
        load.memory.append(sum(map(rss, family)) / 2**20)
    for task in work:
        task.result()
    load.seconds = time.perf_counter() - began
    load.cpu_seconds = sum(map(cpu_of, family)) - cpu
    load.client_cpu_seconds = time.process_time() - own
    return load


def describe(batches: list[Batch], load: Load, asked: argparse.Namespace) -> str:
    batch_speed = sum(b.n_notes for b in batches) / sum(b.seconds for b in batches)
    batch_cpu = 1000 * sum(b.cpu_seconds for b in batches) / sum(b.n_notes for b in batches)
    speed, cpu = load.n_notes / load.seconds, 1000 * load.cpu_seconds / max(1, load.n_notes)
    client_cpu = 1000 * load.client_cpu_seconds / max(1, load.n_notes)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    third = max(1, len(load.memory) // 3)
    early, late = load.memory[third - 1], load.memory[-2 if len(load.memory) > 1 else -1]
    using = "rules only" if asked.model is None else "rules and a model"
    said = (
        f"`python benchmarks/serve_load.py --route {asked.route}`, {datetime.date.today()}, {machine}, "
        f"{asked.clients} clients for {load.seconds:.0f} s, {asked.workers} workers, {using}, tags, "
        f"{len(make_note(0)['text'])} characters a note."
    )
    end = (
        f"Throughput is {100 * speed / batch_speed:.0f} % of the batch command's. Memory of the server and "
        f"its workers: {early:.0f} MiB after a third of the time, {late:.0f} MiB at the end, at most "
        f"{max(load.memory):.0f}."
    )
    batch_cells = (f"{sum(b.n_notes for b in batches):,}", "0", f"{batch_speed:,.0f}", f"{batch_cpu:.2f}")
    cells = (
        f"{load.n_notes:,}",
        str(load.n_errors),
        f"{speed:,.0f}",
        f"{cpu:.2f} (clients {client_cpu:.2f})",
    )
    waits = tuple(f"{1000 * load.quantile(share):.0f}" for share in (0.5, 0.95, 0.99))
    head = ("", "notes", "errors", "notes/s", "CPU ms a note", "p50 ms", "p95 ms", "p99 ms")
    table = [
        row(head),
        row(("---", *["---:"] * 7)),
        row(("`deidlab mask`, before and after", *batch_cells, "", "", "")),
        row((f"`POST /v1/{asked.route}`", *cells, *waits)),
    ]
    return "\n".join([said, "", *table, "", end]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--notes", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--model", help="a folder that `deidlab export` wrote [default: rules only]")
    parser.add_argument("--route", choices=("mask", "batch"), default="mask")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    notes = [make_note(number) for number in range(asked.notes)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "key").write_bytes(KEY)
        (folder / "key").chmod(0o600)
        source = folder / "notes.jsonl"
        source.write_text("".join(json.dumps(note) + "\n" for note in notes))
        batches = [run_batch(folder, source, asked.notes, asked, "before")]
        process, port = start_server(folder, asked)
        try:
            requests = requests_of(notes, asked.route, port)
            load = asyncio.run(put_under_load(process.pid, port, requests, asked.clients, asked.seconds))
        finally:
            process.terminate()
            process.wait(30)
        batches.append(run_batch(folder, source, asked.notes, asked, "after"))
    said = describe(batches, load, asked)
    print(said)
    if asked.out:
        asked.out.write_text(f"# The service under load\n\n{said}")
        figures = {**asdict(load), "latencies": [load.quantile(q / 100) for q in range(1, 100)]}
        whole = {
            "batch": [asdict(each) for each in batches],
            "load": figures,
            "cores": os.cpu_count(),
            "load_average": os.getloadavg(),
        }
        asked.out.with_suffix(".json").write_text(json.dumps(whole, indent=1) + "\n")
    if load.n_errors:
        raise SystemExit(f"{load.n_errors} requests failed")


if __name__ == "__main__":
    main()
