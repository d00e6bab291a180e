"""Tasks done on this machine: in this process, or by several others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from deidlab.execute.tasks import Completion, Item, Reading, Result, Setup, Task, attempt


def run_tasks(
    tasks: Iterable[Task[Item]], setup: Setup[Item, Result], n_workers: int = 1
) -> Iterator[Completion[Result]]:
    """One completion a task, in order. With one worker, or one task, the work is done in this process."""
    source = iter(tasks)
    first = tuple(islice(source, 2)) if n_workers > 1 else ()
    if n_workers > 1 and len(first) == 2:
        yield from _by_processes(chain(first, source), setup, n_workers)
        return
    work = None
    for task in chain(first, source):
        work = work or setup()
        yield Completion(task.number, attempt(work, task.items))


def _by_processes(
    tasks: Iterator[Task[Item]], setup: Setup[Item, Result], n_workers: int
) -> Iterator[Completion[Result]]:
    # Imported here: most runs are short, and do without.
    from deidlab.execute.crew import Crew
    from deidlab.execute.inorder import InOrder, ItemByItem, Unit
    from deidlab.execute.processes import Processes
    from deidlab.execute.workers import Limits

    limits = Limits(n_workers)
    crew: Crew[Unit] = Crew(Processes(ItemByItem(setup)), limits)
    try:
        yield from InOrder[Item, Result](crew, limits).run(tasks)
    finally:
        crew.close()


@dataclass(frozen=True, slots=True)
class Local:
    """`run_tasks` as an executor."""

    n_workers: int = 1

    def __call__(
        self, tasks: Iterable[Task[Item]], setup: Setup[Item, Result]
    ) -> Iterator[Completion[Result]]:
        return run_tasks(tasks, setup, self.n_workers)

    def describe(self) -> dict[str, Any]:
        return {"engine": "local", "workers": self.n_workers}

    def read(
        self, reading: Reading[Item], numbers: Sequence[int], lengths: Sequence[int]
    ) -> Iterator[Task[Item]]:
        return (Task(number, items) for number, items in zip(numbers, reading.read(numbers), strict=True))
