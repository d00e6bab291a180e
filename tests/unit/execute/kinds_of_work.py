"""Work for the executor's tests; it lives in a module so that worker processes can find it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, CorpusError
from deidlab.execute.attempts import Attempt
from deidlab.jsonfile import write_whole
from deidlab.pipeline.io.notes import Note

Doing = Callable[[Sequence[int]], list[int]]


@dataclass(frozen=True)
class Square:
    """Squares; 13 is a bad number, and what it does is `bad`."""

    bad: str = ""

    def __call__(self) -> Doing:
        return self._work

    def _work(self, items: Sequence[int]) -> list[int]:
        if 13 in items:
            if self.bad == "ours":
                raise CorpusError("thirteen cannot be squared")
            if self.bad == "library":
                raise ValueError("Zebulon Quillfeather")
            if self.bad == "settings":
                raise ConfigError("no squares today")
            if self.bad == "crash":
                os._exit(7)
            if self.bad == "short":
                return []
            if self.bad == "memory":
                raise MemoryError("Zebulon Quillfeather")
        if 5 in items:
            time.sleep(0.05)
        return [item * item for item in items]


@dataclass(frozen=True)
class CannotStart:
    how: str

    def __call__(self) -> Doing:
        if self.how == "crash":
            os._exit(7)
        raise ConfigError("no such model")


@dataclass(frozen=True)
class Pid:
    def __call__(self) -> Doing:
        return lambda items: [os.getpid() for _ in items]


@dataclass(frozen=True)
class Who:
    """Each item with the process that had it, after a while."""

    seconds: float

    def __call__(self) -> Callable[[Sequence[int]], list[tuple[int, int]]]:
        return self._work

    def _work(self, items: Sequence[int]) -> list[tuple[int, int]]:
        time.sleep(self.seconds)
        return [(item, os.getpid()) for item in items]


@dataclass(frozen=True)
class Tell:
    """Items as they are; one of them takes its time."""

    slow: int = -1
    seconds: float = 0.0

    def __call__(self) -> Doing:
        return self._work

    def _work(self, items: Sequence[int]) -> list[int]:
        if self.slow in items:
            time.sleep(self.seconds)
        return list(items)


@dataclass(frozen=True)
class Slow:
    """Items as they are; every task takes a moment."""

    seconds: float = 0.01

    def __call__(self) -> Doing:
        return self._work

    def _work(self, items: Sequence[int]) -> list[int]:
        time.sleep(self.seconds)
        return list(items)


@dataclass(frozen=True)
class Lengths:
    """How long each note is."""

    def __call__(self) -> Callable[[Sequence[Note]], list[int]]:
        return lambda notes: [len(note.document.text) if note.document else 0 for note in notes]


@dataclass(frozen=True)
class Steps:
    """Long jobs: each counts its steps in a file, from where the attempt before it stood.

    A job is (how many steps, seconds for each, what its `bad` step does); `log` lists who began which job.
    """

    log: str
    bad: int = 3

    def __call__(self) -> Callable[[Any, Attempt], int]:
        return self._work

    def _work(self, value: tuple[int, float, str], attempt: Attempt) -> int:
        n_steps, seconds, how = value
        with Path(self.log).open("a") as log:
            log.write(f"{attempt.job} {os.getpid()}\n")
        path = attempt.folder / "step"
        step = int(path.read_text()) if path.exists() else 0
        try:
            while step < n_steps:
                step += 1
                write_whole(path, str(step).encode(), lasting=False)
                attempt.say({"step": step, "process": os.getpid()})
                if step >= self.bad:
                    go_wrong(how, step == self.bad)
                time.sleep(seconds)
        except KeyboardInterrupt:
            (attempt.folder / "stopped").write_text("in order")
            raise
        write_whole(attempt.folder / "result", b"", lasting=False)
        return step


@dataclass(frozen=True)
class SayBack:
    """A long job that answers with its value and with what its worker was started with."""

    own: str

    def __call__(self) -> Callable[[Any, Attempt], str]:
        return lambda value, attempt: self.own + value


def go_wrong(how: str, once: bool) -> None:
    if how == "ours":
        raise CorpusError("there is no third step")
    if how == "library":
        raise ValueError("Zebulon Quillfeather")
    if how == "settings":
        raise ConfigError("no steps today")
    if how == "crash" or (how == "crash once" and once):
        os.kill(os.getpid(), signal.SIGKILL)
