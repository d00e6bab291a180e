"""A worker of a study, on whatever machine: jobs in, records out in the folder of each attempt.

It holds one `Workshop` for its whole life. On a cluster it looks first whether it sees what the study needs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.execute.attempts import Attempt
from deidlab.execute.workers import NUMBER
from deidlab.study.folder import ATTEMPTS, write_whole
from deidlab.study.spec import StudySpec

TRAIN, TEST, CALIBRATE = "train", "test", "calibrate"
SEEN, NOTES = "seen", "notes-"
"""In `attempts/`, on a cluster: what a worker must see there, and marks of the notes that workers read."""

_APPEARS_SECONDS = 2.0


def threads_beside(n_processes: int) -> int:
    """How many threads a worker may use where so many run side by side; 0 where it is alone: all it likes."""
    return max(1, (os.cpu_count() or 1) // n_processes) if n_processes > 1 else 0


@dataclass(frozen=True, slots=True)
class OpenWorkshop:
    """Travels to each worker and opens its workshop there."""

    spec: StudySpec
    ids: dict[str, list[str]]
    folder: str
    device: str
    threads: int
    surroundings: Surroundings | None = None

    def __call__(self) -> StudyWork:
        if self.surroundings is not None:
            self.surroundings.settle()
        number = os.environ.get(NUMBER, "0")
        os.environ["LOCAL_RANK"] = number if self.device != "cpu" else "0"
        from deidlab.train.start import need_torch

        need_torch("a study")
        import torch

        if self.threads:
            torch.set_num_threads(self.threads)
        from deidlab.study.notes import parts_from
        from deidlab.study.workshop import Workshop

        parts = parts_from(self.spec, self.ids)
        workshop = Workshop(self.spec, parts, Path(self.folder), self.device)
        return StudyWork(workshop, far=self.surroundings is not None)


class StudyWork:
    """A workshop that writes each job into the folder of its attempt."""

    def __init__(self, workshop: Any, far: bool) -> None:
        self._workshop, self._far = workshop, far
        self.facts = {"n_devices": _count_devices(workshop.place.device.type)}

    def __call__(self, value: tuple[str, Any], attempt: Attempt) -> Any:
        """A job of one of the three kinds; its answer, where it is not on disk."""
        kind, payload = value
        workshop = self._workshop
        workshop.out = attempt.folder
        if kind == TRAIN:
            from deidlab.study.grid import run_from
            from deidlab.study.jobs import Job
            from deidlab.study.training import train_job

            if self._far:
                agree_on_notes(workshop)
            train_job(workshop, Job(tuple(run_from(run) for run in payload)))
            return None
        if kind == CALIBRATE:
            from deidlab.study.calibrate import measure_speed

            return measure_speed(workshop, payload)
        from deidlab.study.records import read_selection
        from deidlab.study.testing import predict_selected

        selection = read_selection(workshop.folder)
        assert selection is not None
        predict_selected(workshop, selection)
        return None


def _count_devices(kind: str) -> int:
    import torch

    return int(torch.cuda.device_count()) if kind == "cuda" else 1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a far worker must find: the study's folder with a mark in it, the paths that the study names."""

    here: str
    folder: str
    mark: str
    paths: tuple[str, ...]

    @classmethod
    def of(cls, spec: StudySpec, folder: Path, mark: str) -> Surroundings:
        corpus = spec.corpus
        named = [corpus.path, corpus.train, corpus.validation, corpus.test]
        named += [cross.path for cross in spec.cross]
        named += [name for model in spec.models for name in (model.model, model.tokenizer)]
        # A hub's model is no path; a path that is not here either is reported when it is read.
        paths = tuple(str(Path(name).absolute()) for name in named if name and Path(name).exists())
        return cls(str(Path.cwd()), str(folder), mark, paths)

    def __call__(self) -> str:
        """What is wrong here, or nothing."""
        attempts = Path(self.here) / self.folder / ATTEMPTS
        until = time.monotonic() + _APPEARS_SECONDS
        while _read_mark(attempts) != self.mark:
            if time.monotonic() > until:
                return f"does not see {attempts.parent}: put the study's folder where every node has it"
            time.sleep(0.25)
        if not os.access(attempts, os.W_OK):
            return f"cannot write to {attempts.parent}"
        missing = next((path for path in self.paths if not Path(path).exists()), None)
        return "" if missing is None else f"does not see {missing}"

    def settle(self) -> None:
        """Be where the study was started, or say which node lacks what."""
        if wrong := self():
            import socket

            raise ConfigError(f"node {socket.gethostname()} {wrong}")
        # Paths in the study's records are as they were typed; where all are whole, any place will do.
        with contextlib.suppress(OSError):
            os.chdir(self.here)


def _read_mark(attempts: Path) -> str | None:
    try:
        return (attempts / SEEN).read_text("utf-8")
    except OSError:
        return None


def agree_on_notes(workshop: Any) -> None:
    """Refuse to train on other notes than the rest: each worker leaves a mark named after its notes."""
    own = json.dumps(workshop.describe_parts(), sort_keys=True)
    attempts = workshop.folder / ATTEMPTS
    write_whole(attempts / f"{NOTES}{hashlib.sha256(own.encode()).hexdigest()}", b"", lasting=False)
    if len(list(attempts.glob(f"{NOTES}*"))) > 1:
        raise ConfigError("the nodes of the cluster do not have the same notes under the paths of the study")
