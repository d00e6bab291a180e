"""A snapshot of a study in, what a person wants to know out: how far each model is, and the time left."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deidlab.study.jobs import Job
from deidlab.study.spec import StudySpec

if TYPE_CHECKING:
    from deidlab.study.running import Snapshot


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """One row of the live table."""

    model: str
    done: int
    total: int
    failed: int
    now: str
    best: float | None
    seconds: float


def describe_models(spec: StudySpec, snapshot: Snapshot) -> list[ModelProgress]:
    """How far each model is."""
    rows = []
    for model in spec.models:
        ended = [each for each in snapshot.completions.values() if each.model == model.name]
        running = [job for job in snapshot.running if job.model == model.name]
        waiting = [job for job in snapshot.waiting if job.model == model.name]
        n_open = len(
            {run.id for job in (*running, *waiting) for run in job.runs} - {each.run for each in ended}
        )
        rows.append(
            ModelProgress(
                model.name,
                sum(each.is_done for each in ended),
                len(ended) + n_open,
                sum(not each.is_done for each in ended),
                ", ".join(_now(snapshot, job) for job in running) or ("waits" if waiting else ""),
                max((each.f1 for each in ended if each.f1 is not None), default=None),
                sum(each.seconds for each in ended),
            )
        )
    return rows


def seconds_left(snapshot: Snapshot) -> float | None:
    """From the seconds that an epoch of each model took so far; None before the first run has ended."""
    rates = _seconds_an_epoch(snapshot)
    if not rates:
        return None
    usual = max(rates.values())
    left = sum(job.epochs * rates.get(job.model, usual) for job in snapshot.waiting)
    for job in snapshot.running:
        epoch = int(snapshot.said.get(job.id, {}).get("epoch", 0))
        left += max(0, job.epochs - epoch) * rates.get(job.model, usual)
    return left / max(1, snapshot.n_workers)


def _seconds_an_epoch(snapshot: Snapshot) -> dict[str, float]:
    sums: dict[str, list[float]] = {}
    for each in snapshot.completions.values():
        if each.is_done and each.epochs:
            pair = sums.setdefault(each.model, [0.0, 0.0])
            pair[0] += sum(float(epoch.get("seconds", 0.0)) for epoch in each.epochs)
            pair[1] += len(each.epochs)
    return {model: seconds / epochs for model, (seconds, epochs) in sums.items() if epochs}


def _now(snapshot: Snapshot, job: Job) -> str:
    found = snapshot.said.get(job.id, {})
    if "epoch" not in found:
        return "starts"
    ago = time.time() - float(found.get("time", time.time()))
    slow = f", {ago:.0f} s ago" if ago > 60 else ""
    return f"epoch {found['epoch']}/{found['epochs']}{slow}"
