"""The mirror of `pool` on Ray: workers on any node of a cluster, one job at a time for each.

The records of a job come home through its attempt, see `attempts`; from there on nothing tells that a study
was run on Ray.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab import errors
from deidlab.errors import ConfigError, DeidError
from deidlab.execute.ray import jobs
from deidlab.execute.ray.cluster import connect
from deidlab.execute.ray.settings import RaySettings
from deidlab.study import attempts
from deidlab.study.attempts import GRACE_SECONDS, SEEN, Attempt
from deidlab.study.folder import ATTEMPTS, write_whole
from deidlab.study.opening import write_config
from deidlab.study.pool import DIED, Ended, as_error
from deidlab.study.rayworker import OpenWorkshop, Surroundings
from deidlab.study.worker import WorkerPlan

AWAY = "its node was lost"
UNSEEN = "its records did not appear in the study's folder, which its node does not share"
_STOP_SECONDS = 60.0
_CARRY_SECONDS = 1.0
# So many in a row that end before they are ready are no accident.
_FAILED_STARTS = 5


@dataclass(frozen=True, slots=True)
class FarOptions:
    """Where runs go and what each takes; `gpus` None is one where there are any and the device allows."""

    address: str | None = None
    cpus: float = 1.0
    gpus: float | None = None


@dataclass(slots=True)
class RayWorker:
    """An actor and the task that it has, if any."""

    host: jobs.Host = field(repr=False)
    ready: bool = False
    facts: dict[str, Any] | None = None
    task: Any = None
    attempt: Attempt | None = None
    free_since: float = field(default_factory=time.monotonic)


class RayPool:
    """Asks for workers as they are needed and gives each one task at a time."""

    def __init__(self, plan: WorkerPlan, options: FarOptions, processes: int = 0, tries: int = 3) -> None:
        self._plan, self._options = plan, options
        self._processes, self._tries = processes, tries
        self._folder = Path(plan.folder)
        self.workers: list[RayWorker] = []
        self._held: dict[str, float] = {}
        self._n_failed_starts = 0
        self._carried = self._worked = time.monotonic()
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> RayPool:
        try:
            cluster = self._stack.enter_context(connect(self._options.address))
            self._settings = self._choose(cluster.resources())
            self._prepare(cluster.ray)
        except BaseException:
            attempts.recover(self._folder)
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _choose(self, has: Mapping[str, float]) -> RaySettings:
        wanted, device = self._options.gpus, self._plan.device
        if wanted and device == "cpu":
            raise ConfigError("--device cpu leaves no use for --gpus-per-run")
        if wanted is None:
            wanted = 1.0 if device != "cpu" and has.get("GPU") else 0.0
        if not wanted and device == "cuda":
            raise ConfigError(
                "no GPU: the cluster has none, or --gpus-per-run is 0; leave --device out, or say cpu"
            )
        options = self._options
        return RaySettings(
            options.address, most=self._processes, cpus=options.cpus, gpus=wanted, tries=self._tries
        )

    def _prepare(self, ray: Any) -> None:
        """See that every node which may be given a run finds what it needs."""
        settings, plan = self._settings, self._plan
        for model in plan.spec.models:
            if model.config:
                write_config(self._folder, model)
        mark = secrets.token_hex(8)
        write_whole(self._folder / ATTEMPTS / SEEN, mark.encode())
        surroundings = Surroundings.of(plan.spec, self._folder, mark)
        # A run that was given a GPU must not train beside it.
        device = "cuda" if settings.gpus else "cpu"
        plan = replace(plan, device=device, number=0, threads=max(1, int(settings.cpus)))
        self._hosts = jobs.Hosts(ray, OpenWorkshop(plan, surroundings), settings)
        if not self._hosts.room() and not settings.most:
            needs = f"{settings.cpus:g} CPUs" + (f" and {settings.gpus:g} GPUs" if settings.gpus else "")
            raise ConfigError(
                f"no node of the cluster has {needs} for a run; where nodes come as they are asked for, say "
                "with --processes how many runs go side by side"
            )
        for node, wrong in self._hosts.ask_nodes(surroundings):
            if wrong:
                raise ConfigError(f"node {node} {wrong}")

    def most(self, wanted: int) -> int:
        """How many workers there may be: as many as wanted, or as the nodes have room for by now."""
        return wanted or max(1, self._hosts.room())

    def busy(self) -> set[str]:
        """The jobs that must not be given to anybody now."""
        now = time.monotonic()
        self._held = {job: until for job, until in self._held.items() if until > now}
        return {worker.task.id for worker in self.workers if worker.task is not None} | set(self._held)

    def start(self) -> RayWorker:
        """Ask for one more worker; it says when it is ready, which may take until a node has room."""
        worker = RayWorker(self._hosts.start())
        self.workers.append(worker)
        return worker

    def give(self, worker: RayWorker, kind: str, value: Any, task: Any) -> None:
        worker.task, worker.attempt = task, attempts.open_attempt(self._folder, task)
        self._hosts.give(worker.host, (kind, value, str(worker.attempt.folder)))

    def wait(self, seconds: float) -> Iterator[Ended]:
        """The tasks that ended within that time; a worker that fell leaves the pool."""
        for word in self._hosts.wait(seconds):
            yield from self._hear(next(each for each in self.workers if each.host is word.host), word)
        now = time.monotonic()
        if now - self._carried > _CARRY_SECONDS:
            self._carried = now
            for worker in self.workers:
                if worker.attempt is not None:
                    attempts.carry_over(self._folder, worker.attempt)
        self._let_go(now)

    def _hear(self, worker: RayWorker, word: jobs.Word) -> Iterator[Ended]:
        if word.kind == jobs.OPENED:
            worker.ready, worker.facts, worker.free_since = True, word.value, time.monotonic()
            self._n_failed_starts = 0
        elif word.kind == jobs.DONE:
            assert worker.attempt is not None
            whole = attempts.finish(self._folder, worker.attempt)
            task, worker.task, worker.attempt = worker.task, None, None
            worker.free_since = time.monotonic()
            yield Ended(task, word.value, None if whole else UNSEEN, again=not whole)
        elif not worker.ready:
            self.workers.remove(worker)
            self._refuse_start(word)
        else:
            self.workers.remove(worker)
            yield from self._end(worker, word)

    def _refuse_start(self, word: jobs.Word) -> None:
        """A worker did not begin: that is an error unless only its node went."""
        if word.kind == jobs.FATAL:
            raise as_error(*word.value)
        self._n_failed_starts += word.kind == jobs.LOST
        if self._n_failed_starts >= _FAILED_STARTS:
            raise DeidError("workers end before they have begun (out of memory?); see Ray's own logs")

    def _end(self, worker: RayWorker, word: jobs.Word) -> Iterator[Ended]:
        """A worker fell. What it had is given up, and rests until the worker surely misses its lease."""
        task, attempt = worker.task, worker.attempt
        if attempt is None:
            return
        begun = attempts.has_begun(attempt)
        attempts.give_up(self._folder, attempt)
        if task.runs:
            self._held[task.id] = time.monotonic() + GRACE_SECONDS
        if word.kind == jobs.FATAL:
            error = as_error(*word.value)
            if isinstance(error, ConfigError):
                raise error
            yield Ended(task, None, str(error), again=not hasattr(errors, word.value[0]))
        elif word.kind == jobs.LOST and begun:
            yield Ended(task, None, DIED, again=True)
        else:
            yield Ended(task, None, AWAY, again=True, away=True)

    def _let_go(self, now: float) -> None:
        """End workers that have long had nothing to do, but for one; stop where there has long been none."""
        if any(worker.ready for worker in self.workers):
            self._worked = now
        elif now - self._worked > self._settings.start_seconds:
            raise ConfigError(
                f"for {self._settings.start_seconds:g} s no node of the cluster has had room for a worker; "
                "the same command goes on once there is"
            )
        for worker in list(self.workers):
            idle = worker.ready and worker.task is None
            if idle and len(self.workers) > 1 and now - worker.free_since > self._settings.idle_seconds:
                self._hosts.drop(worker.host)
                self.workers.remove(worker)

    def close(self, patience: float = 0.0) -> None:
        """End all workers; with patience, those at work may write their checkpoint first."""
        open_attempts = {id(w.host): w.attempt for w in self.workers if w.attempt is not None}
        if not hasattr(self, "_hosts"):
            return
        if patience:
            for attempt in open_attempts.values():
                attempts.ask_to_stop(attempt)
            until = time.monotonic() + patience
            while open_attempts and time.monotonic() < until:
                for word in self._hosts.wait(0.25):
                    if (ended := open_attempts.pop(id(word.host), None)) is not None:
                        attempts.give_up(self._folder, ended)
        self._hosts.close()
        for attempt in open_attempts.values():
            attempts.give_up(self._folder, attempt)
        self.workers = []
        attempts.recover(self._folder)
        self._stack.close()

    def close_gently(self) -> None:
        self.close(_STOP_SECONDS)
