"""Notes that are bad for whoever works on them, and an executor that passes everything through such hands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from deidlab.execute import Completion, Executor, Setup, Task
from deidlab.execute.tasks import Reading

MARK = "Quillfeather"


@dataclass(frozen=True)
class Poisoned:
    """The setup as it is, but a note with the mark in its text ends the process, or takes all memory."""

    setup: Setup[Any, Any]
    how: str

    def __call__(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        work = self.setup()

        def poisoned(items: Sequence[Any]) -> Sequence[Any]:
            notes = [item[0] if isinstance(item, tuple) else item for item in items]
            if any(note.document and MARK in note.document.text for note in notes):
                if self.how == "crash":
                    os._exit(9)
                hold = []
                while True:
                    hold.append(os.urandom(2**20) * 16)
            return work(items)

        return poisoned


@dataclass(frozen=True)
class Through:
    """An executor whose every setup is spoilt in a way, by `Poisoned` unless told."""

    inner: Executor
    how: str
    spoil: Callable[[Setup[Any, Any], str], Setup[Any, Any]] = Poisoned

    def __call__(self, tasks: Iterable[Task[Any]], setup: Setup[Any, Any]) -> Iterator[Completion[Any]]:
        return self.inner(tasks, self.spoil(setup, self.how))

    def read(
        self, reading: Reading[Any], numbers: Sequence[int], lengths: Sequence[int]
    ) -> Iterator[Task[Any]]:
        return self.inner.read(reading, numbers, lengths)

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()
