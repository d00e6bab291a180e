"""Long jobs on Ray: a few actors that each have one job at a time, and word of what becomes of them.

Tasks (see `executor`) are many and short, and an item that is tried again costs little. A job may take hours
and leaves its results on disk, so whoever hands it out decides what a lost one means. Whatever happens in an
actor comes back as a value: Ray would quote arguments and lines of code.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from deidlab.errors import DeidError
from deidlab.execute.ray.settings import RaySettings
from deidlab.execute.tasks import describe

OPENED, DONE, STOPPED, FATAL, LOST, CUT_OFF = "opened", "done", "stopped", "fatal", "lost", "cut off"
"""What is said of a host. LOST: its process ended. CUT_OFF: its node is gone, or cannot be reached."""


class Service(Protocol):
    """What works in an actor: `facts` tell of it, `do` does a job."""

    facts: dict[str, Any]

    def do(self, value: Any) -> Any: ...


Open = Callable[[], Service]
"""Called once in each actor; it must travel there, so a module holds its class."""


@dataclass(slots=True)
class Host:
    """An actor, and the call to it that is under way."""

    actor: Any
    call: Any
    node: str = ""
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """What is said of a host; FATAL brings the kind of error and its message."""

    host: Host
    kind: str
    value: Any = None


class Hosts:
    """Actors that are asked for and given up one by one."""

    def __init__(self, ray: Any, open: Open, settings: RaySettings) -> None:
        self._ray, self._settings = ray, settings
        self._all: list[Host] = []
        # Written once to the object store rather than with every actor.
        self._open = ray.put(open)
        self._kind = ray.remote(_Actor).options(
            num_cpus=settings.cpus,
            num_gpus=settings.gpus,
            memory=settings.memory,
            max_restarts=0,
            max_task_retries=0,
        )

    def start(self) -> Host:
        """Ask for one more; Ray starts it when there is room, and OPENED or FATAL is said of it."""
        actor = self._kind.remote(self._open)
        host = Host(actor, actor.open.remote())
        self._all.append(host)
        return host

    def give(self, host: Host, value: Any) -> None:
        host.call = host.actor.do.remote(value)

    def drop(self, host: Host) -> None:
        """End an actor, in the middle of whatever it does."""
        self._all.remove(host)
        with contextlib.suppress(Exception):
            self._ray.kill(host.actor, no_restart=True)

    def wait(self, seconds: float) -> Iterator[Word]:
        """What is said within that time; of whom neither OPENED nor DONE is said is given up."""
        calls = {host.call: host for host in self._all if host.call is not None}
        if not calls:
            time.sleep(seconds)
            return
        # The first to speak ends the waiting; of the others, who has spoken by then.
        self._ray.wait(list(calls), num_returns=1, timeout=seconds)
        ready, _ = self._ray.wait(list(calls), num_returns=len(calls), timeout=0)
        for call in ready:
            host = calls[call]
            host.call = None
            word = self._hear(host, call)
            if word.kind not in (OPENED, DONE):
                self.drop(host)
            yield word

    def _hear(self, host: Host, call: Any) -> Word:
        try:
            kind, value = self._ray.get(call)
        except self._ray.exceptions.RayError as error:
            return self._explain(host, error)
        if kind == OPENED:
            host.opened, host.node = True, value.pop("node")
        return Word(host, kind, value)

    def _explain(self, host: Host, error: Any) -> Word:
        text = str(error)
        if "ModuleNotFoundError" in text or "ImportError" in text:
            return Word(host, FATAL, ("ConfigError", "a node of the cluster lacks deidlab: install it there"))
        away = isinstance(error, self._ray.exceptions.ActorUnavailableError) or "its node has died" in text
        alive = {node["NodeID"] for node in self._ray.nodes() if node["Alive"]}
        return Word(host, CUT_OFF if away or (host.node and host.node not in alive) else LOST)

    def room(self) -> int:
        """How many hosts the nodes have room for, were nothing else there."""
        return sum(self._fits(node) for node in self._nodes())

    def ask_nodes(self, look: Callable[[], Any]) -> list[tuple[str, Any]]:
        """What `look` returns on each node that has room for a host, with the node's name."""
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
                    answers.append((name, "lacks deidlab: install it there"))
        return answers

    def close(self) -> None:
        for host in list(self._all):
            self.drop(host)

    def _nodes(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def _fits(self, node: dict[str, Any]) -> int:
        has = node["Resources"]
        needs = {"CPU": self._settings.cpus, "GPU": self._settings.gpus}
        return min(int(has.get(name, 0.0) / need + 1e-9) for name, need in needs.items() if need)


class _Actor:
    """A worker's life on Ray. Nothing escapes it: Ray would log an exception with its data."""

    def __init__(self, open: Open) -> None:
        self._open = open
        self._service: Service | None = None

    def open(self) -> tuple[str, Any]:
        return _guard(self._begin)

    def do(self, value: Any) -> tuple[str, Any]:
        assert self._service is not None
        service = self._service
        return _guard(lambda: (DONE, service.do(value)))

    def _begin(self) -> tuple[str, Any]:
        import ray

        self._service = self._open()
        return OPENED, self._service.facts | {"node": ray.get_runtime_context().get_node_id()}


def _guard(work: Callable[[], tuple[str, Any]]) -> tuple[str, Any]:
    try:
        return work()
    except KeyboardInterrupt:
        return STOPPED, None
    except BaseException as error:
        return FATAL, (type(error).__name__, str(error) if isinstance(error, DeidError) else describe(error))


def _look(look: Callable[[], Any]) -> Any:
    try:
        return look()
    except BaseException as error:
        return describe(error)
