"""Worker processes with a job each: who is free, who has finished, who has died."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from deidlab import errors
from deidlab.errors import ConfigError, CorpusError, DeidError, MissingExtraError, ModelError
from deidlab.study.worker import DONE, FATAL, READY, STOPPED, WorkerPlan, serve

DIED = "its process ended without an answer (out of memory?)"
_STOP_SECONDS = 60.0


@dataclass(slots=True)
class Worker:
    """A process and the task that it has, if any."""

    process: BaseProcess
    pipe: Connection
    number: int
    ready: bool = False
    facts: dict[str, Any] | None = None
    task: Any = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A task that is over: with its answer, or with an error where the process died of it.

    `again` says that another try may end otherwise, `away` that the task had no part in the end.
    """

    task: Any
    answer: Any = None
    error: str | None = None
    again: bool = False
    away: bool = False


class Workers(Protocol):
    """What a study asks of its workers, wherever they are: `Pool` on this machine, `RayPool` on a cluster."""

    @property
    def workers(self) -> Sequence[Any]: ...

    def __enter__(self) -> Workers: ...

    def __exit__(self, *_: object) -> None: ...

    def most(self, wanted: int) -> int: ...

    def busy(self) -> set[str]: ...

    def start(self) -> Any: ...

    def give(self, worker: Any, kind: str, value: Any, task: Any) -> None: ...

    def wait(self, seconds: float) -> Iterator[Ended]: ...

    def close_gently(self) -> None: ...


class Pool:
    """Starts workers as they are needed and gives each one task at a time."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan
        self.workers: list[Worker] = []
        self._context = multiprocessing.get_context("spawn")

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def most(self, wanted: int) -> int:
        """How many workers there may be: as many as wanted, or one a device."""
        facts = next((worker.facts for worker in self.workers if worker.facts), None)
        return wanted or (1 if facts is None else int(facts["n_devices"]))

    def busy(self) -> set[str]:
        """The jobs that must not be given to anybody now."""
        return {worker.task.id for worker in self.workers if worker.task is not None}

    def start(self) -> Worker:
        """One more worker; it says when it is ready."""
        from dataclasses import replace

        taken = {worker.number for worker in self.workers}
        number = next(each for each in range(len(taken) + 1) if each not in taken)
        ours, theirs = self._context.Pipe()
        plan = replace(self._plan, number=number)
        process = self._context.Process(target=serve, args=(theirs, plan), daemon=True)
        with _threads(plan.threads):
            process.start()
        theirs.close()
        worker = Worker(process, ours, number)
        self.workers.append(worker)
        return worker

    def give(self, worker: Worker, kind: str, value: Any, task: Any) -> None:
        worker.task = task
        # A worker that is gone shows when its answer is read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send((kind, value))

    def wait(self, seconds: float) -> Iterator[Ended]:
        """The tasks that ended within that time; a worker that fell leaves the pool."""
        for pipe in wait([worker.pipe for worker in self.workers], seconds):
            worker = next(each for each in self.workers if each.pipe is pipe)
            try:
                kind, answer = worker.pipe.recv()
            except (EOFError, OSError):
                kind, answer = FATAL, ("died", DIED)
            if kind == READY:
                worker.ready, worker.facts = True, answer
            elif kind == DONE:
                task, worker.task = worker.task, None
                yield Ended(task, answer)
            elif kind == STOPPED:
                raise KeyboardInterrupt
            else:
                yield from self._fall(worker, *answer)

    def _fall(self, worker: Worker, kind: str, message: str) -> Iterator[Ended]:
        self.workers.remove(worker)
        worker.pipe.close()
        worker.process.join(5)
        if not worker.ready:
            raise as_error(kind, message)
        if worker.task is not None:
            yield Ended(worker.task, None, message, again=not hasattr(errors, kind))

    def close(self, patience: float = 0.0) -> None:
        """End all workers; with patience, those at work may write their checkpoint first."""
        for worker in self.workers:
            if patience and worker.task is not None and worker.process.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.process.pid, signal.SIGINT)
            worker.pipe.close()
        for worker in self.workers:
            worker.process.join((patience or 0.1) if worker.task is not None else 5)
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()
        self.workers = []

    def close_gently(self) -> None:
        self.close(_STOP_SECONDS)


def as_error(kind: str, message: str) -> DeidError:
    """A worker's error as one of our own."""
    if kind == MissingExtraError.__name__:
        return MissingExtraError("a study", "train")
    known = {each.__name__: each for each in (ConfigError, CorpusError, ModelError)}
    return known.get(kind, DeidError)(message)


@contextlib.contextmanager
def _threads(n_threads: int) -> Iterator[None]:
    """Libraries read how many threads they may use when they are loaded."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    if n_threads:
        os.environ.update({name: str(n_threads) for name in names if name not in os.environ})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
