"""Tasks in, completions out, in order, over the actors of a Ray cluster; see `inorder` and `actors`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from deidlab.execute.crew import Crew
from deidlab.execute.inorder import InOrder, ItemByItem, Unit
from deidlab.execute.ray.actors import Actors, limits_of
from deidlab.execute.ray.cluster import Cluster, connect
from deidlab.execute.ray.reading import read_on_nodes
from deidlab.execute.ray.sealing import RunSeal, SealedBox
from deidlab.execute.ray.settings import RaySettings
from deidlab.execute.tasks import Completion, Item, Reading, Result, Setup, Task


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
        n_cpus = max(1, round((settings.max_workers or 1) * settings.cpus)) if settings.max_workers else None
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
        actors = Actors(self.cluster.ray, self.settings, ItemByItem(setup), self.seal, self.box, self._spare)
        limits = limits_of(self.settings)
        crew: Crew[Unit] = Crew(actors, limits, actors.depth)
        try:
            yield from InOrder[Item, Result](crew, limits).run(iter(tasks))
        finally:
            crew.close()
            self.processors |= crew.processors
            self.n_fallen += crew.n_fallen
            self.n_workers = max(self.n_workers, crew.most_at_once)
