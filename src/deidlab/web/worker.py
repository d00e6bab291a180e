"""A worker process: frames of jobs on standard input, frames of answers on standard output.

The first frame in says what to load, the first out that it is loaded. The end of standard input ends the
worker.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any

from deidlab.errors import DeidError
from deidlab.execute import Failed
from deidlab.execute.tasks import attempt, describe
from deidlab.web.frames import LENGTH, length_of, pack, unpack
from deidlab.web.jobs import Done, Job, Ready, WorkerSetup, nameless
from deidlab.web.work import Work


def main() -> None:
    """A worker's life. Nothing escapes it: an uncaught exception would be printed with its data."""
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt), _own_channel() as (frames, answers):
        setup = _read(frames)
        assert isinstance(setup, WorkerSetup)
        try:
            work = Work(setup)
            work.warm()
            _write(answers, Ready(work.labels()))
        except Exception as error:
            _write(answers, DeidError(describe(error)))
            return
        _serve(work, frames, answers)


def _serve(work: Work, frames: IO[bytes], answers: IO[bytes]) -> None:
    while (jobs := _read(frames)) is not None:
        _write(answers, answer(work, jobs))


def answer(work: Work, jobs: Sequence[Job]) -> tuple[Done | Failed, ...]:
    """A Done or a Failed for each job; one that fails never takes the others with it."""
    try:
        answers = attempt(work.do, jobs)
    except DeidError as error:
        # A wrong setting is wrong for every job here: each is told.
        answers = tuple(Failed(describe(error)) for _ in jobs)
    return tuple(
        Failed(nameless(each.reason, job.documents)) if isinstance(each, Failed) else each
        for each, job in zip(answers, jobs, strict=True)
    )


@contextlib.contextmanager
def _own_channel() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The two pipes, out of reach of whatever a library prints."""
    with os.fdopen(os.dup(0), "rb") as frames, os.fdopen(os.dup(1), "wb") as answers:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.close(nothing)
        sys.stdin.close()
        yield frames, answers


def _write(answers: IO[bytes], value: object) -> None:
    answers.write(pack(value))
    answers.flush()


def _read(frames: IO[bytes]) -> Any:
    """The next frame, or None at the end."""
    head = frames.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    data = frames.read(length_of(head))
    return unpack(data) if len(data) == length_of(head) else None


if __name__ == "__main__":
    main()
