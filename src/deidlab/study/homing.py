"""What workers leave in, one history out: the files of attempts at jobs, carried to their places in a study.

Only the study's own process does so, whole files and each once, whatever dies in between.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.execute.attempts import Attempt
from deidlab.study.folder import ACCESS, COMPLETIONS, PROGRESS, RUNS, TESTS, write_whole
from deidlab.study.jobs import Job
from deidlab.study.worker import TEST, TRAIN

CHECKPOINT = "checkpoint.pt"
TESTS_JOB = "tests"
# Folders shared over a network show what another machine wrote only after a while.
_APPEARS_SECONDS = 60.0


@dataclass(slots=True)
class StudyHome:
    """The folder of a study, as the home of attempts at its jobs."""

    study: Path
    jobs: dict[str, Job] = field(default_factory=dict, repr=False)

    def about(self, job: Job) -> Mapping[str, Any]:
        """What whoever finds an attempt at this job must know of it."""
        self.jobs[job.id] = job
        return {"runs": [run.id for run in job.runs], "final": job.runs[-1].final}

    def open(self, attempt: Attempt) -> tuple[str, Any]:
        """All that an earlier attempt at the job left, its checkpoint and its time; what is left to do."""
        if attempt.job == TESTS_JOB:
            return TEST, None
        with contextlib.suppress(FileNotFoundError):
            said = f"{PROGRESS}/{attempt.job}.json"
            write_whole(attempt.folder / said, (self.study / said).read_bytes())
        _move(_checkpoint(self.study, attempt), _checkpoint(attempt.folder, attempt))
        with contextlib.suppress(OSError):
            (self.study / RUNS / attempt.job).rmdir()
        left = [run for run in self.jobs[attempt.job].runs if not self._has(run.id)]
        return TRAIN, [run.as_dict() for run in left]

    def carry(self, attempt: Attempt) -> None:
        """Move complete runs: weights first, so that a completion never lacks them; what is there stays."""
        for run in _runs(attempt):
            record = attempt.folder / COMPLETIONS / f"{run}.json"
            if self._has(run) or not record.is_file():
                continue
            for path in sorted((attempt.folder / RUNS / run).glob("[!.]*")):
                if path.name != CHECKPOINT:
                    _move(path, self.study / RUNS / run / path.name)
            _move(record, self.study / COMPLETIONS / record.name)

    def close(self, attempt: Attempt, whole: bool) -> bool:
        """Take what is complete, and the checkpoint and the time of what is not."""
        if whole:
            self._wait_for(attempt)
        if attempt.job == TESTS_JOB:
            done = whole
            if whole:
                self._take_tests(attempt)
        else:
            self.carry(attempt)
            done = all(self._has(run) for run in _runs(attempt))
            if not done or not attempt.about.get("final", True):
                _move(_checkpoint(attempt.folder, attempt), _checkpoint(self.study, attempt))
            if not done:
                said = f"{PROGRESS}/{attempt.job}.json"
                _move(attempt.folder / said, self.study / said)
        add_readings(self.study, attempt.folder / ACCESS)
        shutil.rmtree(attempt.folder, ignore_errors=True)
        return done

    def _has(self, run: str) -> bool:
        return (self.study / COMPLETIONS / f"{run}.json").is_file()

    def _take_tests(self, attempt: Attempt) -> None:
        """Move predictions, then the records that vouch for them."""
        tests = attempt.folder / TESTS
        for path in [*sorted(tests.glob("*/[!.]*")), *sorted(tests.glob("[!.]*.json"))]:
            _move(path, self.study / path.relative_to(attempt.folder))

    def _wait_for(self, attempt: Attempt) -> None:
        """A shared folder may show a worker's records later than its answer arrives."""
        until = time.monotonic() + _APPEARS_SECONDS
        own = attempt.folder / COMPLETIONS
        while not all(self._has(run) or (own / f"{run}.json").is_file() for run in _runs(attempt)):
            if time.monotonic() > until:
                return
            time.sleep(0.25)


def _runs(attempt: Attempt) -> Iterator[str]:
    return iter(attempt.about.get("runs", ()))


def _checkpoint(folder: Path, attempt: Attempt) -> Path:
    return folder / RUNS / attempt.job / CHECKPOINT


def add_readings(study: Path, log: Path) -> None:
    """Add the lines of an attempt's `access.jsonl` that the study's does not have yet."""
    if not log.is_file():
        return
    with (study / ACCESS).open("a+b") as stream:
        stream.seek(0)
        known = set(stream.read().splitlines(keepends=True))
        lines = log.read_bytes().splitlines(keepends=True)
        stream.writelines(line for line in lines if _is_whole(line) and line not in known)
        stream.flush()
        os.fsync(stream.fileno())


def _is_whole(line: bytes) -> bool:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and line.endswith(b"\n")


def _move(source: Path, target: Path) -> None:
    """Rename within the study; where there is nothing to move, nothing is done."""
    if not source.is_file():
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConfigError(
            f"{target}: {error.strerror or 'cannot be written'}; make room and run again"
        ) from None
