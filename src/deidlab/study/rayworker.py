"""A study's worker on Ray: jobs in, completion records out in the folder of each attempt.

It is the workshop of a local worker, in a process that may be cut off from the one that started it. Before
it begins it looks whether it sees what the study needs; while it works it looks after its lease, and ends at
once where that is gone, since then another may have its job.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import deidlab
from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.study.attempts import BEGUN, LOOK_SECONDS, NOTES, SEEN, STOP, holds_lease
from deidlab.study.folder import ATTEMPTS, write_object, write_whole
from deidlab.study.spec import StudySpec
from deidlab.study.worker import TRAIN, WorkerPlan, do, open_workshop

# How long a folder may be out of reach before a worker takes itself to be cut off.
_PATIENCE_SECONDS = 60.0
_APPEARS_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a worker must find: the study's folder with a mark in it, the paths that the study names."""

    here: str
    folder: str
    mark: str
    paths: tuple[str, ...]
    version: str

    @classmethod
    def of(cls, spec: StudySpec, folder: Path, mark: str) -> Surroundings:
        corpus = spec.corpus
        named = [corpus.path, corpus.train, corpus.validation, corpus.test]
        named += [cross.path for cross in spec.cross]
        named += [name for model in spec.models for name in (model.model, model.tokenizer)]
        # A hub's model is no path; a path that is not here either is reported when it is read.
        paths = tuple(str(Path(name).absolute()) for name in named if name and Path(name).exists())
        return cls(str(Path.cwd()), str(folder), mark, paths, deidlab.__version__)

    def __call__(self) -> str:
        """What is wrong here, or nothing."""
        if deidlab.__version__ != self.version:
            return f"has deidlab {deidlab.__version__}, and the study is run with {self.version}"
        attempts = Path(self.here) / self.folder / ATTEMPTS
        until = time.monotonic() + _APPEARS_SECONDS
        while _read_mark(attempts) != self.mark:
            if time.monotonic() > until:
                return f"does not see {attempts.parent}: put the study's folder where every node has it"
            time.sleep(0.25)
        if not os.access(attempts, os.W_OK):
            return f"cannot write to {attempts.parent}"
        missing = next((path for path in self.paths if not Path(path).exists()), None)
        return "" if missing is None else f"does not see {missing}"


def _read_mark(attempts: Path) -> str | None:
    try:
        return (attempts / SEEN).read_text("utf-8")
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class OpenWorkshop:
    """Travels to each worker and opens its workshop there."""

    plan: WorkerPlan
    surroundings: Surroundings

    def __call__(self) -> FarWorkshop:
        wrong = self.surroundings()
        if wrong:
            import socket

            raise ConfigError(f"node {socket.gethostname()} {wrong}")
        # Paths in the study's records are as they were typed; where all are whole, any place will do.
        with contextlib.suppress(OSError):
            os.chdir(self.surroundings.here)
        return FarWorkshop(open_workshop(self.plan))


class FarWorkshop:
    """A workshop that writes each job into the folder of its attempt."""

    def __init__(self, workshop: Any) -> None:
        self._workshop = workshop
        self.facts: dict[str, Any] = {"device": workshop.place.device.type, "process": os.getpid()}

    def do(self, value: tuple[str, Any, str]) -> Any:
        kind, payload, folder = value
        out = Path(folder)
        self._workshop.out = out
        write_whole(out / BEGUN, b"", lasting=False)
        with _watch(out):
            if kind == TRAIN:
                _agree_on_notes(self._workshop)
            return do(self._workshop, kind, payload)


def _agree_on_notes(workshop: Any) -> None:
    """Refuse to train on other notes than the rest: the first worker to read them writes down which."""
    own = workshop.describe_parts()
    path = workshop.folder / ATTEMPTS / NOTES
    if not path.is_file():
        draft = workshop.out / NOTES
        write_object(draft, own)
        with contextlib.suppress(FileExistsError):
            _link(draft, path)
    if read_object(path) != own:
        raise ConfigError("the nodes of the cluster do not have the same notes under the paths of the study")


def _link(draft: Path, path: Path) -> None:
    """The draft under its name, whole, unless another was first."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links.
        with path.open("xb") as stream:
            stream.write(draft.read_bytes())


@contextlib.contextmanager
def _watch(folder: Path) -> Iterator[None]:
    """Look after the lease, and for a wish to stop, while a job is at work."""
    over = threading.Event()
    # Ray's processes block the signal itself; a simulated one still reaches whoever listens for it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=_look_after, args=(folder, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def _look_after(folder: Path, over: threading.Event) -> None:
    seen, asked = time.monotonic(), False
    while True:
        held = holds_lease(folder)
        if held:
            seen = time.monotonic()
        if held is False or time.monotonic() - seen > _PATIENCE_SECONDS:
            if not over.is_set():
                # Not even a clean-up: whatever this process wrote now would be too late.
                os._exit(1)
            return
        if not asked and (folder / STOP).exists():
            asked = True
            _thread.interrupt_main()
        if over.wait(LOOK_SECONDS):
            return
