"""The workers of one run: as many as there is work for, within limits; the fallen are replaced.

On a cluster, asking for a worker that no node has room for is what makes an autoscaler bring a node; letting
an idle one go is what lets it take the node away again.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import deidlab
from deidlab.errors import ConfigError, DeidError
from deidlab.execute.workers import DIED, DONE, FATAL, READY, Limits, Word, Workers

Unit = TypeVar("Unit")
_LOOK_SECONDS = 2.0
# A unit is not to blame for its node; one that takes its node with it each time is.
_AWAY_FOR_A_TRY = 10


@dataclass(slots=True)
class Losses:
    """How often a unit was lost: by the death of its worker, and through no part of its own."""

    died: int = 0
    away: int = 0

    def count(self, away: bool, tries: int) -> bool:
        """One more; whether the unit is tried again. A node may take many with it, but not for ever."""
        self.away += away
        self.died += not away
        return self.died < tries and self.away < _AWAY_FOR_A_TRY * tries


def died(tries: int) -> str:
    """Why a unit was given up."""
    times = "" if tries == 1 else f", {tries} times"
    return f"its worker process ended without an answer{times} (out of memory?)"


@dataclass(slots=True, eq=False)
class Member(Generic[Unit]):
    """A worker and the units that it has, oldest first; with one `alone` nothing waits behind it."""

    worker: Any
    ready: bool = False
    alone: bool = False
    held: deque[Unit] = field(default_factory=deque, repr=False)
    started: float = field(default_factory=time.monotonic)
    idle_since: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Unit]):
    """What became of units: one that is DONE, or those that a fallen worker had, oldest first."""

    units: tuple[Unit, ...]
    kind: str
    value: Any = field(default=None, repr=False)


class Crew(Generic[Unit]):
    """Who is there, who is free, who has fallen; each has `depth` units at most."""

    def __init__(self, workers: Workers, limits: Limits, depth: int = 1) -> None:
        self.workers, self.depth = workers, depth
        self._limits = limits
        self._members: list[Member[Unit]] = []
        self._failed_starts, self._failed_at = 0, 0.0
        self._looked, self._room = float("-inf"), 1
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
        return max(self.workers.starts_at_once, n_ready, self._limits.min_workers)

    def free(self, alone: bool = False) -> Member[Unit] | None:
        """A worker that can take a unit, the one with the least to do; if `alone`, one with nothing."""
        depth = 1 if alone else self.depth
        ready = [each for each in self._members if each.ready and not each.alone and len(each.held) < depth]
        return min(ready, key=lambda each: len(each.held), default=None)

    def give(self, member: Member[Unit], unit: Unit, packed: object, alone: bool = False) -> bool:
        """Hand a unit over; False where the worker turns out to be gone, and the unit is nobody's."""
        if not self.workers.give(member.worker, packed):
            # Nobody else is sent there; that it is gone is heard of in time.
            member.alone = True
            return False
        member.held.append(unit)
        member.alone = alone
        return True

    def fit(self, n_waiting: int) -> None:
        """Start workers while units wait that nobody is free for; let those go that nobody needs."""
        now = time.monotonic()
        starting = sum(not each.ready for each in self._members)
        n_ready = self.size - starting
        while self.size < self.reach and starting < self._at_once() and n_waiting > starting * self.depth:
            if n_ready and self.free() is not None:
                break
            self._members.append(Member(self.workers.start()))
            self.most_at_once = max(self.most_at_once, self.size)
            starting += 1
        for member in list(self._members):
            if not member.ready or member.held or n_waiting:
                member.idle_since = now
            elif now - member.idle_since > self._limits.idle_seconds and self.size > self._limits.min_workers:
                self._drop(member)
        if n_ready or not n_waiting:
            self._ready_at = now
        elif now - self._ready_at > self._limits.start_seconds:
            lack = self.workers.describe_lack()
            raise ConfigError(f"no worker was ready within {self._limits.start_seconds:.0f} s: {lack}")

    def collect(self, seconds: float) -> list[Answer[Unit]]:
        """What workers answered, waiting that long for a first answer."""
        members = {id(each.worker): each for each in self._members}
        words = self.workers.wait([each.worker for each in self._members], seconds)
        found = (self._hear(members[id(word.worker)], word) for word in words)
        return [each for each in found if each is not None]

    def close(self) -> None:
        """End the workers that are at something, and let the others go."""
        for member in self._members:
            idle = member.ready and not member.held
            (self.workers.release if idle else self.workers.end)(member.worker)
        self._members = []
        self.workers.close()

    def _hear(self, member: Member[Unit], word: Word) -> Answer[Unit] | None:
        if word.kind == FATAL:
            raise word.value
        if word.kind == READY:
            self._check(word.value)
            member.ready, self._failed_starts = True, 0
            member.idle_since = time.monotonic()
            return None
        if word.kind == DONE:
            member.alone, member.idle_since = False, time.monotonic()
            return Answer((member.held.popleft(),), DONE, word.value)
        return self._fall(member, word)

    def _fall(self, member: Member[Unit], word: Word) -> Answer[Unit] | None:
        """A worker ended, or cannot be reached, which is the same to us: what it still does, nobody takes."""
        self.n_fallen += 1
        # Of workers that end together as they start, one counts.
        failed = word.kind == DIED and not member.ready and member.worker.fresh
        if failed and member.started > self._failed_at:
            self._failed_starts, self._failed_at = self._failed_starts + 1, time.monotonic()
        self._drop(member)
        if self._failed_starts >= max(self.workers.failed_starts, self._limits.tries):
            in_a_row = "it" if self._failed_starts == 1 else f"{self._failed_starts} in a row"
            raise DeidError(f"a worker could not start: {in_a_row} died before being ready (out of memory?)")
        return Answer(tuple(member.held), word.kind, word.value) if member.held else None

    def _drop(self, member: Member[Unit]) -> None:
        self._members.remove(member)
        self.workers.end(member.worker)

    def _check(self, facts: dict[str, Any]) -> None:
        if facts["deidlab"] != deidlab.__version__:
            raise ConfigError(
                f"a worker has DeidLab {facts['deidlab']}, this machine {deidlab.__version__}: "
                "install the same on all nodes"
            )
        self.processors.add(facts["processor"])

    def _most(self) -> int:
        """As many as were asked for, or as many as there is room for now."""
        if self._limits.max_workers:
            return self._limits.max_workers
        now = time.monotonic()
        if now - self._looked > _LOOK_SECONDS:
            self._looked, self._room = now, max(self._limits.min_workers, self.workers.room())
        return self._room
