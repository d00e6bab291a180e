"""Short tasks in, completions out, in order, over the workers of a crew.

A bounded number of tasks and bytes is under way, so that memory does not grow with the corpus and a slow
worker slows the reading. When a worker dies, the unit that it was at is cut into its items, and these are
tried alone; an item whose workers keep dying is given up after `tries` of them, and takes nobody with it.
Results count when they are here, so whatever was done twice is written once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic

from deidlab.execute.crew import Answer, Crew, Losses, died
from deidlab.execute.tasks import Completion, Failed, Item, Result, Setup, Task, attempt
from deidlab.execute.workers import AWAY, BROKEN, DONE, Limits, Serve

# How many tasks may be ahead of the slowest, for each worker: more evens out, and holds more in memory.
_AHEAD = 4
_TICK = 0.5


@dataclass(frozen=True, slots=True)
class ItemByItem(Generic[Item, Result]):
    """A setup as a worker starts with it: an item that fails takes no other with it."""

    setup: Setup[Item, Result]

    def __call__(self) -> Serve:
        return partial(attempt, self.setup())


@dataclass(frozen=True, slots=True)
class Unit:
    """Items on their way, a task's or one alone, packed."""

    number: int
    place: int
    n_items: int
    packed: Any = field(repr=False)
    alone: bool = False
    losses: Losses = field(default_factory=Losses)


@dataclass(slots=True)
class _Under(Generic[Result]):
    """A task under way: its results by place as they come, how many there will be, and its bytes."""

    n_items: int
    size: int
    results: dict[int, Result | Failed] = field(default_factory=dict, repr=False)

    @property
    def is_whole(self) -> bool:
        return len(self.results) == self.n_items


class InOrder(Generic[Item, Result]):
    """One run over the tasks of a source."""

    def __init__(self, crew: Crew[Unit], limits: Limits) -> None:
        self._crew, self._limits = crew, limits
        self._queue: deque[Unit] = deque()
        self._under: dict[int, _Under[Result]] = {}
        self._order: deque[int] = deque()
        self._n_bytes = 0
        self._open_ended = True

    def run(self, source: Iterator[Task[Item]]) -> Iterator[Completion[Result]]:
        while self._open_ended or self._order:
            if self._has_room():
                self._read(source)
                # A slow source gives workers time to answer: so that these are free again, not the next ones.
                self._collect(0)
            self._hand_out()
            self._crew.fit(len(self._queue))
            if not self._has_room():
                self._collect(_TICK)
            while self._order and self._under[self._order[0]].is_whole:
                yield self._release()

    def _collect(self, seconds: float) -> None:
        if not self._order or self._under[self._order[0]].is_whole:
            seconds = 0
        for answer in self._crew.collect(seconds):
            if answer.kind == DONE:
                self._keep(answer.units[0], answer.value)
            else:
                self._take_back(answer)

    def _has_room(self) -> bool:
        """Whether to read on: little waits, few are under way, and few bytes are held."""
        n_workers = self._crew.reach
        return (
            self._open_ended
            and len(self._queue) < self._crew.depth * n_workers
            and len(self._order) < _AHEAD * n_workers
            and self._n_bytes < self._limits.bytes_under_way
        )

    def _read(self, source: Iterator[Task[Item]]) -> None:
        task = next(source, None)
        if task is None:
            self._open_ended = False
            return
        unit = Unit(task.number, 0, len(task.items), self._crew.workers.pack(task.items))
        size = len(unit.packed) if isinstance(unit.packed, bytes) else 0
        self._order.append(task.number)
        self._under[task.number] = _Under(unit.n_items, size)
        self._n_bytes += size
        if unit.n_items:
            self._queue.append(unit)

    def _hand_out(self) -> None:
        while self._queue and (member := self._crew.free(self._queue[0].alone)) is not None:
            unit = self._queue[0]
            if self._crew.give(member, unit, unit.packed, unit.alone):
                self._queue.popleft()

    def _keep(self, unit: Unit, results: Iterable[Result | Failed]) -> None:
        self._under[unit.number].results.update(enumerate(results, start=unit.place))

    def _take_back(self, answer: Answer[Unit]) -> None:
        """Of a fallen worker's units the oldest is the one that it was at, unless its answer was lost.

        So all of them are from now on alone with a worker, where there is no doubt.
        """
        culprit, *waited = answer.units
        self._queue.extendleft(replace(unit, alone=True) for unit in reversed(waited))
        if culprit.n_items > 1:
            self._queue.extendleft(reversed(list(self._cut(culprit))))
        elif not culprit.alone and self._crew.depth > 1:
            self._queue.appendleft(replace(culprit, alone=True))
        elif culprit.losses.count(answer.kind == AWAY, self._limits.tries):
            self._queue.appendleft(culprit)
        else:
            reason = answer.value if answer.kind == BROKEN else died(self._limits.tries)
            self._keep(culprit, (Failed(reason),))

    def _cut(self, unit: Unit) -> Iterator[Unit]:
        workers = self._crew.workers
        for place, item in enumerate(workers.unpack(unit.packed)):
            yield Unit(unit.number, place, 1, workers.pack((item,)), alone=True)

    def _release(self) -> Completion[Result]:
        number = self._order.popleft()
        under = self._under.pop(number)
        self._n_bytes -= under.size
        return Completion(number, tuple(under.results[place] for place in range(under.n_items)))
