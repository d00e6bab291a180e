"""Tasks in, completions out, in order, over the actors of a Ray cluster.

A bounded number of tasks and bytes is under way, so that memory does not grow with the corpus and a slow
worker slows the reading. When a worker dies, the unit that it was at is cut into its items, and these are
tried alone; an item whose workers keep dying is given up after `tries` of them, and takes nobody with it.
Results count when the driver has them, so whatever was done twice is written once.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic

from deidlab.execute.ray.cluster import Cluster, connect
from deidlab.execute.ray.pool import DEPTH, ActorPool
from deidlab.execute.ray.reading import RowItems, read_on_nodes
from deidlab.execute.ray.sealing import RunSeal, SealedBox
from deidlab.execute.ray.settings import RaySettings
from deidlab.execute.tasks import Completion, Failed, Item, Reading, Result, Setup, Task

# As for the local executor: how many tasks may be ahead of the slowest, for each worker.
_AHEAD = 4
_TICK = 0.5


class RayExecutor:
    """An executor while it is entered; `processors` tells afterwards on what work was done."""

    def __init__(self, settings: RaySettings) -> None:
        self.settings = settings
        self.processors: set[str] = set()
        self.n_fallen = self.n_workers = 0
        self.seal, self.box = RunSeal(), SealedBox()
        self._stack = contextlib.ExitStack()
        self._spare: list[Any] = []
        self._cluster: Cluster | None = None

    def describe(self) -> dict[str, Any]:
        """For the record: how many workers there were at most, how many fell, and on what they computed."""
        return {
            "engine": "ray",
            "workers": self.n_workers,
            "fallen": self.n_fallen,
            "processors": sorted(self.processors),
        }

    def __enter__(self) -> RayExecutor:
        settings = self.settings
        n_cpus = max(1, round((settings.most or 1) * settings.cpus)) if settings.most else None
        self._cluster = self._stack.enter_context(connect(settings.address, n_cpus))
        return self

    def __exit__(self, *_: object) -> None:
        while self._spare:
            with contextlib.suppress(Exception):
                self.cluster.ray.kill(self._spare.pop(), no_restart=True)
        self._stack.close()

    @property
    def cluster(self) -> Cluster:
        assert self._cluster is not None, "enter the executor first"
        return self._cluster

    def read(
        self, reading: Reading[Item], numbers: Sequence[int], lengths: Sequence[int]
    ) -> Iterator[Task[Item]]:
        """Read by Ray Data on the nodes; the tasks hold only references, and their items never come here."""
        return read_on_nodes(self.cluster.ray, self.box, reading, numbers, lengths, self.settings.tries)

    def __call__(
        self, tasks: Iterable[Task[Item]], setup: Setup[Item, Result]
    ) -> Iterator[Completion[Result]]:
        pool: ActorPool[_Unit] = ActorPool(
            self.cluster.ray, self.settings, self.seal, self.seal.close((setup, self.box)), self._spare
        )
        try:
            yield from _Run[Item, Result](pool, self.settings, self.seal).run(iter(tasks))
        finally:
            pool.close()
            self.processors |= pool.processors
            self.n_fallen += pool.n_fallen
            self.n_workers = max(self.n_workers, pool.most_at_once)


def died(tries: int) -> str:
    """Why an item was given up."""
    times = "" if tries == 1 else f", {tries} times"
    return f"its worker process ended without an answer{times} (out of memory?)"


@dataclass(frozen=True, slots=True)
class _Unit:
    """Items on their way, a task's or one alone: as sealed bytes, or as a row of a block elsewhere."""

    number: int
    place: int
    n_items: int
    sealed: bytes = field(default=b"", repr=False)
    row: RowItems | None = field(default=None, repr=False)
    alone: bool = False
    n_deaths: int = 0


@dataclass(slots=True)
class _Under(Generic[Result]):
    """A task under way: its results by place as they come, how many there will be, and its bytes."""

    n_items: int
    size: int
    results: dict[int, Result | Failed] = field(default_factory=dict, repr=False)

    @property
    def is_whole(self) -> bool:
        return len(self.results) == self.n_items


class _Run(Generic[Item, Result]):
    def __init__(self, pool: ActorPool[_Unit], settings: RaySettings, seal: RunSeal) -> None:
        self._pool, self._settings, self._seal = pool, settings, seal
        self._queue: deque[_Unit] = deque()
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
            self._pool.fit(len(self._queue))
            if not self._has_room():
                self._collect(_TICK)
            while self._order and self._under[self._order[0]].is_whole:
                yield self._release()

    def _collect(self, seconds: float) -> None:
        for answer in self._pool.collect(seconds) if self._order else ():
            if answer.done is not None:
                self._keep(answer.done, answer.results)
            else:
                self._take_back(answer.fallen)

    def _has_room(self) -> bool:
        """Whether to read on: little waits, few are under way, and few bytes are held."""
        n_workers = self._pool.reach
        return (
            self._open_ended
            and len(self._queue) < DEPTH * n_workers
            and len(self._order) < _AHEAD * n_workers
            and self._n_bytes < self._settings.bytes_under_way
        )

    def _read(self, source: Iterator[Task[Item]]) -> None:
        task = next(source, None)
        if task is None:
            self._open_ended = False
            return
        n_items = len(task.items)
        if isinstance(task.items, RowItems):
            unit = _Unit(task.number, 0, n_items, row=task.items)
        else:
            unit = _Unit(task.number, 0, n_items, sealed=self._seal.close(tuple(task.items)))
        self._order.append(task.number)
        self._under[task.number] = _Under(n_items, len(unit.sealed))
        self._n_bytes += len(unit.sealed)
        if n_items:
            self._queue.append(unit)

    def _hand_out(self) -> None:
        while self._queue and (member := self._pool.free(self._queue[0].alone)) is not None:
            unit = self._queue.popleft()
            call = partial(_call, unit=unit, seal=self._seal)
            self._pool.give(member, unit, call, unit.alone)

    def _keep(self, unit: _Unit, results: Iterable[Result | Failed]) -> None:
        self._under[unit.number].results.update(enumerate(results, start=unit.place))

    def _take_back(self, fallen: tuple[_Unit, ...]) -> None:
        """Of a fallen worker's units the oldest is the one that it was at, unless its answer was lost.

        So all of them are from now on alone with a worker, where there is no doubt.
        """
        for waited in reversed(fallen[1:]):
            self._queue.appendleft(replace(waited, alone=True))
        for unit in fallen[:1]:
            if unit.n_items > 1:
                self._queue.extendleft(reversed(list(self._cut(unit))))
            elif unit.alone and unit.n_deaths + 1 >= self._settings.tries:
                self._keep(unit, (Failed(died(self._settings.tries)),))
            else:
                n_deaths = unit.n_deaths + unit.alone
                self._queue.appendleft(replace(unit, n_deaths=n_deaths, alone=True))

    def _cut(self, unit: _Unit) -> Iterator[_Unit]:
        items = self._seal.open(unit.sealed) if unit.row is None else tuple(unit.row)
        for place, item in enumerate(items):
            yield _Unit(unit.number, place, 1, sealed=self._seal.close((item,)), alone=True)

    def _release(self) -> Completion[Result]:
        number = self._order.popleft()
        under = self._under.pop(number)
        self._n_bytes -= under.size
        return Completion(number, tuple(under.results[place] for place in range(under.n_items)))


def _call(actor: Any, unit: _Unit, seal: RunSeal) -> Any:
    if unit.row is None:
        return actor.do.remote(unit.sealed)
    return actor.do_row.remote(unit.row.block, unit.row.row, unit.row.number, unit.row.seal_beside(seal))
