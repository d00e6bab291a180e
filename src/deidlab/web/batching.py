"""Jobs of all clients in, their answers out: whatever waits goes in handfuls to worker processes.

A worker that is free takes its share of what waits, so that nothing waits for a handful to fill. Jobs of
single requests and of streams take turns. A worker that dies, or takes too long, is replaced, and the jobs of
its handful are tried one by one: only the culprit fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from deidlab.errors import DeidError
from deidlab.execute import Failed
from deidlab.machine import n_cores
from deidlab.web.frames import LENGTH, length_of, pack, unpack
from deidlab.web.jobs import Done, Job, Ready, WorkerSetup
from deidlab.web.metrics import Metrics
from deidlab.web.settings import ServeSettings

# A handful is worth its way to a worker, and small enough that its first job is not kept waiting for long.
MOST_JOBS = 32
MOST_CHARACTERS = 64 * 1024
DIED = "the worker process ended without an answer (out of memory?)"
TOO_SLOW = "the note takes longer than this server allows for one"
_START_SECONDS = 300.0
_SHORT_SECONDS = 2.0
_READ_AHEAD = 1024 * 1024
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(slots=True)
class _Waiting:
    job: Job
    answer: asyncio.Future[Done | Failed] = field(repr=False)

    def settle(self, answer: Done | Failed) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


class Batcher:
    """Worker processes and what waits for them; to be entered before the first job."""

    def __init__(self, settings: ServeSettings, metrics: Metrics) -> None:
        self._setup = WorkerSetup(settings.models, settings.policies, settings.key, settings.codes)
        self._n_workers = settings.workers
        self._note_seconds = settings.limits.note_seconds
        self._metrics = metrics
        self._queues: tuple[deque[_Waiting], deque[_Waiting]] = (deque(), deque())
        self._next_queue = 0
        self._word = asyncio.Event()
        self._workers: list[_Worker] = []
        self._loops: list[asyncio.Task[None]] = []
        self.labels: dict[str, tuple[str, ...]] = {}

    async def __aenter__(self) -> Batcher:
        # Workers share the cores among themselves: a library in each must not start a thread a core.
        threads = str(max(1, n_cores() // self._n_workers))
        environment = {"TOKENIZERS_PARALLELISM": "false", **dict.fromkeys(_THREADS, threads), **os.environ}
        self._workers = [_Worker(self._setup, environment) for _ in range(self._n_workers)]
        try:
            ready = await asyncio.gather(*(worker.start() for worker in self._workers))
        except BaseException:
            await self._stop()
            raise
        self.labels = dict(ready[0].labels)
        self._loops = [asyncio.create_task(self._work(worker)) for worker in self._workers]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def _stop(self) -> None:
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        self._loops.clear()
        await asyncio.gather(*(worker.stop() for worker in self._workers))
        for queue in self._queues:
            while queue:
                queue.popleft().settle(Failed("the server is shutting down"))

    @property
    def is_running(self) -> bool:
        return bool(self._loops)

    @property
    def n_waiting(self) -> int:
        return sum(len(queue) for queue in self._queues)

    async def run(self, job: Job, of_stream: bool = False) -> Done | Failed:
        """The answer to a job; one that is no longer awaited is not begun."""
        waiting = _Waiting(job, asyncio.get_running_loop().create_future())
        self._queues[of_stream].append(waiting)
        self._metrics.waiting.set(self.n_waiting)
        self._word.set()
        answer = await waiting.answer
        if isinstance(answer, Done):
            self._metrics.count_notes(
                job.task, job.model, len(job.documents), job.n_characters, answer.n_spans
            )
        return answer

    async def _work(self, worker: _Worker) -> None:
        while True:
            handful = self._take()
            if not handful:
                self._word.clear()
                await self._word.wait()
                continue
            self._metrics.handful.observe(len(handful))
            answers = await self._ask(worker, [each.job for each in handful])
            if answers is None:
                await self._ask_one_by_one(worker, handful)
                continue
            for each, answer in zip(handful, answers, strict=True):
                each.settle(answer)

    def _take(self) -> list[_Waiting]:
        """This worker's share of what waits, from both queues in turns."""
        share = min(MOST_JOBS, -(-self.n_waiting // self._n_workers))
        handful: list[_Waiting] = []
        size = 0
        while len(handful) < share and size < MOST_CHARACTERS and self.n_waiting:
            queue = self._queues[self._next_queue] or self._queues[1 - self._next_queue]
            self._next_queue = 1 - self._next_queue
            waiting = queue.popleft()
            if not waiting.answer.done():
                handful.append(waiting)
                size += waiting.job.n_characters
        self._metrics.waiting.set(self.n_waiting)
        return handful

    async def _ask_one_by_one(self, worker: _Worker, handful: Sequence[_Waiting]) -> None:
        """Find the culprit of a handful; what is quick goes first, so that it does not wait once more."""
        if len(handful) == 1:
            handful[0].settle(Failed(worker.last_fault))
            return
        short = min(_SHORT_SECONDS, self._note_seconds)
        for seconds in (short, self._note_seconds):
            for each in handful:
                if each.answer.done():
                    continue
                answers = await self._ask(worker, [each.job], seconds)
                if answers is not None:
                    each.settle(answers[0])
                elif worker.last_fault == DIED or seconds == self._note_seconds:
                    each.settle(Failed(worker.last_fault))

    async def _ask(
        self, worker: _Worker, jobs: list[Job], seconds: float | None = None
    ) -> Sequence[Done | Failed] | None:
        """The answers, or None where the worker is lost; then it has been replaced."""
        try:
            return await worker.ask(jobs, seconds or self._note_seconds)
        except (TimeoutError, OSError, EOFError, asyncio.IncompleteReadError) as error:
            worker.last_fault = TOO_SLOW if isinstance(error, TimeoutError) else DIED
            self._metrics.restarts.inc()
        await worker.restart()
        return None


class _Worker:
    """One worker process and its two pipes."""

    def __init__(self, setup: WorkerSetup, environment: dict[str, str]) -> None:
        self._setup, self._environment = setup, environment
        self._process: asyncio.subprocess.Process | None = None
        self.last_fault = DIED

    async def start(self) -> Ready:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "deidlab.web.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # What a library prints may quote a note.
            stderr=asyncio.subprocess.DEVNULL,
            limit=_READ_AHEAD,
            env=self._environment,
            # Ctrl-C goes to the server alone, which lets its workers finish.
            start_new_session=True,
        )
        try:
            answer = await self._exchange(self._setup, _START_SECONDS)
        except (TimeoutError, OSError, EOFError, asyncio.IncompleteReadError):
            await self.stop()
            raise DeidError("a worker process could not start") from None
        if isinstance(answer, DeidError):
            raise answer
        assert isinstance(answer, Ready)
        return answer

    async def ask(self, jobs: list[Job], seconds: float) -> Sequence[Done | Failed]:
        answers = await self._exchange(jobs, seconds)
        if len(answers) != len(jobs):
            raise EOFError
        return tuple(answers)

    async def restart(self) -> None:
        await self.stop(kill=True)
        # A worker that worked once starts again; where the machine is out of memory, after a while.
        while True:
            try:
                await self.start()
                return
            except DeidError:
                await asyncio.sleep(1.0)

    async def stop(self, kill: bool = False) -> None:
        """End the process: it leaves at the end of its input, and is killed where it does not."""
        process = self._process
        if process is None:
            return
        self._process = None
        with contextlib.suppress(ProcessLookupError):
            if kill:
                process.kill()
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5.0)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _exchange(self, value: object, seconds: float) -> Any:
        process = self._process
        if process is None:
            raise EOFError
        assert process.stdin is not None and process.stdout is not None
        async with asyncio.timeout(seconds):
            process.stdin.write(pack(value))
            await process.stdin.drain()
            head = await process.stdout.readexactly(LENGTH.size)
            data = await process.stdout.readexactly(length_of(head))
        return unpack(data)
