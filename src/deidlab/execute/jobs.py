"""Long jobs in, what becomes of them out, in whatever order they end, over the workers of a crew.

A job may take hours and leaves its results in files, so it is tried again from where it stood, by another
worker, in another folder (see `attempts`). A `Home` says what an attempt begins with and takes what it left.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from deidlab.execute.attempts import GRACE_SECONDS, Attempt, find_attempts
from deidlab.execute.crew import Answer, Crew, Losses, died
from deidlab.execute.tasks import Failed
from deidlab.execute.workers import BROKEN, DIED, DONE, Limits, Workers

LOST = "its node was lost"
UNSEEN = "what its worker wrote did not appear here: its node does not share the folder"
_CARRY_SECONDS = 1.0
_STOP_SECONDS = 60.0


class Home(Protocol):
    """Where the files of attempts come from and go to."""

    def open(self, attempt: Attempt) -> Any:
        """Fill the folder with what earlier attempts left; the value that the worker is given."""

    def carry(self, attempt: Attempt) -> None:
        """Take what is complete while the worker goes on."""

    def close(self, attempt: Attempt, whole: bool) -> bool:
        """Take what an attempt left, and its folder; `whole` if the worker says that all is written.

        Nobody writes there any more. Whether the job is done now.
        """


@dataclass(frozen=True, slots=True)
class NoFiles:
    """The home of jobs whose answer is all: their values by name."""

    values: Mapping[str, Any] = field(repr=False)

    def open(self, attempt: Attempt) -> Any:
        return self.values[attempt.job]

    def carry(self, attempt: Attempt) -> None: ...

    def close(self, attempt: Attempt, whole: bool) -> bool:
        shutil.rmtree(attempt.folder, ignore_errors=True)
        return whole


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a job that is at work."""

    job: str
    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that is over: with its answer, with why there is none, or `stopped` on request."""

    job: str
    answer: Any = field(default=None, repr=False)
    error: str | None = None
    stopped: bool = False


@dataclass(slots=True, eq=False)
class _Job:
    id: str
    about: Mapping[str, Any]
    losses: Losses = field(default_factory=Losses)
    rests_until: float = 0.0
    cancelled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Try:
    job: _Job
    attempt: Attempt


class Jobs:
    """Jobs by name, while this is entered; an interrupt lets those at work leave things in order."""

    def __init__(self, workers: Workers, limits: Limits, place: Path, home: Home) -> None:
        self._crew: Crew[_Try] = Crew(workers, limits)
        self._tries, self._place, self._home = limits.tries, place, home
        self._queue: deque[_Job] = deque()
        self._under: dict[str, _Try] = {}
        self._carried = time.monotonic()

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is not None and issubclass(kind, KeyboardInterrupt):
                self._stop_gently()
        finally:
            self.close()

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(self._under)

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(job.id for job in self._queue)

    @property
    def n_workers(self) -> int:
        return self._crew.size

    def add(self, id: str, about: Mapping[str, object] | None = None, ahead: bool = False) -> None:
        """One more job, behind those that wait or `ahead` of them; `about` tells a `Home` of it."""
        (self._queue.appendleft if ahead else self._queue.append)(_Job(id, about or {}))

    def cancel(self, id: str) -> None:
        """Take a job back: one that waits is gone, one at work is asked to stop and ends when it does."""
        self._queue = deque(job for job in self._queue if job.id != id)
        if (under := self._under.get(id)) is not None and not under.job.cancelled:
            under.job.cancelled = True
            under.attempt.ask_to_stop()

    def wait(self, seconds: float) -> Iterator[Said | Ended]:
        """What is said of jobs within that time."""
        self._hand_out()
        self._crew.fit(len(self._queue))
        for answer in self._crew.collect(seconds):
            yield from self._take(answer)
        if time.monotonic() - self._carried > _CARRY_SECONDS:
            self._carried = time.monotonic()
            for under in list(self._under.values()):
                self._home.carry(under.attempt)
                yield from self._hear(under)

    def _hand_out(self) -> None:
        now = time.monotonic()
        for job in [each for each in self._queue if each.rests_until <= now]:
            member = self._crew.free(alone=True)
            if member is None:
                return
            attempt = Attempt.open(self._place, job.id, job.about)
            value = str(attempt.folder), job.id, self._home.open(attempt)
            under = _Try(job, attempt)
            if self._crew.give(member, under, self._crew.workers.pack(value), alone=True):
                self._under[job.id] = under
                self._queue.remove(job)
            else:
                self._home.close(attempt.give_up(), whole=False)

    def _hear(self, under: _Try) -> Iterator[Said]:
        if (message := under.attempt.hear()) is not None:
            yield Said(under.job.id, message)

    def _take(self, answer: Answer[_Try]) -> Iterator[Said | Ended]:
        under, whole = answer.units[0], answer.kind == DONE
        yield from self._hear(under)
        job, begun = under.job, under.attempt.has_begun()
        done = self._close(under, whole)
        if whole and isinstance(answer.value, Failed):
            yield Ended(job.id, error=answer.value.reason)
        elif done:
            yield Ended(job.id, answer.value if whole else None)
        elif job.cancelled:
            yield Ended(job.id, stopped=True)
        else:
            yield from self._try_again(job, answer, begun)

    def _try_again(self, job: _Job, answer: Answer[_Try], begun: bool) -> Iterator[Ended]:
        """A job is not to blame for its node, nor for what happened before it began."""
        blamed = answer.kind in (DONE, BROKEN) or (answer.kind == DIED and begun)
        if job.losses.count(not blamed, self._tries):
            lingers = self._crew.workers.lingers and answer.kind != DONE
            job.rests_until = time.monotonic() + (GRACE_SECONDS if lingers else 0.0)
            self._queue.appendleft(job)
            return
        reasons = {BROKEN: answer.value, DONE: UNSEEN, DIED: died(self._tries)}
        yield Ended(job.id, error=reasons[answer.kind] if blamed else LOST)

    def _close(self, under: _Try, whole: bool) -> bool:
        del self._under[under.job.id]
        return self._home.close(under.attempt.give_up(), whole)

    def _stop_gently(self) -> None:
        """Let jobs at work leave a checkpoint; what they left comes home."""
        self._queue.clear()
        for id in self.running:
            self.cancel(id)
        until = time.monotonic() + _STOP_SECONDS
        while self._under and time.monotonic() < until:
            for _ in self.wait(0.25):
                pass

    def close(self) -> None:
        """End all workers, in the middle of whatever they do; what they left comes home."""
        self._queue.clear()
        self._crew.close()
        for under in list(self._under.values()):
            self._close(under, whole=False)
        recover(self._place, self._home)


def recover(place: Path, home: Home) -> int:
    """Give up every attempt that a process left; how many of them may still have a worker."""
    n_open = 0
    for attempt in find_attempts(place):
        n_open += not attempt.is_given_up
        home.close(attempt if attempt.is_given_up else attempt.give_up(), whole=False)
    return n_open
