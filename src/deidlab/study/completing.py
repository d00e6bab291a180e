"""What is written when a run starts, goes on and ends: progress for people, one completion record a run.

A completion appears whole or not at all. Its seconds are those of all attempts, killed ones included.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.study.folder import COMPLETIONS, PROGRESS, RUNS, now, write_object
from deidlab.study.grid import Run
from deidlab.study.records import DONE, FAILED, Completion, read_completions

if TYPE_CHECKING:
    from deidlab.study.jobs import Job

WEIGHTS = "model.safetensors"


@dataclass(slots=True)
class Timing:
    """The time of a job: `before` was spent in attempts that were cut off, `spent` in this one.

    Of both, `gpu_before` and what went by since `gpu_mark` were the GPU's.
    """

    started: str
    attempts: int
    before: float
    parent: int
    mark: float = field(default_factory=time.perf_counter)
    spent: float = 0.0
    gpu_before: float = 0.0
    gpu_mark: float | None = None

    @classmethod
    def start(cls, folder: Path, job: str) -> Timing:
        """Take up what earlier attempts at the job left, and count this one."""
        path = folder / PROGRESS / f"{job}.json"
        try:
            earlier = read_object(path) if path.is_file() else {}
        except ConfigError:
            earlier = {}
        attempts = int(earlier.get("attempts", 0)) + 1
        timing = cls(now(), attempts, float(earlier.get("seconds", 0.0)), os.getppid())
        timing.gpu_before = float(earlier.get("gpu_seconds", 0.0))
        write_object(path, earlier | timing.as_progress())
        return timing

    def lap(self) -> None:
        self.spent = time.perf_counter() - self.mark

    @property
    def seconds(self) -> float:
        """Of the run under way, all attempts together."""
        self.lap()
        return self.before + self.spent

    def take_gpu(self) -> None:
        """Notes are read and cut, the model is built: what follows is the GPU's time."""
        self.gpu_mark = time.perf_counter()

    @property
    def gpu_seconds(self) -> float:
        """Of the run under way, up to the last lap, all attempts together."""
        if self.gpu_mark is None:
            return self.gpu_before
        return self.gpu_before + self.mark + self.spent - self.gpu_mark

    def as_progress(self) -> dict[str, Any]:
        """What the next attempt must know."""
        return {
            "seconds": self.seconds,
            "gpu_seconds": self.gpu_seconds,
            "attempts": self.attempts,
            "started": self.started,
        }

    def abandoned(self) -> bool:
        """Whether the process that waits for this one is gone."""
        return os.getppid() != self.parent

    def next_run(self) -> None:
        """The run in hand has ended; another of the same job follows."""
        self.before, self.spent, self.mark, self.started = 0.0, 0.0, time.perf_counter(), now()
        self.gpu_before, self.gpu_mark = 0.0, None if self.gpu_mark is None else self.mark


def write_progress(folder: Path, job: Job, run: Run, epoch: int, timing: Timing) -> None:
    """How far a job is; read by whoever watches, and by the next attempt."""
    write_object(
        folder / PROGRESS / f"{job.id}.json",
        {
            "job": job.id,
            "model": job.model,
            "run": run.id,
            "runs": [each.id for each in job.runs],
            "epoch": epoch,
            "epochs": job.epochs,
            **timing.as_progress(),
            "time": time.time(),
            "process": os.getpid(),
        },
        lasting=False,
    )


def complete_run(
    folder: Path,
    run: Run,
    timing: Timing,
    record: Mapping[str, Any] | None = None,
    error: str | None = None,
    shares: str | None = None,
) -> None:
    """Write a run's completion record."""
    seconds, gpu_seconds = timing.seconds, timing.gpu_seconds
    table: dict[str, Any] = {
        "run": run.id,
        "model": run.model,
        "settings": run.settings.as_dict(),
        "seed": run.settings.seed,
        "status": DONE if error is None else FAILED,
        "error": error,
        "started": timing.started,
        "ended": now(),
        "seconds": seconds,
        "gpu_seconds": gpu_seconds,
        "attempts": timing.attempts,
        "shares": shares,
        "rung": run.rung,
        "final": run.final,
        "before": run.before,
        "validation": None,
    }
    write_object(folder / COMPLETIONS / f"{run.id}.json", table | dict(record or {}))
    timing.next_run()


def completions_by_run(folder: Path) -> dict[str, Completion]:
    return {each.run: each for each in read_completions(folder)}


def best_so_far(folder: Path, model: str) -> tuple[float, int] | None:
    """F1 and epochs of a model's best final run that has ended."""
    return best_of([each for each in read_completions(folder) if each.model == model and each.final])


def best_of(completions: Sequence[Completion]) -> tuple[float, int] | None:
    scored = [(each.f1, int(each.settings["epochs"])) for each in completions if each.f1 is not None]
    return max(scored, key=lambda pair: (pair[0], -pair[1]), default=None)


def is_better(f1: float | None, epochs: int, best: tuple[float, int] | None) -> bool:
    """Whether a run would be selected over the best so far; a tie goes to fewer epochs, then the earlier."""
    if best is None:
        return True
    return ((f1 or 0.0), -epochs) >= (best[0], -best[1])


def drop_failed(folder: Path) -> list[str]:
    """Forget the runs that failed, so that they are tried again, and keep count of the attempts."""
    failed = [each for each in read_completions(folder) if not each.is_done]
    for each in failed:
        write_object(
            folder / PROGRESS / f"{each.run}.json",
            {"attempts": each.attempts, "seconds": each.seconds, "gpu_seconds": each.gpu_seconds},
        )
        (folder / COMPLETIONS / f"{each.run}.json").unlink(missing_ok=True)
    return [each.run for each in failed]


def weights_of(folder: Path, run: str) -> Path:
    return folder / RUNS / run / WEIGHTS
