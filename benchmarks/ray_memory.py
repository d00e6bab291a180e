"""Memory of `deidlab mask --engine ray` at a size and at ten times that: driver, worker, object store.

Each cell is a process of its own, with a Ray of its own and an object store of 100 MiB. While it masks, its
resident set, that of its largest worker, the object store's bytes in use and what was spilled to disk are
looked at every 50 ms; the highest is told. JSON lines are read by the driver, Parquet by Ray Data.

    python benchmarks/ray_memory.py [--notes 2000 20000] [--formats jsonl parquet] [--out FILE.md]
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
import threading
import time
from pathlib import Path
from typing import Any

from mask import children, make_note, row, rss

MIB = 2**20


def write_source(folder: Path, n_notes: int, format: str) -> Path:
    path = folder / f"source-{n_notes}.{format}"
    if format == "jsonl":
        with path.open("w") as file:
            file.writelines(json.dumps(make_note(number)) + "\n" for number in range(n_notes))
        return path
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("id", pa.string()), ("patient", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, n_notes, 1000):
            rows = [make_note(number) for number in range(first, min(first + 1000, n_notes))]
            writer.write_table(pa.Table.from_pylist(rows, schema))
    return path


def descendants(pid: int) -> list[int]:
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def is_worker(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Worker")
    except OSError:
        return False


def store_bytes(ray: Any, session: Path) -> tuple[int, int]:
    """In use now, and spilled to files."""
    has, free = ray.cluster_resources(), ray.available_resources()
    files = [path for folder in session.glob("ray_spilled_objects*") for path in folder.rglob("*")]
    spilled = sum(path.stat().st_size for path in files if path.is_file())
    return int(has["object_store_memory"] - free.get("object_store_memory", 0)), spilled


def measure(source: Path, out: Path, workers: int) -> dict[str, float]:
    """Mask in this process and watch it."""
    from deidlab.execute.ray.cluster import connect
    from deidlab.execute.ray.executor import RayExecutor
    from deidlab.execute.ray.settings import RaySettings
    from deidlab.mask import MaskSettings, load_policy
    from deidlab.pipeline.jobs import MaskJob
    from deidlab.pipeline.masking import mask_corpus
    from deidlab.pipeline.settings import Finding, SourceSettings

    peak = {"driver": 0, "worker": 0, "store": 0, "spilled": 0}
    over = threading.Event()
    settings = MaskSettings(load_policy("i2b2"), "surrogate", b"0123456789abcdef0123456789abcdef")
    with (
        connect(None, workers, store_bytes=100 * MIB) as cluster,
        RayExecutor(RaySettings(max_workers=workers)) as executor,
    ):
        session = Path(cluster.ray._private.worker.global_worker.node.get_session_dir_path())

        def watch() -> None:
            while not over.wait(0.05):
                own = [rss(pid) for pid in descendants(os.getpid()) if is_worker(pid)]
                used, spilled = store_bytes(cluster.ray, session)
                now = {
                    "driver": rss(os.getpid()),
                    "worker": max(own, default=0),
                    "store": used,
                    "spilled": spilled,
                }
                for name, value in now.items():
                    peak[name] = max(peak[name], value)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        started = time.perf_counter()
        mask_corpus(MaskJob(SourceSettings(source), out, Finding(rules="only"), settings, execute=executor))
        seconds = time.perf_counter() - started
        over.set()
        watcher.join()
    return {**{name: value / MIB for name, value in peak.items()}, "seconds": seconds}


def describe(cells: list[dict[str, Any]], workers: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    said = (
        f"`python benchmarks/ray_memory.py`, {datetime.date.today()}, {machine}, {workers} workers, rules "
        f"only, notes of {len(make_note(0)['text']):,} characters; an object store of 100 MiB. Peaks, in MiB."
    )
    head = (
        "format",
        "notes",
        "seconds",
        "driver",
        "largest worker",
        "object store in use",
        "spilled to disk",
    )
    lines = [
        "# Memory on Ray, and the size of the corpus",
        "",
        said,
        "",
        row(head),
        row(("---", *["---:"] * 6)),
    ]
    for each in cells:
        figures = (
            f"{each['seconds']:.1f}",
            *(f"{each[name]:.1f}" for name in ("driver", "worker", "store", "spilled")),
        )
        lines.append(row((each["format"], f"{each['notes']:,}", *figures)))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, nargs="+", default=[2000, 20_000])
    parser.add_argument("--formats", nargs="+", default=["jsonl", "parquet"])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", type=Path, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(*asked.one, asked.workers)))
        return
    cells: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        for format in asked.formats:
            for n_notes in asked.notes:
                source = write_source(Path(name), n_notes, format)
                command = [sys.executable, __file__, "--one", str(source), f"{name}/out-{n_notes}.{format}",
                           "--workers", str(asked.workers)]  # fmt: skip
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                cells.append({"format": format, "notes": n_notes, **json.loads(done.stdout.splitlines()[-1])})
                print(cells[-1], flush=True)
                if asked.out:
                    asked.out.write_text(describe(cells, asked.workers))
                    asked.out.with_suffix(".json").write_text(json.dumps(cells, indent=1) + "\n")
    print(describe(cells, asked.workers))


if __name__ == "__main__":
    main()
