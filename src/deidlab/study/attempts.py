"""Far workers in, one history out: an attempt at a job writes into a folder of its own, never into the study.

A worker that cannot be reached any more may still be alive and write. So each attempt has a folder under
`attempts/`, with a name that is used once and a lease in it, and only the study's own process carries files
from there to their places, whole ones and each once. To give an attempt up is to rename its folder: from then
on the worker writes where nobody looks, and ends when it misses its lease.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.study.folder import (
    ACCESS,
    ATTEMPTS,
    COMPLETIONS,
    PROGRESS,
    RUNS,
    TESTS,
    write_object,
    write_whole,
)
from deidlab.study.jobs import Job

LEASE, BEGUN, STOP = "lease", "begun", "stop"
SEEN, NOTES = "seen", "notes.json"
"""In `attempts/`: what a worker must see there, and which notes the workers read."""

CHECKPOINT = "checkpoint.pt"
LOOK_SECONDS = 1.0
"""How often a worker looks after its lease."""

GRACE_SECONDS = 3 * LOOK_SECONDS
"""How long a job rests after it was lost: a worker that is only cut off has missed its lease by then."""

_TESTS_JOB = "tests"
_GIVEN_UP = ".given-up-"
# Folders shared over a network show what another machine wrote only after a while.
_APPEARS_SECONDS = 60.0


@dataclass(slots=True)
class Attempt:
    """One try at a job: where its worker writes, and the runs that it is about (none: the tests)."""

    folder: Path
    job: str
    runs: tuple[str, ...]
    final: bool = True
    _shown: float = field(default=0.0, repr=False)


def open_attempt(study: Path, job: Job) -> Attempt:
    """A fresh folder with all that an earlier attempt at the job left: its checkpoint and its time."""
    name = job.id if job.runs else _TESTS_JOB
    folder = study / ATTEMPTS / f"{name}.{secrets.token_hex(6)}"
    runs = tuple(run.id for run in job.runs)
    attempt = Attempt(folder, name, runs, job.runs[-1].final if runs else True)
    write_object(folder / LEASE, {"job": name, "runs": runs, "final": attempt.final})
    with contextlib.suppress(FileNotFoundError):
        write_whole(folder / PROGRESS / f"{name}.json", (study / PROGRESS / f"{name}.json").read_bytes())
    _move(_checkpoint(study, attempt), _checkpoint(folder, attempt))
    with contextlib.suppress(OSError):
        (study / RUNS / name).rmdir()
    return attempt


def carry_over(study: Path, attempt: Attempt) -> list[str]:
    """Take what is complete, and how far the rest is, while the worker goes on; the runs that were taken."""
    taken = _take_completions(study, attempt)
    shown = attempt.folder / PROGRESS / f"{attempt.job}.json"
    with contextlib.suppress(OSError):
        if (changed := shown.stat().st_mtime) != attempt._shown:
            attempt._shown = changed
            write_whole(study / PROGRESS / shown.name, shown.read_bytes(), lasting=False)
    return taken


def give_up(study: Path, attempt: Attempt) -> None:
    """End an attempt, whatever its worker does: what it completed is kept, and its checkpoint."""
    closed = attempt.folder.with_name(_GIVEN_UP + attempt.folder.name)
    with contextlib.suppress(FileNotFoundError):
        attempt.folder.rename(closed)
    _empty(study, Attempt(closed, attempt.job, attempt.runs, attempt.final))


def finish(study: Path, attempt: Attempt) -> bool:
    """End an attempt whose worker says that all is written; whether it is in the study now."""
    _wait_for(study, attempt)
    if attempt.job == _TESTS_JOB:
        _take_tests(study, attempt)
    give_up(study, attempt)
    return _is_done(study, attempt)


def recover(study: Path) -> int:
    """Give up every attempt of a process that is gone; how many there were."""
    folders = [path for path in sorted((study / ATTEMPTS).glob("*.*")) if path.is_dir()]
    n_open = 0
    for folder in folders:
        try:
            lease = read_object(folder / LEASE)
            attempt = Attempt(folder, str(lease["job"]), tuple(lease["runs"]), bool(lease["final"]))
        except (ConfigError, KeyError, TypeError):
            # Written by a worker that had been given up before.
            shutil.rmtree(folder, ignore_errors=True)
            continue
        if folder.name.startswith(_GIVEN_UP):
            _empty(study, attempt)
        else:
            n_open += 1
            give_up(study, attempt)
    for name in (SEEN, NOTES):
        (study / ATTEMPTS / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        (study / ATTEMPTS).rmdir()
    return n_open


def has_begun(attempt: Attempt) -> bool:
    """Whether a worker has taken the attempt up: what it never had cannot have killed it."""
    return (attempt.folder / BEGUN).exists()


def ask_to_stop(attempt: Attempt) -> None:
    """Let the worker write a checkpoint and end."""
    with contextlib.suppress(ConfigError):
        write_whole(attempt.folder / STOP, b"", lasting=False)


def holds_lease(folder: Path) -> bool | None:
    """Whether an attempt still counts; None where the folder cannot be looked at.

    The lease is opened, since looking alone may show what a network share remembers.
    """
    try:
        os.close(os.open(folder / LEASE, os.O_RDONLY))
    except OSError as error:
        return False if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESTALE) else None
    return True


def _empty(study: Path, attempt: Attempt) -> None:
    _take_completions(study, attempt)
    done = _is_done(study, attempt)
    if not done or not attempt.final:
        _move(_checkpoint(attempt.folder, attempt), _checkpoint(study, attempt))
    if not done:
        _move(attempt.folder / PROGRESS / f"{attempt.job}.json", study / PROGRESS / f"{attempt.job}.json")
    _add_readings(study, attempt.folder / ACCESS)
    shutil.rmtree(attempt.folder, ignore_errors=True)


def _is_done(study: Path, attempt: Attempt) -> bool:
    return all((study / COMPLETIONS / f"{run}.json").is_file() for run in attempt.runs)


def _checkpoint(folder: Path, attempt: Attempt) -> Path:
    return folder / RUNS / attempt.job / CHECKPOINT


def _take_completions(study: Path, attempt: Attempt) -> list[str]:
    """Move complete runs: weights first, so that a completion never lacks them; what is there stays."""
    taken = []
    for run in attempt.runs:
        record = attempt.folder / COMPLETIONS / f"{run}.json"
        target = study / COMPLETIONS / record.name
        if target.is_file() or not record.is_file():
            continue
        for path in sorted((attempt.folder / RUNS / run).glob("[!.]*")):
            if path.name != CHECKPOINT:
                _move(path, study / RUNS / run / path.name)
        _move(record, target)
        taken.append(run)
    return taken


def _take_tests(study: Path, attempt: Attempt) -> None:
    """Move predictions, then the records that vouch for them."""
    tests = attempt.folder / TESTS
    deep = sorted(path for path in tests.glob("*/[!.]*"))
    for path in [*deep, *sorted(tests.glob("[!.]*.json"))]:
        _move(path, study / path.relative_to(attempt.folder))


def _wait_for(study: Path, attempt: Attempt) -> None:
    """A shared folder may show a worker's records later than its answer arrives."""
    until = time.monotonic() + _APPEARS_SECONDS
    names = [f"{run}.json" for run in attempt.runs]
    places = (study / COMPLETIONS, attempt.folder / COMPLETIONS)
    while not all(any((place / name).is_file() for place in places) for name in names):
        if time.monotonic() > until:
            return
        time.sleep(0.25)


def _add_readings(study: Path, log: Path) -> None:
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
