"""Worker processes of this machine: each has a pipe of its own and one value at a time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from deidlab.execute.tasks import describe
from deidlab.execute.workers import BROKEN, DIED, DONE, NUMBER, READY, Start, Word, answer, begin
from deidlab.machine import n_cores

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_END_SECONDS = 5.0


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    number: int
    fresh: bool = True


class Processes:
    """Workers as processes; `threads` is how many a library may start in each, 0 as many as it likes."""

    depth, lingers, failed_starts = 1, False, 1

    def __init__(self, start: Start, threads: int = 1) -> None:
        self._start, self._threads = start, threads
        self._alive: list[_Worker] = []
        self._ending: list[BaseProcess] = []
        self._room = 1
        # A core each: where a start takes long, as with a GPU, one after another would take minutes.
        self.starts_at_once = max(4, n_cores())
        # A fresh interpreter: a fork would copy this one's threads and locks half way through something.
        self._context = multiprocessing.get_context("spawn")

    def start(self) -> _Worker:
        taken = {each.number for each in self._alive}
        number = next(each for each in range(len(taken) + 1) if each not in taken)
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_live, args=(theirs, self._start, number), daemon=True)
        with _threads(self._threads):
            process.start()
        theirs.close()
        worker = _Worker(process, ours, number)
        self._alive.append(worker)
        return worker

    def give(self, worker: _Worker, packed: object) -> bool:
        try:
            worker.pipe.send(packed)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def wait(self, workers: Sequence[_Worker], seconds: float) -> list[Word]:
        if not workers:
            time.sleep(min(seconds, 0.05))
            return []
        by_pipe = {each.pipe: each for each in workers}
        return [self._hear(by_pipe[pipe]) for pipe in wait(list(by_pipe), seconds)]  # type: ignore[index]

    def _hear(self, worker: _Worker) -> Word:
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            return Word(worker, DIED)
        if kind == READY:
            self._room = int(value.get("n_devices", 1))
        return Word(worker, kind, value)

    def end(self, worker: _Worker) -> None:
        worker.process.terminate()
        self.release(worker)

    def release(self, worker: _Worker) -> None:
        worker.pipe.close()
        self._alive.remove(worker)
        self._ending.append(worker.process)

    def close(self) -> None:
        for process in self._ending:
            process.join(_END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
        self._ending = []

    def pack(self, value: object) -> object:
        return value

    def unpack(self, packed: object) -> Any:
        return packed

    def room(self) -> int:
        """One, or what the first worker tells of its devices."""
        return self._room

    def describe_lack(self) -> str:
        return "this machine is too slow to start one"


@contextlib.contextmanager
def _threads(n_threads: int) -> Iterator[None]:
    """Libraries read how many threads they may use when they are loaded: workers share the cores."""
    wanted = dict.fromkeys(_THREADS, str(n_threads)) if n_threads else {}
    if n_threads == 1:
        wanted["TOKENIZERS_PARALLELISM"] = "false"
    missing = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def _live(pipe: Connection, start: Start, number: int) -> None:
    """A worker's life; it ends when the other end of the pipe is closed."""
    # Ctrl-C at a terminal reaches a whole group; the parent decides what becomes of each worker.
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[NUMBER] = str(number)
    with contextlib.suppress(EOFError, OSError):
        serve, kind, value = begin(start)
        pipe.send((kind, value))
        while serve is not None:
            kind, value = answer(serve, pipe.recv())
            _tell(pipe, kind, value)
            if kind != DONE:
                return


def _tell(pipe: Connection, kind: str, value: object) -> None:
    try:
        pipe.send((kind, value))
    except OSError:
        raise
    except Exception as error:
        # An answer that cannot travel is as good as none.
        pipe.send((BROKEN, describe(error)))
