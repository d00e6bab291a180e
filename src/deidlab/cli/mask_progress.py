"""While notes are found and masked: a bar on stderr, and a good end where one is asked for."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Watch = Callable[[str, int], None]


@contextlib.contextmanager
def watching(source: Path | None, format: str | None, quiet: bool) -> Iterator[Watch]:
    """Something to tell of progress; it shows where a person looks, and is silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage, n: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    speed = TextColumn("{task.fields[speed]} notes/s")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        speed,
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bars(progress, None if source is None else count_notes(source, format))


@contextlib.contextmanager
def ending_well() -> Iterator[None]:
    """Asked to end (SIGTERM), clean up as after an error; an unfinished run stays where it can go on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Bars:
    """One bar a stage; once a stage has counted the notes, the next one knows how many there are."""

    def __init__(self, progress: Any, total: int | None) -> None:
        self._progress, self._total = progress, total
        self._tasks: dict[str, Any] = {}
        self._done = 0

    def __call__(self, stage: str, n: int) -> None:
        if stage not in self._tasks:
            total = self._done if self._tasks else self._total
            self._done = 0
            self._tasks[stage] = self._progress.add_task(stage, total=total, speed="–")
        self._done += n
        task = self._progress.tasks[self._tasks[stage]]
        seconds = task.elapsed or 0.0
        speed = f"{self._done / seconds:,.0f}" if seconds > 0.5 else "–"
        self._progress.update(self._tasks[stage], advance=n, speed=speed)


def count_notes(source: Path, format: str | None) -> int | None:
    """How many notes there are, where files, lines or a table tell; None where only reading would."""
    from deidlab.corpus.formats import find_format, recognise_format
    from deidlab.corpus.reading import corpus_files

    if str(source) == "-":
        return None
    chosen = find_format(format) if format else recognise_format(source)
    files = corpus_files(source, chosen)
    if chosen.render is not None:
        return sum(not path.name.endswith(".ann") for path in files)
    if chosen.name == "jsonl":
        return sum(_count_lines(path) for path in files)
    if chosen.name == "parquet":
        import pyarrow.parquet as pq

        return sum(int(pq.read_metadata(path).num_rows) for path in files)
    return None


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
