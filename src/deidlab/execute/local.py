"""Worker processes on this machine: tasks in, completions out, in order and with little held in memory.

Each worker has a pipe of its own and one task at a time. A worker that dies (memory, a crash in a library)
takes nothing with it: a new one is started, and the items of its task are tried one by one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic

from deidlab.errors import DeidError
from deidlab.execute.tasks import Completion, Failed, Item, Reading, Result, Setup, Task, attempt, portable

# How many tasks may be ahead of the slowest, for each worker: more evens out, and holds more in memory.
_AHEAD = 4
_READY, _DONE, _FATAL = "ready", "done", "fatal"
DIED = "its worker process ended without an answer (out of memory?)"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TOKENIZERS_PARALLELISM")


def run_tasks(
    tasks: Iterable[Task[Item]], setup: Setup[Item, Result], n_workers: int = 1
) -> Iterator[Completion[Result]]:
    """One completion a task, in order. With one worker, or one task, the work is done in this process."""
    source = iter(tasks)
    first = tuple(islice(source, 2)) if n_workers > 1 else ()
    if n_workers > 1 and len(first) == 2:
        yield from _Pool(setup, n_workers).run(chain(first, source))
        return
    work = None
    for task in chain(first, source):
        work = work or setup()
        yield Completion(task.number, attempt(work, task.items))


@dataclass(frozen=True, slots=True)
class Local:
    """`run_tasks` as an executor."""

    n_workers: int = 1

    def __call__(
        self, tasks: Iterable[Task[Item]], setup: Setup[Item, Result]
    ) -> Iterator[Completion[Result]]:
        return run_tasks(tasks, setup, self.n_workers)

    def describe(self) -> dict[str, Any]:
        return {"engine": "local", "workers": self.n_workers}

    def read(
        self, reading: Reading[Item], numbers: Sequence[int], lengths: Sequence[int]
    ) -> Iterator[Task[Item]]:
        return (Task(number, items) for number, items in zip(numbers, reading.read(numbers), strict=True))


@dataclass(slots=True)
class _Worker(Generic[Item, Result]):
    """A process, its pipe, and the task that it has; `results` is a list while items go one by one."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False
    task: Task[Item] | None = None
    results: list[Result | Failed] | None = field(default=None, repr=False)


class _Pool(Generic[Item, Result]):
    def __init__(self, setup: Setup[Item, Result], n_workers: int) -> None:
        self._setup = setup
        self._n_workers = n_workers
        self._workers: list[_Worker[Item, Result]] = []
        # A fresh interpreter: a fork would copy this one's threads and locks half way through something.
        self._context = multiprocessing.get_context("spawn")

    def run(self, source: Iterator[Task[Item]]) -> Iterator[Completion[Result]]:
        order: deque[int] = deque()
        finished: dict[int, Completion[Result]] = {}
        open_ended = True
        try:
            while open_ended or order:
                while open_ended and len(order) < _AHEAD * self._n_workers and self._has_room():
                    task = next(source, None)
                    if task is None:
                        open_ended = False
                        break
                    order.append(task.number)
                    self._give(task)
                if order and order[0] not in finished:
                    finished.update((done.number, done) for done in self._collect())
                while order and order[0] in finished:
                    yield finished.pop(order.popleft())
        finally:
            self._stop()

    def _has_room(self) -> bool:
        return len(self._workers) < self._n_workers or any(each.task is None for each in self._workers)

    def _give(self, task: Task[Item]) -> None:
        idle = next((each for each in self._workers if each.task is None), None)
        if idle is None:
            idle = self._start()
            self._workers.append(idle)
        idle.task, idle.results = task, None
        self._send(idle, task.items)

    def _start(self) -> _Worker[Item, Result]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._setup), daemon=True)
        with _one_thread_each():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _send(self, worker: _Worker[Item, Result], items: Sequence[Item]) -> None:
        # A worker that is gone shows when its answer is read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send(items)

    def _collect(self) -> list[Completion[Result]]:
        """Wait for word from a worker; the tasks that it completed."""
        done = []
        for pipe in wait([each.pipe for each in self._workers if each.task is not None]):
            worker = next(each for each in self._workers if each.pipe is pipe)
            try:
                kind, answer = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace(worker)
                kind, answer = _DONE, None
            if kind == _FATAL:
                raise answer
            if kind == _READY:
                worker.ready = True
            elif (completion := self._take(worker, answer)) is not None:
                done.append(completion)
        return done

    def _take(self, worker: _Worker[Item, Result], answer: Any) -> Completion[Result] | None:
        """The answer to all items, or to the next one of a task whose items go one by one."""
        task = worker.task
        assert task is not None
        if worker.results is None:
            if answer is not None:
                worker.task = None
                return Completion(task.number, answer)
            worker.results = [] if len(task.items) > 1 else [Failed(DIED)]
        else:
            worker.results.extend(answer or (Failed(DIED),))
        reached = len(worker.results)
        if reached < len(task.items):
            self._send(worker, task.items[reached : reached + 1])
            return None
        worker.task = None
        return Completion(task.number, tuple(worker.results))

    def _replace(self, worker: _Worker[Item, Result]) -> None:
        worker.pipe.close()
        worker.process.join()
        if not worker.ready:
            raise DeidError(f"a worker process could not start (exit status {worker.process.exitcode})")
        fresh = self._start()
        worker.process, worker.pipe, worker.ready = fresh.process, fresh.pipe, False

    def _stop(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            if worker.task is not None:
                worker.process.terminate()
            worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers share the cores among themselves: libraries in them must not start a thread a core."""
    missing = [name for name in _THREADS if name not in os.environ]
    os.environ.update({name: "false" if name.startswith("TOKEN") else "1" for name in missing})
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def _serve(pipe: Connection, setup: Setup[Item, Result]) -> None:
    """A worker's life. Nothing escapes it: an uncaught exception would be printed with its data."""
    # Ctrl-C reaches the whole group; the parent decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        work = setup()
        pipe.send((_READY, None))
        while True:
            pipe.send((_DONE, attempt(work, pipe.recv())))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except BaseException as error:
        with contextlib.suppress(OSError):
            pipe.send((_FATAL, portable(error)))
