"""Workers as actors of a Ray cluster: all that goes to them and comes from them is sealed."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import Any

from deidlab.errors import ConfigError
from deidlab.execute.ray.reading import RowItems
from deidlab.execute.ray.sealing import RunSeal, SealedBox
from deidlab.execute.ray.settings import RaySettings
from deidlab.execute.ray.worker import Worker
from deidlab.execute.tasks import describe
from deidlab.execute.workers import AWAY, DIED, FATAL, READY, Limits, Start, Word

_GET_SECONDS = 120.0
_LACKS = "lacks deidlab: install it there"


def limits_of(settings: RaySettings) -> Limits:
    return Limits(**{each.name: getattr(settings, each.name) for each in fields(Limits)})


@dataclass(slots=True, eq=False)
class _Handle:
    """An actor, the calls to it that are under way, oldest first, and the node that it is on, once known."""

    actor: Any
    fresh: bool
    calls: deque[Any] = field(default_factory=deque)
    node: str = ""


class Actors:
    """Workers of one run; those that are let go are `spare` for whoever shares that list."""

    # A second unit waits at each worker, so that the way there and back costs it no time. Few start at once:
    # a worker that no node has room for brings another node.
    depth, lingers, failed_starts, starts_at_once = 2, True, 3, 4

    def __init__(
        self,
        ray: ModuleType,
        settings: RaySettings,
        start: Start,
        seal: RunSeal | None = None,
        box: SealedBox | None = None,
        spare: list[Any] | None = None,
    ) -> None:
        self._ray, self._settings, self._spare = ray, settings, spare
        self._seal = seal or RunSeal()
        self._start = self._seal.close((start, box))
        needs = {"num_cpus": settings.cpus, "num_gpus": settings.gpus, "max_restarts": 0}
        if settings.memory:
            needs["memory"] = settings.memory
        self._actor_class = ray.remote(Worker).options(
            **needs, max_task_retries=0, max_concurrency=1, scheduling_strategy="SPREAD"
        )

    def start(self) -> _Handle:
        fresh = not self._spare
        actor = self._actor_class.remote() if not self._spare else self._spare.pop()
        handle = _Handle(actor, fresh)
        handle.calls.append(actor.open.remote(self._seal.key, self._start))
        return handle

    def give(self, worker: _Handle, packed: object) -> bool:
        if isinstance(packed, RowItems):
            sealed = self._seal.close((packed.row, packed.number, packed.beside))
            worker.calls.append(worker.actor.do.remote(sealed, packed.block))
        else:
            worker.calls.append(worker.actor.do.remote(packed))
        return True

    def wait(self, workers: Sequence[_Handle], seconds: float) -> list[Word]:
        calls = {each.calls[0]: each for each in workers if each.calls}
        if not calls:
            time.sleep(min(seconds, 0.05))
            return []
        # The first to speak ends the waiting; of the others, who has spoken by then.
        first, rest = self._ray.wait(list(calls), num_returns=1, timeout=seconds)
        more = self._ray.wait(rest, num_returns=len(rest), timeout=0)[0] if first and rest else []
        return [self._hear(calls[call], call) for call in (*first, *more)]

    def _hear(self, worker: _Handle, call: Any) -> Word:
        worker.calls.popleft()
        try:
            kind, value = self._seal.open(self._ray.get(call, timeout=_GET_SECONDS))
        except self._ray.exceptions.RayError as error:
            return self._explain(worker, error)
        if kind == READY:
            worker.node = value["node"]
        return Word(worker, kind, value)

    def _explain(self, worker: _Handle, error: Exception) -> Word:
        text = str(error)
        if "ModuleNotFoundError" in text or "ImportError" in text:
            return Word(worker, FATAL, ConfigError(f"a node of the cluster {_LACKS}"))
        away = isinstance(error, self._ray.exceptions.ActorUnavailableError) or "its node has died" in text
        gone = worker.node and worker.node not in {node["NodeID"] for node in self._nodes()}
        return Word(worker, AWAY if away or gone else DIED)

    def end(self, worker: _Handle) -> None:
        with contextlib.suppress(Exception):
            self._ray.kill(worker.actor, no_restart=True)

    def release(self, worker: _Handle) -> None:
        if self._spare is None:
            self.end(worker)
        else:
            self._spare.append(worker.actor)

    def close(self) -> None:
        """Nothing is left: Ray ends what was killed."""

    def pack(self, value: object) -> object:
        if isinstance(value, RowItems):
            return value
        return self._seal.close(value)

    def unpack(self, packed: Any) -> Any:
        return tuple(packed) if isinstance(packed, RowItems) else self._seal.open(packed)

    def room(self) -> int:
        """How many workers the nodes have room for, were nothing else there."""
        return sum(self._fits(node) for node in self._nodes())

    def describe_lack(self) -> str:
        has, asked = self._ray.cluster_resources(), self._settings
        return (
            f"each asks for {asked.cpus:g} CPU and {asked.gpus:g} GPU, and all nodes together have "
            f"{has.get('CPU', 0):g} and {has.get('GPU', 0):g}"
        )

    def ask_nodes(self, look: Callable[[], str]) -> list[tuple[str, str]]:
        """What `look` returns on each node that has room for a worker, with the node's name."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        calls = []
        for node in self._nodes():
            if self._fits(node):
                where = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                task = self._ray.remote(_look).options(num_cpus=0, scheduling_strategy=where, max_retries=1)
                calls.append((node["NodeManagerHostname"], task.remote(look)))
        answers = []
        for name, call in calls:
            try:
                answers.append((name, self._ray.get(call, timeout=self._settings.start_seconds)))
            except self._ray.exceptions.RayError as error:
                # A node that went meanwhile has nothing to say.
                if "ModuleNotFoundError" in str(error):
                    answers.append((name, _LACKS))
        return answers

    def _nodes(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def _fits(self, node: dict[str, Any]) -> int:
        has, asked = node["Resources"], self._settings
        needs = {"CPU": asked.cpus, "GPU": asked.gpus, "memory": asked.memory or 0}
        return min(int(has.get(name, 0.0) / need + 1e-6) for name, need in needs.items() if need)


def _look(look: Callable[[], str]) -> str:
    try:
        return look()
    except BaseException as error:
        return describe(error)
