"""What every kind of source and sink does, so that a run asks none of them what it is.

A kind is a file of this folder and a line in `opening.py`; what is written here suits one that has nothing to
say to it. What a run must know of its source later (where a pass has got to, what tells that the source
changed) each kind writes into the run's own state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from deidlab.corpus.format import Format
from deidlab.execute import Executor, Task
from deidlab.pipeline.io.notes import BEGINNING, NOTES_A_TASK, Note, Start, cut_tasks
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial

Rendering = Callable[[Document], Any]
"""A masked note as the sink will write it, as JSON can hold it; it travels to workers, and raises where the
sink cannot hold the note."""


class Source(ABC):
    """Where notes come from; `format` is that of its files, None where it has none."""

    __slots__ = ()
    settings: SourceSettings
    format: Format | None
    notes_a_task: ClassVar[int] = NOTES_A_TASK

    @property
    def files(self) -> Path | None:
        """What is read on this disk, and must not be written over."""
        return None

    @abstractmethod
    def check(self, kept: tuple[str, ...] = ()) -> None:
        """Raise where it cannot be read as asked, before any note fails; `kept` are columns carried over."""

    def count(self) -> int | None:
        """How many notes there are, where that can be told without reading them."""
        return None

    @abstractmethod
    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        """Every note from there, readable or not, one after another."""

    @abstractmethod
    def documents(self) -> Iterator[Document]:
        """Every document; the first that cannot be read raises."""

    def notes_again(self) -> Iterator[Note]:
        """Every note, here, with the numbers that its task gave it."""
        return self.notes()

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
        for task in cut_tasks(self.notes(start), start.task, self.notes_a_task):
            if is_done(task.number):
                passed(len(task.items))
            else:
                yield task

    def start(self, partial: Partial, stage: str) -> Start:
        """Where that pass goes on; from the beginning where the tasks that are done tell enough."""
        return BEGINNING

    def reach(self, partial: Partial, stage: str, task: int, notes: Sequence[Note]) -> None:  # noqa: B027
        """Note down that a pass is through with a task, and so with all before it."""

    def pin(self, partial: Partial, role: str = "source") -> Source:
        """The source as it was when the run began; raises where it is not so any more."""
        return self

    def pinned(self, partial: Partial, role: str = "source") -> dict[str, str]:
        """What tells the source that was pinned from others, for the record: keyed digests, no name."""
        return {}


class Sink(ABC):
    """Where masked notes go; the run's folder is named after `path`, and its record says `kind`."""

    __slots__ = ()
    path: Path
    kind: str

    @property
    def files(self) -> Path | None:
        """What is written on this disk, where anything is."""
        return None

    @property
    @abstractmethod
    def rendering(self) -> Rendering:
        """What workers do with a masked note, once."""

    def check(self, partial: Partial) -> None:  # noqa: B027
        """Raise, before any work, where it cannot be written to."""

    @abstractmethod
    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        """Write what was rendered, where nobody looks yet or none is written twice; words for the record."""

    def take(self, line: dict[str, Any]) -> Any:
        """What it needs of a masked note's line: what was rendered, for most."""
        return line["output"]

    def written(self, partial: Partial) -> Path | None:
        """The file or folder that was written, where it stands before it gets its name."""
        return None

    def put_in_place(self, partial: Partial) -> None:  # noqa: B027
        """Give what was written its name."""
