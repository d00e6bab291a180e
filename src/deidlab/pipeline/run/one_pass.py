"""A source in, what became of its notes out, task by task: the one loop that finding and masking are.

    tasks -> executor -> completions -> kept by whoever asks for the next -> where the pass has got to

A task counts as passed only once the next one is asked for: by then the caller has kept what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from deidlab.execute import Executor, Failed, Setup, Task
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import BEGINNING, Note, note_numbers
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
class OnePass:
    """One way through a source: who works, what is done already, and what goes to a worker.

    `passed` is told of notes that are done, before or now. Where the pass has got to is kept in `partial`
    under `name`; without one nothing is kept, and nothing continued. `attach` gives each note what belongs
    to it, and `items` is what a worker then gets. `here` is for those who must see the notes themselves.
    """

    source: Source
    execute: Executor
    passed: Callable[[int], None]
    partial: Partial | None = None
    name: str = "find"
    is_done: Callable[[int], bool] = lambda number: False
    attach: Callable[[Sequence[Note]], Sequence[Note]] | None = None
    items: Callable[[Sequence[Note], Sequence[int]], Sequence[Any]] = lambda notes, numbers: notes
    here: bool = False

    def run(self, work: Setup[Any, Result]) -> Iterator[Done[Result]]:
        """Every task that was not done before, in order."""
        under_way: dict[int, tuple[Sequence[Note], Sequence[int]]] = {}
        for completion in self.execute(self._tasks(under_way), work):
            notes, numbers = under_way.pop(completion.number)
            yield Done(completion.number, notes, numbers, completion.results)
            if self.partial is not None:
                self.source.reach(self.partial, self.name, completion.number, notes)
            self.passed(len(notes))

    def _tasks(self, under_way: dict[int, tuple[Sequence[Note], Sequence[int]]]) -> Iterator[Task[Any]]:
        start = BEGINNING if self.partial is None else self.source.start(self.partial, self.name)
        self.passed(start.note - 1)
        here = self.here or self.attach is not None
        for task in self.source.tasks(self.execute, self.is_done, self.passed, start, here):
            numbers = note_numbers(task)
            notes = task.items if self.attach is None else self.attach(task.items)
            under_way[task.number] = notes, numbers
            yield Task(task.number, self.items(notes, numbers))
