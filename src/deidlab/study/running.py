"""A study in, its folder filled: runs, selection, tests; from the start or from wherever it was cut off.

What is left to do is found out from the completion records each time, so a resumed study needs no memory.
"""

from __future__ import annotations

import contextlib
import fcntl
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from deidlab.errors import ConfigError
from deidlab.execute.attempts import GRACE_SECONDS
from deidlab.execute.jobs import Ended, Jobs, Said
from deidlab.study.completing import Timing, complete_run, completions_by_run, drop_failed
from deidlab.study.engines import open_jobs, take_back
from deidlab.study.folder import COMPLETIONS, LOCK, SELECTION, TESTS
from deidlab.study.homing import TESTS_JOB, StudyHome
from deidlab.study.hybrids import add_late_rows
from deidlab.study.jobs import Agenda, Job
from deidlab.study.opening import OpenStudy, finish_facts, open_study
from deidlab.study.pruning import prune_runs
from deidlab.study.records import Completion, StudyRecords, read_completion, read_selection, read_study
from deidlab.study.run_options import RunOptions
from deidlab.study.selection import select_runs, write_selection
from deidlab.study.spec import StudySpec
from deidlab.study.worker import OpenWorkshop, threads_beside

_TICK = 0.25


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a study is: for whoever watches; `said` is how far each job at work is."""

    folder: Path
    stage: str
    completions: dict[str, Completion] = field(repr=False)
    running: tuple[Job, ...] = field(repr=False)
    waiting: tuple[Job, ...] = field(repr=False)
    n_workers: int
    ended: tuple[str, ...] = ()
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)


Watch = Callable[[Snapshot], None]


def run_study(
    spec: StudySpec, folder: Path, options: RunOptions | None = None, watch: Watch | None = None
) -> StudyRecords:
    """Do whatever of the study is not done yet; the records of all of it."""
    options = options or RunOptions()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder), _stopped_by_signal():
        home = StudyHome(folder)
        if take_back(folder, home):
            # Workers of a process that was killed are given the time to miss their lease.
            time.sleep(GRACE_SECONDS)
        study = open_study(spec, folder)
        if options.retry and not (folder / SELECTION).is_file():
            drop_failed(folder)
        _Runner(study, home, options, watch).run()
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


class _Runner:
    def __init__(self, study: OpenStudy, home: StudyHome, options: RunOptions, watch: Watch | None) -> None:
        self._study, self._home, self._options, self._watch = study, home, options, watch
        self._spec, self._folder = study.spec, study.folder
        self._wanted = options.processes or self._spec.run.processes
        self._known = completions_by_run(self._folder)
        self._said: dict[str, dict[str, Any]] = {}
        self._agenda = Agenda(self._spec, study.runs)
        self._open = {job.id: job for job in self._agenda.open(self._known)}

    def run(self) -> None:
        trained = (self._folder / SELECTION).is_file() or not self._open
        if trained and self._waits_for_retry():
            return
        if trained and self._is_tested():
            self._finish()
            return
        options = self._options
        with open_jobs(self._opening(), self._home, self._wanted, options.n_tries, options.cluster) as jobs:
            if not trained:
                self._train(jobs)
            if self._waits_for_retry():
                return
            self._select()
            if self._stops_early():
                return
            if not self._is_tested():
                self._test(jobs)
        self._finish()

    def _opening(self) -> OpenWorkshop:
        ids, threads = self._study.parts.ids(), threads_beside(self._wanted)
        return OpenWorkshop(self._spec, ids, str(self._folder), self._options.device, threads)

    def _waits_for_retry(self) -> bool:
        if self._options.accept_failures or (self._folder / SELECTION).is_file():
            return False
        return any(not each.is_done for each in self._known.values())

    def _stops_early(self) -> bool:
        return self._options.stop_after == "selection" or self._spec.run.keep == "none"

    def _train(self, jobs: Jobs) -> None:
        """Give out jobs until none is left; a rung of halving opens when the one before is complete."""
        for job in self._open.values():
            jobs.add(job.id, self._home.about(job))
        while jobs.running or jobs.waiting:
            ended: list[str] = []
            for each in jobs.wait(_TICK):
                if isinstance(each, Said):
                    self._said[each.job] = each.message
                else:
                    ended += self._take(each)
            if ended:
                # Before the jobs of other models: a worker keeps what it made of the notes for one model.
                for job in reversed(self._agenda.open(self._known)):
                    self._open[job.id] = job
                    jobs.add(job.id, self._home.about(job), ahead=True)
                prune_runs(self._spec, self._folder, self._known)
                finish_facts(self._folder, self._known)
            self._show("training", jobs, tuple(ended))

    def _take(self, ended: Ended) -> list[str]:
        """The runs of a job that is over; those that it did not complete have failed with it."""
        job = self._open.pop(ended.job)
        paths = {run.id: self._folder / COMPLETIONS / f"{run.id}.json" for run in job.runs}
        failed = [run for run in job.runs if not paths[run.id].is_file()]
        if failed:
            timing = Timing.start(self._folder, job.id)
            # Nobody tries it here: only the time of those who did is taken up.
            timing.attempts = max(1, timing.attempts - 1)
            for run in failed:
                complete_run(self._folder, run, timing, error=ended.error or "stopped")
        self._known |= {run: read_completion(path) for run, path in paths.items()}
        return list(paths)

    def _select(self) -> None:
        write_selection(self._folder, select_runs(self._spec, self._known, self._agenda.order()))
        finish_facts(self._folder, self._known)
        prune_runs(self._spec, self._folder, self._known)

    def _test(self, jobs: Jobs) -> None:
        jobs.add(TESTS_JOB)
        while jobs.running or jobs.waiting:
            for each in jobs.wait(_TICK):
                if isinstance(each, Ended) and each.error is not None:
                    raise ConfigError(f"the selected models could not be tested: {each.error}")
            self._show("testing", jobs, ())

    def _is_tested(self) -> bool:
        selection = read_selection(self._folder)
        if selection is None:
            return False
        names = [*selection.choices, *(f"ensemble-{how}" for how in self._spec.ensembles)]
        return all((self._folder / TESTS / f"{name}.json").is_file() for name in names)

    def _finish(self) -> None:
        """Rows of hybrids and baselines that are not there yet."""
        if self._stops_early() or not (self._spec.hybrids or self._spec.baselines):
            return
        tests = [each for each in read_study(self._folder).tests if each.kind == "model"]
        add_late_rows(self._spec, self._study.parts, self._folder, tests, self._style())

    def _style(self) -> str:
        styles = {run.settings.words for runs in self._study.runs.values() for run in runs}
        return styles.pop() if len(styles) == 1 else "runs"

    def _show(self, stage: str, jobs: Jobs, ended: tuple[str, ...]) -> None:
        if self._watch is None:
            return
        running = tuple(self._open[id] for id in jobs.running if id in self._open)
        waiting = tuple(self._open[id] for id in jobs.waiting if id in self._open)
        known, said = dict(self._known), dict(self._said)
        self._watch(Snapshot(self._folder, stage, known, running, waiting, jobs.n_workers, ended, said))
