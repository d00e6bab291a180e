"""A study in, its folder filled: runs, selection, tests; from the start or from wherever it was cut off.

What is left to do is found out from the completion records each time, so a resumed study needs no memory.
"""

from __future__ import annotations

import contextlib
import fcntl
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from deidlab.errors import ConfigError
from deidlab.study.attempts import GRACE_SECONDS, recover
from deidlab.study.completing import Timing, complete_run, completions_by_run, drop_failed
from deidlab.study.folder import LOCK, SELECTION, TESTS
from deidlab.study.hybrids import add_hybrids
from deidlab.study.jobs import Job, current_runs, next_jobs
from deidlab.study.opening import OpenStudy, finish_facts, open_study
from deidlab.study.pool import Ended, Pool, Workers
from deidlab.study.pruning import prune_runs
from deidlab.study.records import Completion, StudyRecords, read_selection, read_study
from deidlab.study.selection import select_runs, write_selection
from deidlab.study.spec import StudySpec
from deidlab.study.worker import TEST, TRAIN, WorkerPlan, threads_beside

if TYPE_CHECKING:
    from deidlab.study.raypool import FarOptions

_TICK = 0.25
# A job is not to blame for its node; one that takes its node with it each time is.
_AWAY_FOR_A_TRY = 10


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a study is: for whoever watches."""

    folder: Path
    stage: str
    completions: dict[str, Completion] = field(repr=False)
    running: tuple[Job, ...] = field(repr=False)
    waiting: tuple[Job, ...] = field(repr=False)
    n_workers: int
    ended: tuple[str, ...] = ()


Watch = Callable[[Snapshot], None]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: `stop_after` "selection" leaves the tests for later.

    Where runs failed, a study stops before its selection, since what is selected stays selected: `retry`
    tries them again, `accept_failures` goes on without them.

    `far` sends runs to Ray instead of to processes of this machine. A job whose worker dies is tried `tries`
    times; 0 is once on this machine, and three times on Ray, where workers die of other causes too.
    """

    device: str = "auto"
    processes: int = 0
    retry: bool = False
    accept_failures: bool = False
    stop_after: str = ""
    tries: int = 0
    far: FarOptions | None = None

    @property
    def n_tries(self) -> int:
        return self.tries or (1 if self.far is None else 3)


def run_study(
    spec: StudySpec, folder: Path, options: RunOptions | None = None, watch: Watch | None = None
) -> StudyRecords:
    """Do whatever of the study is not done yet; the records of all of it."""
    options = options or RunOptions()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder), _stopped_by_signal():
        if recover(folder):
            # Workers of a process that was killed are given the time to miss their lease.
            time.sleep(GRACE_SECONDS)
        study = open_study(spec, folder)
        if options.retry and not (folder / SELECTION).is_file():
            drop_failed(folder)
        _Runner(study, options, watch).run()
    return read_study(folder)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Refuse to work on a folder that another process works on."""
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(f"{folder}: another process is running this study") from None
        yield


@contextlib.contextmanager
def _stopped_by_signal() -> Iterator[None]:
    """Take a polite end, such as a cluster's time limit, for what Ctrl-C is: stop, and leave all in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@dataclass(slots=True)
class Losses:
    """How often a job was lost: by the death of its worker, and through no part of its own."""

    died: int = 0
    away: int = 0

    def count(self, ended: Ended, tries: int) -> bool:
        """One more; whether the job is tried again. A node may take many jobs with it, but not for ever."""
        self.away += ended.away
        self.died += not ended.away
        return ended.again and self.died < tries and self.away < _AWAY_FOR_A_TRY * tries


class _Runner:
    def __init__(self, study: OpenStudy, options: RunOptions, watch: Watch | None) -> None:
        self._study, self._options, self._watch = study, options, watch
        self._spec, self._folder = study.spec, study.folder
        self._wanted = options.processes or self._spec.run.processes
        self._losses: dict[str, Losses] = {}

    def run(self) -> None:
        trained = (self._folder / SELECTION).is_file() or not self._jobs()
        if trained and self._waits_for_retry():
            return
        if trained and self._is_tested():
            self._finish()
            return
        with self._open_pool() as pool:
            try:
                if not trained:
                    self._train(pool)
                if self._waits_for_retry():
                    return
                self._select()
                if self._stops_early():
                    return
                if not self._is_tested():
                    self._test(pool)
            except KeyboardInterrupt:
                pool.close_gently()
                raise
        self._finish()

    def _open_pool(self) -> Workers:
        far = self._options.far
        if far is None:
            return Pool(self._plan())
        from deidlab.study.raypool import RayPool

        return RayPool(self._plan(), far, self._wanted, self._options.n_tries)

    def _plan(self) -> WorkerPlan:
        ids, threads = self._study.parts.ids(), threads_beside(self._wanted)
        return WorkerPlan(self._spec, ids, str(self._folder), self._options.device, 0, threads)

    def _jobs(self) -> list[Job]:
        return next_jobs(self._spec, completions_by_run(self._folder))

    def _waits_for_retry(self) -> bool:
        if self._options.accept_failures or (self._folder / SELECTION).is_file():
            return False
        return any(not each.is_done for each in completions_by_run(self._folder).values())

    def _stops_early(self) -> bool:
        return self._options.stop_after == "selection" or self._spec.run.keep == "none"

    def _train(self, pool: Workers) -> None:
        """Give out jobs until none is left; a rung of halving opens when the one before is complete."""
        pool.start()
        known = completions_by_run(self._folder)
        while True:
            busy = pool.busy()
            waiting = [job for job in next_jobs(self._spec, known) if job.id not in busy]
            if not waiting and not busy:
                return
            self._hand_out(pool, waiting)
            ended = list(pool.wait(_TICK))
            for each in ended:
                self._take(each)
            if ended:
                known = completions_by_run(self._folder)
                prune_runs(self._spec, self._folder, known)
                finish_facts(self._folder, known)
            self._show("training", pool, known, tuple(run.id for each in ended for run in each.task.runs))

    def _hand_out(self, pool: Workers, waiting: list[Job]) -> None:
        for worker in pool.workers:
            if worker.ready and worker.task is None and waiting:
                job = waiting.pop(0)
                pool.give(worker, TRAIN, [run.as_dict() for run in job.runs], job)
        engaged = sum(worker.task is not None or not worker.ready for worker in pool.workers)
        if waiting and len(pool.workers) < min(pool.most(self._wanted), engaged + len(waiting)):
            pool.start()

    def _is_tried_again(self, ended: Ended) -> bool:
        losses = self._losses.setdefault(ended.task.id if ended.task.runs else "", Losses())
        return losses.count(ended, self._options.n_tries)

    def _take(self, ended: Ended) -> None:
        """A job whose process died once too often is a failure of its runs that were not complete."""
        if ended.error is None or self._is_tried_again(ended):
            return
        done = completions_by_run(self._folder)
        timing = Timing.start(self._folder, ended.task.id)
        timing.attempts -= 1
        for run in ended.task.runs:
            if run.id not in done:
                complete_run(self._folder, run, timing, error=ended.error)

    def _select(self) -> None:
        known = completions_by_run(self._folder)
        order = {
            model.name: [run.id for run in current_runs(self._spec, model, known)]
            for model in self._spec.models
        }
        write_selection(self._folder, select_runs(self._spec, known, order))
        finish_facts(self._folder, known)
        prune_runs(self._spec, self._folder, known)

    def _test(self, pool: Workers) -> None:
        known = completions_by_run(self._folder)
        given = False
        while True:
            if not pool.workers:
                pool.start()
            free = next((each for each in pool.workers if each.ready and each.task is None), None)
            if free is not None and not given:
                pool.give(free, TEST, None, Job(()))
                given = True
            for each in pool.wait(_TICK):
                if each.error is None:
                    return
                if not self._is_tried_again(each):
                    raise ConfigError(f"the selected models could not be tested: {each.error}")
                given = False
            self._show("testing", pool, known, ())

    def _is_tested(self) -> bool:
        selection = read_selection(self._folder)
        if selection is None:
            return False
        names = [*selection.choices, *(f"ensemble-{how}" for how in self._spec.ensembles)]
        return all((self._folder / TESTS / f"{name}.json").is_file() for name in names)

    def _finish(self) -> None:
        """What needs no model: hybrids with the rules."""
        if self._stops_early() or not self._spec.hybrids:
            return
        tests = [each for each in read_study(self._folder).tests if each.kind == "model"]
        add_hybrids(self._spec, self._study.parts, self._folder, tests, self._style())

    def _style(self) -> str:
        styles = {run.settings.words for runs in self._study.runs.values() for run in runs}
        return styles.pop() if len(styles) == 1 else "runs"

    def _show(self, stage: str, pool: Workers, known: dict[str, Completion], ended: tuple[str, ...]) -> None:
        if self._watch is None:
            return
        running = tuple(worker.task for worker in pool.workers if worker.task is not None)
        busy = {job.id for job in running if job.runs}
        waiting = tuple(job for job in next_jobs(self._spec, known) if job.id not in busy)
        self._watch(Snapshot(self._folder, stage, known, running, waiting, len(pool.workers), ended))
