"""Actors in a pool: as many as there is work for, between the least and the most; the fallen are replaced.

Asking for an actor that no node has room for is what makes Ray's autoscaler bring a node; letting an idle one
go is what lets it take the node away again.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import deidlab
from deidlab.errors import ConfigError, DeidError
from deidlab.execute.ray.sealing import RunSeal
from deidlab.execute.ray.settings import RaySettings
from deidlab.execute.ray.worker import FATAL, Worker

Unit = TypeVar("Unit")
# A second unit waits at each worker, so that the way there and back costs it no time.
DEPTH = 2
_STARTING_AT_ONCE = 4
_LOOK_SECONDS = 2.0
_GET_SECONDS = 120.0


@dataclass(slots=True, eq=False)
class Member(Generic[Unit]):
    """An actor, the call that opens it, and the units that it has, oldest first."""

    actor: Any
    opening: Any
    fresh: bool
    ready: bool = False
    started: float = field(default_factory=time.monotonic)
    alone: bool = False
    held: deque[tuple[Any, Unit]] = field(default_factory=deque, repr=False)
    idle_since: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Unit]):
    """What became of units: one that is done, or those that a fallen worker had, oldest first."""

    done: Unit | None = None
    results: Any = field(default=None, repr=False)
    fallen: tuple[Unit, ...] = ()


class ActorPool(Generic[Unit]):
    """Workers of one run."""

    def __init__(
        self, ray: Any, settings: RaySettings, seal: RunSeal, sealed_setup: bytes, spare: list[Any]
    ) -> None:
        self._ray, self._settings, self._seal, self._setup = ray, settings, seal, sealed_setup
        self._spare = spare
        self._members: list[Member[Unit]] = []
        needs = {"num_cpus": settings.cpus, "num_gpus": settings.gpus, "max_restarts": 0}
        if settings.memory:
            needs["memory"] = settings.memory
        self._actor_class = ray.remote(Worker).options(
            **needs, max_task_retries=0, max_concurrency=1, scheduling_strategy="SPREAD"
        )
        self._failed_starts, self._failed_at = 0, 0.0
        self._looked, self._room = 0.0, 1
        self._ready_at = time.monotonic()
        self.processors: set[str] = set()
        self.n_fallen = self.most_at_once = 0

    @property
    def size(self) -> int:
        return len(self._members)

    @property
    def reach(self) -> int:
        """How many workers there will be if all that could be asked for now were there."""
        return min(self._most(), self.size + self._at_once())

    def _at_once(self) -> int:
        n_ready = sum(each.ready for each in self._members)
        return max(_STARTING_AT_ONCE, n_ready, self._settings.least)

    def free(self, alone: bool = False) -> Member[Unit] | None:
        """A worker that can take a unit, the one with the least to do; if `alone`, one with nothing."""
        depth = 1 if alone else DEPTH
        ready = [each for each in self._members if each.ready and not each.alone and len(each.held) < depth]
        return min(ready, key=lambda each: len(each.held), default=None)

    def give(self, member: Member[Unit], unit: Unit, call: Any, alone: bool = False) -> None:
        """`call` takes the actor and gives the reference to the answer; `alone`, nothing waits behind it."""
        member.held.append((call(member.actor), unit))
        member.alone = alone

    def fit(self, n_waiting: int) -> None:
        """Start workers while units wait that nobody is free for; let those go that nobody needs."""
        now = time.monotonic()
        starting = sum(not each.ready for each in self._members)
        n_ready = self.size - starting
        while self.size < self.reach and starting < self._at_once() and n_waiting > starting * DEPTH:
            if n_ready and self.free() is not None:
                break
            self._start()
            starting += 1
        for member in list(self._members):
            if not member.ready or member.held or n_waiting:
                member.idle_since = now
            elif now - member.idle_since > self._settings.idle_seconds and self.size > self._settings.least:
                self._drop(member)
        if n_ready:
            self._ready_at = now
        elif n_waiting and now - self._ready_at > self._settings.start_seconds:
            raise ConfigError(self._no_room())

    def collect(self, seconds: float) -> list[Answer[Unit]]:
        """What workers answered, waiting that long for a first answer."""
        by_ref = {each.opening: each for each in self._members if not each.ready}
        by_ref |= {ref: each for each in self._members for ref, _ in each.held}
        if not by_ref:
            if seconds:
                time.sleep(min(seconds, 0.05))
            return []
        refs = list(by_ref)
        first, rest = self._ray.wait(refs, num_returns=1, timeout=seconds)
        more = self._ray.wait(rest, num_returns=len(rest), timeout=0)[0] if first and rest else []
        answers = []
        for ref in (*first, *more):
            member = by_ref[ref]
            if member in self._members and (answer := self._take(member, ref)) is not None:
                answers.append(answer)
        return answers

    def close(self) -> None:
        """End the workers that are at something; the others are spare, for whoever comes next."""
        for member in list(self._members):
            if member.ready and not member.held:
                self._members.remove(member)
                self._spare.append(member.actor)
            else:
                self._drop(member)

    def _take(self, member: Member[Unit], ref: Any) -> Answer[Unit] | None:
        sealed = None
        with contextlib.suppress(self._ray.exceptions.RayError):
            sealed = self._ray.get(ref, timeout=_GET_SECONDS)
        if sealed is None:
            return self._fall(member)
        kind, value = self._seal.open(sealed)
        if kind == FATAL:
            raise value
        if ref == member.opening:
            self._check(value)
            member.ready, self._failed_starts = True, 0
            member.idle_since = time.monotonic()
            return None
        unit = next(unit for held, unit in member.held if held == ref)
        member.held = deque(pair for pair in member.held if pair[0] != ref)
        member.alone = False
        return Answer(unit, value)

    def _fall(self, member: Member[Unit]) -> Answer[Unit]:
        """A worker died, or cannot be reached, which is the same to us: what it still does, nobody takes."""
        self.n_fallen += 1
        # Of workers that a node takes down with it as they start, one counts.
        if not member.ready and member.fresh and member.started > self._failed_at:
            self._failed_starts, self._failed_at = self._failed_starts + 1, time.monotonic()
        self._drop(member)
        if self._failed_starts >= self._settings.tries:
            raise DeidError(
                f"a worker could not start: {self._failed_starts} in a row died before they were ready"
            )
        return Answer(fallen=tuple(unit for _, unit in member.held))

    def _start(self) -> None:
        fresh = not self._spare
        actor = self._actor_class.remote() if fresh else self._spare.pop()
        self._members.append(Member(actor, actor.open.remote(self._seal.key, self._setup), fresh))
        self.most_at_once = max(self.most_at_once, self.size)

    def _drop(self, member: Member[Unit]) -> None:
        self._members.remove(member)
        with contextlib.suppress(Exception):
            self._ray.kill(member.actor, no_restart=True)

    def _check(self, facts: dict[str, str]) -> None:
        if facts["deidlab"] != deidlab.__version__:
            raise ConfigError(
                f"a worker has DeidLab {facts['deidlab']}, this machine {deidlab.__version__}: "
                "install the same on all nodes"
            )
        self.processors.add(facts["processor"])

    def _most(self) -> int:
        """The most that was asked for, or as many as the nodes of now have room for."""
        if self._settings.most:
            return self._settings.most
        now = time.monotonic()
        if now - self._looked > _LOOK_SECONDS:
            self._looked, self._room = now, max(self._settings.least, self._count_room())
        return self._room

    def _count_room(self) -> int:
        rooms = [self._room_of(node["Resources"]) for node in self._ray.nodes() if node["Alive"]]
        return sum(rooms)

    def _room_of(self, has: dict[str, float]) -> int:
        asked = {"CPU": self._settings.cpus, "GPU": self._settings.gpus, "memory": self._settings.memory or 0}
        return min(int(has.get(name, 0.0) / amount + 1e-6) for name, amount in asked.items() if amount)

    def _no_room(self) -> str:
        has, asked = self._ray.cluster_resources(), self._settings
        return (
            f"no worker was ready within {asked.start_seconds:.0f} s: each asks for {asked.cpus:g} CPU and "
            f"{asked.gpus:g} GPU, and all nodes together have {has.get('CPU', 0):g} and {has.get('GPU', 0):g}"
        )
