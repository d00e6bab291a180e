"""Attempts at long jobs: each has a folder of its own, with a name that is used once and a lease in it.

A worker that cannot be reached any more may still be alive and write. So it writes into its attempt's folder
alone, and only whoever gave the job out carries files from there to their places. To give an attempt up is to
rename its folder: from then on the worker writes where nobody looks, and ends when it misses its lease.
Through the same folder it says how far it is and is asked to stop, wherever it works.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import json
import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, DeidError
from deidlab.execute.tasks import FATAL, Failed
from deidlab.execute.workers import Serve
from deidlab.jsonfile import read_object, write_object, write_whole

LEASE, BEGUN, STOP, SAID = "lease", "begun", "stop", "progress"

LOOK_SECONDS = 1.0
"""How often a worker looks after its lease."""

GRACE_SECONDS = 3 * LOOK_SECONDS
"""How long a job rests after it was lost: a worker that is only cut off has missed its lease by then."""

_GIVEN_UP = ".given-up-"
# How long a folder may be out of reach before a worker takes itself to be cut off.
_PATIENCE_SECONDS = 60.0


@dataclass(slots=True)
class Attempt:
    """One try at a job: where its worker writes; `about` tells of the job whoever finds the folder later."""

    folder: Path
    job: str
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _heard: bytes = field(default=b"", repr=False)

    @classmethod
    def open(cls, place: Path, job: str, about: Mapping[str, object]) -> Attempt:
        """A fresh folder in that place."""
        attempt = cls(place / f"{job}.{secrets.token_hex(6)}", job, about)
        write_object(attempt.folder / LEASE, {"job": job, "about": dict(about)})
        return attempt

    def give_up(self) -> Attempt:
        """The same attempt out of its worker's reach."""
        closed = self.folder.with_name(_GIVEN_UP + self.folder.name)
        with contextlib.suppress(FileNotFoundError):
            self.folder.rename(closed)
        return Attempt(closed, self.job, self.about)

    @property
    def is_given_up(self) -> bool:
        return self.folder.name.startswith(_GIVEN_UP)

    def has_begun(self) -> bool:
        """Whether a worker has taken it up: what it never had cannot have killed it."""
        return (self.folder / BEGUN).exists()

    def ask_to_stop(self) -> None:
        """Let the worker leave things in order, and end."""
        with contextlib.suppress(ConfigError):
            write_whole(self.folder / STOP, b"", lasting=False)

    @property
    def _said(self) -> Path:
        return self.folder / SAID / f"{self.job}.json"

    def say(self, message: Mapping[str, object]) -> None:
        """How far a worker is; only the last message counts."""
        write_object(self._said, dict(message), lasting=False)

    def hear(self) -> dict[str, Any] | None:
        """What the worker said last, if it is new."""
        with contextlib.suppress(OSError, ValueError):
            if (data := self._said.read_bytes()) != self._heard:
                self._heard = data
                message: dict[str, Any] = json.loads(data)
                return message
        return None


def find_attempts(place: Path) -> Iterator[Attempt]:
    """The attempts that a process left; what a worker wrote after it was given up goes."""
    for folder in [path for path in sorted(place.glob("*.*")) if path.is_dir()]:
        try:
            lease = read_object(folder / LEASE)
            # Before there was `about`, a lease said the same without it.
            yield Attempt(folder, str(lease["job"]), dict(lease.get("about", lease)))
        except (ConfigError, KeyError, TypeError, ValueError):
            shutil.rmtree(folder, ignore_errors=True)


Work = Callable[[Any, Attempt], Any]


@dataclass(frozen=True, slots=True)
class Leased:
    """A start-up for long jobs: the work that it gives is done under the lease of each attempt."""

    start: Callable[[], Work]

    def __call__(self) -> Serve:
        return _LeasedWork(self.start())


class _LeasedWork:
    def __init__(self, work: Work) -> None:
        self._work = work
        self.facts: dict[str, Any] = getattr(work, "facts", {})

    def __call__(self, packed: tuple[str, str, object]) -> Any:
        """The answer; a job that cannot be done, for a reason of its own, is Failed and not tried again."""
        folder, job, value = packed
        attempt = Attempt(Path(folder), job)
        write_whole(attempt.folder / BEGUN, b"", lasting=False)
        with watch(attempt.folder):
            try:
                return self._work(value, attempt)
            except FATAL:
                raise
            except DeidError as error:
                return Failed(str(error))


def holds_lease(folder: Path) -> bool | None:
    """Whether an attempt still counts; None where the folder cannot be looked at.

    The lease is opened, since looking alone may show what a network share remembers.
    """
    try:
        os.close(os.open(folder / LEASE, os.O_RDONLY))
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESTALE) else None
    return True


@contextlib.contextmanager
def watch(folder: Path) -> Iterator[None]:
    """In a worker: look after the lease, and for a wish to stop, while a job is at work."""
    over = threading.Event()
    # The signal itself may be blocked or ignored; a simulated one still reaches whoever listens for it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=_look_after, args=(folder, os.getppid(), over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def _look_after(folder: Path, parent: int, over: threading.Event) -> None:
    seen, asked = time.monotonic(), False
    while True:
        held = holds_lease(folder)
        if held:
            seen = time.monotonic()
        cut_off = held is False or time.monotonic() - seen > _PATIENCE_SECONDS
        if cut_off or os.getppid() != parent:
            if not over.is_set():
                # Not even a clean-up: whatever this process wrote now would be too late.
                os._exit(1)
            return
        if not asked and (folder / STOP).exists():
            asked = True
            _thread.interrupt_main()
        if over.wait(LOOK_SECONDS):
            return
