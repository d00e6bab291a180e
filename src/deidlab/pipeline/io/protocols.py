"""What every kind of source and sink does, so that a run asks none of them what it is.

A kind is a file of this folder and a line in `opening.py`. What a run keeps of its source (where a pass has
got to, what tells that the source changed) each kind writes into the run's own state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from deidlab.execute import Executor, Task
from deidlab.pipeline.io.notes import BEGINNING, Note, Start
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.corpus.formats import Format
    from deidlab.pipeline.run.partial import Partial

Rendering = Callable[[Document], Any]
"""A masked note as the sink will write it, as JSON can hold it; it travels to workers, and raises where the
sink cannot hold the note."""


class Source(Protocol):
    """Where notes come from."""

    @property
    def settings(self) -> SourceSettings: ...

    @property
    def format(self) -> Format | None:
        """That of its files; None where it has none."""

    @property
    def files(self) -> Path | None:
        """What is read on this disk, and must not be written over."""

    def check(self, kept: tuple[str, ...] = ()) -> None:
        """Raise where it cannot be read as asked, before any note fails; `kept` are columns carried over."""

    def count(self) -> int | None:
        """How many notes there are, where that can be told without reading them."""

    def documents(self) -> Iterator[Document]:
        """Every document; the first that cannot be read raises."""

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        """Every note from there, readable or not, one after another."""

    def notes_again(self) -> Iterator[Note]:
        """Every note, here, with the numbers that its task gave it."""

    def tasks(
        self,
        execute: Executor,
        is_done: Callable[[int], bool],
        passed: Callable[[int], None],
        start: Start = BEGINNING,
        here: bool = False,
    ) -> Iterator[Task[Note]]:
        """Its notes as tasks in order, read wherever the executor reads; of those done before only the length
        is told, to `passed`. `here` is for those who must see the notes in this process."""

    def start(self, partial: Partial, stage: str) -> Start:
        """Where that pass goes on."""

    def reach(self, partial: Partial, stage: str, task: int, notes: Sequence[Note]) -> None:
        """Note down that a pass is through with a task, and so with all before it."""

    def pin(self, partial: Partial, role: str = "source") -> Source:
        """The source as it was when the run began; raises where it is not so any more."""


class Sink(Protocol):
    """Where masked notes go."""

    @property
    def path(self) -> Path:
        """What is written; the run's folder is named after it."""

    @property
    def kind(self) -> str:
        """As the record calls it."""

    @property
    def files(self) -> Path | None:
        """What is written on this disk, where anything is."""

    @property
    def rendering(self) -> Rendering: ...

    def check(self, partial: Partial) -> None:
        """Raise, before any work, where it cannot be written to."""

    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        """Write what was rendered, where nobody looks yet or none is written twice; words for the record."""

    def put_in_place(self, partial: Partial) -> None:
        """Give what was written its name."""
