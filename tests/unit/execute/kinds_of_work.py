"""Work for the executor's tests; it lives in a module so that worker processes can find it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deidlab.errors import ConfigError, CorpusError
from deidlab.pipeline.source import Note

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
