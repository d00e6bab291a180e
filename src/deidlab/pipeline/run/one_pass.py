"""A source in, what became of its notes out, task by task: the one loop that finding and masking are.

    tasks -> executor -> completions -> kept by whoever asks for the next -> where the pass has got to

A task counts as passed only once the next one is asked for: by then the caller has kept what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from deidlab.execute import Executor, Failed, Setup, Task
from deidlab.pipeline.io.notes import BEGINNING, Note, note_numbers
from deidlab.pipeline.io.protocols import Source
from deidlab.pipeline.run.partial import Partial

Result = TypeVar("Result")
Watch = Callable[[str, int], None]
"""Called with the stage and how many more notes it has done."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Result]):
    """A finished task: its notes, their places in the source, and what became of each."""

    number: int
    notes: Sequence[Note] = field(repr=False)
    numbers: Sequence[int]
    results: tuple[Result | Failed, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Way:
    """How one pass differs from another: which tasks are done, what workers get of a task, where it is read.

    `attach` gives each note what belongs to it, here; `items` is what then goes to a worker. `name` is what
    the place that the pass has got to is kept under.
    """

    name: str = "find"
    is_done: Callable[[int], bool] = lambda number: False
    attach: Callable[[Sequence[Note]], Sequence[Note]] | None = None
    items: Callable[[Sequence[Note], Sequence[int]], Sequence[Any]] = lambda notes, numbers: notes
    here: bool = False


@dataclass(frozen=True, slots=True)
class OnePass:
    """A source and who works on it; `passed` is told of notes that are done, before or now.

    Without a `partial` nothing is kept, so that nothing is gone on with.
    """

    source: Source
    execute: Executor
    passed: Callable[[int], None]
    partial: Partial | None = None

    def run(self, work: Setup[Any, Result], way: Way) -> Iterator[Done[Result]]:
        """Every task that was not done before, in order."""
        start = BEGINNING if self.partial is None else self.source.start(self.partial, way.name)
        self.passed(start.note - 1)
        under_way: dict[int, tuple[Sequence[Note], Sequence[int]]] = {}
        # What belongs to a note is looked up here, so the note must be here.
        here = way.here or way.attach is not None
        tasks = self.source.tasks(self.execute, way.is_done, self.passed, start, here)
        for completion in self.execute(_handed_out(tasks, way, under_way), work):
            notes, numbers = under_way.pop(completion.number)
            yield Done(completion.number, notes, numbers, completion.results)
            if self.partial is not None:
                self.source.reach(self.partial, way.name, completion.number, notes)
            self.passed(len(notes))


def _handed_out(
    tasks: Iterable[Task[Note]], way: Way, under_way: dict[int, tuple[Sequence[Note], Sequence[int]]]
) -> Iterator[Task[Any]]:
    for task in tasks:
        numbers = note_numbers(task)
        notes = task.items if way.attach is None else way.attach(task.items)
        under_way[task.number] = notes, numbers
        yield Task(task.number, way.items(notes, numbers))
