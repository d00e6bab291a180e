"""While notes are found and masked: a bar on stderr, and a good end where one is asked for."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli.output import tell
from deidlab.errors import NoSpaceError, is_full

if TYPE_CHECKING:
    from deidlab.pipeline.io.kinds import Source

Watch = Callable[[str, int], None]
_TERMINATED = 128 + signal.SIGTERM
_UPDATES = 50


@contextlib.contextmanager
def watching(source: Source, quiet: bool) -> Iterator[Watch]:
    """Something to tell of progress; it shows where a person looks, and is silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage, n: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]} notes/s"),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bars(progress, source.count())


KEPT = "what is finished is kept, and the same command goes on from there"
LOST = "nothing of this run is kept"
NO_KEY = "without --key-file nothing of a run can be kept"


@contextlib.contextmanager
def ending_well(out: object, rest: str = KEPT) -> Iterator[None]:
    """An end that says what became of the work: Ctrl-C, a request to end (SIGTERM), a full disk.

    Cleaned up is as after an error; an unfinished run that can go on stays where it can, and `rest` says so.
    """
    try:
        with _ending_on_request():
            yield
    except KeyboardInterrupt:
        tell(f"deidlab: stopped; {rest}")
        raise typer.Exit(130) from None
    except SystemExit as stop:
        if stop.code == _TERMINATED:
            tell(f"deidlab: stopped; {rest}")
        raise
    except NoSpaceError as error:
        raise NoSpaceError(f"{error}; {rest}") from None
    except Exception as error:
        if not is_full(error):
            raise
        raise NoSpaceError(f"no space left on the disk that holds {out}; {rest}") from None


@contextlib.contextmanager
def _ending_on_request() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(_TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Bars:
    """One bar a stage; once a stage has counted the notes, the next one knows how many there are.

    Time left is reckoned from the last updates, at least a second apart: some come once a minute, and
    notes that an earlier run had done come first and at once.
    """

    def __init__(self, progress: Any, total: int | None, now: Callable[[], float] = time.monotonic) -> None:
        self._progress, self._total, self._now = progress, total, now
        self._tasks: dict[str, Any] = {}
        self._done = 0
        self._seen: deque[tuple[float, int]] = deque(maxlen=_UPDATES)

    def __call__(self, stage: str, n: int) -> None:
        now = self._now()
        if stage not in self._tasks:
            self._total = self._done if self._tasks else self._total
            self._done = 0
            self._seen.clear()
            self._seen.append((now, 0))
            self._tasks[stage] = self._progress.add_task(stage, total=self._total, speed="–", left="")
        self._done += n
        began, before = self._seen[0]
        speed = (self._done - before) / (now - began) if now > began else 0.0
        if now - self._seen[-1][0] >= 1.0:
            self._seen.append((now, self._done))
        left = "" if self._total is None or not speed else show_left(self._total - self._done, speed)
        shown = f"{speed:,.1f}" if speed else "–"
        self._progress.update(self._tasks[stage], completed=self._done, speed=shown, left=left)


def show_left(n_notes: int, speed: float) -> str:
    return f"{timedelta(seconds=round(max(0, n_notes) / speed))} left"
