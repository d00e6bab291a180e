"""A study in, what it will take out: runs, epochs, steps, hours and money, and which runs share work."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from deidlab.encode.words import find_words
from deidlab.errors import DeidError
from deidlab.study.completing import completions_by_run
from deidlab.study.folder import STUDY
from deidlab.study.grid import Run, expand_runs
from deidlab.study.jobs import Job, expected_rungs, group_runs
from deidlab.study.notes import Parts, deal_parts, read_part
from deidlab.study.pool import Pool
from deidlab.study.records import Completion
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.study.worker import CALIBRATE, WorkerPlan

# What tokenizers of English and Spanish notes give on average; used only where notes are not pieced.
PIECES_PER_WORD = 1.35


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What a model's runs will take; `trained_epochs` counts shared work once, hours need a speed."""

    model: str
    runs: int
    jobs: int
    epochs: int
    trained_epochs: int
    steps: int | None
    trained_steps: int | None
    pieces_per_second: float | None
    speed_from: str
    hours: float | None
    done: int
    shared: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    rungs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole: sums over models, and money where a price is known."""

    name: str
    models: tuple[ModelPlan, ...]
    documents: Mapping[str, int | None]
    train_words: int | None
    train_pieces: int | None
    price_per_hour: float | None
    currency: str
    device: str
    notes: tuple[str, ...]

    @property
    def hours(self) -> float | None:
        hours = [each.hours for each in self.models]
        return None if None in hours else sum(each or 0.0 for each in hours)

    @property
    def money(self) -> float | None:
        return None if self.hours is None or self.price_per_hour is None else self.hours * self.price_per_hour

    def total(self, name: str) -> int | None:
        values = [getattr(each, name) for each in self.models]
        return None if None in values else sum(values)

    def as_dict(self) -> dict[str, Any]:
        sums = {
            key: self.total(key)
            for key in ("runs", "jobs", "epochs", "trained_epochs", "steps", "trained_steps")
        }
        return asdict(self) | {"total": sums | {"gpu_hours": self.hours, "money": self.money}}


def plan_study(
    spec: StudySpec, folder: Path | None = None, device: str = "auto", calibrate: bool = True
) -> Plan:
    """What a study will take on this machine.

    Speed comes from the study's own completed runs where there are some, else from a short timing. Training
    notes are read for their length; test notes are not.
    """
    notes: list[str] = []
    known = completions_by_run(folder) if folder is not None and (folder / STUDY).is_file() else {}
    parts, words = _measure_corpus(spec, notes)
    lengths = None if words is None else [each * PIECES_PER_WORD for each in words]
    if words is not None:
        notes.append(f"pieces are reckoned at {PIECES_PER_WORD} a word; validation and tests are not counted")
    speeds = _find_speeds(spec, known, device, calibrate and lengths is not None, notes)
    on_gpu = any(speed.get("device") == "cuda" for speed in speeds.values())
    models = tuple(
        _plan_model(spec, model, known, lengths, speeds.get(model.name, {})) for model in spec.models
    )
    pieces = None if lengths is None else round(sum(lengths))
    documents = {
        name: None if part.ids is None else len(part.ids)
        for name, part in (parts.parts if parts else {}).items()
    }
    return Plan(
        spec.name, models, documents, None if words is None else sum(words), pieces,
        spec.cost.price_per_hour, spec.cost.currency,
        "gpu" if on_gpu else "cpu" if speeds else "unknown", tuple(notes),
    )  # fmt: skip


def _plan_model(
    spec: StudySpec,
    model: ModelSpec,
    known: Mapping[str, Completion],
    lengths: Sequence[float] | None,
    speed: Mapping[str, Any],
) -> ModelPlan:
    grid = expand_runs(spec)[model.name]
    rungs = expected_rungs(spec, model)
    halved = spec.halving is not None and len(grid) > 1
    jobs = [job for rung in rungs for job in group_runs(rung, spec.run.share and not halved)]
    goes_on = halved and all(run.settings.schedule == "constant" for run in grid)
    trained = sum(job.epochs for job in jobs)
    if goes_on:
        trained -= sum(run.settings.epochs for rung, after in pairwise(rungs) for run in rung[: len(after)])
    whole = sum(job.epochs for job in jobs)
    longest = [job.runs[-1] for job in jobs]
    steps = _steps(longest, lengths)
    rate = speed.get("pieces_per_second")
    hours = None
    if rate is not None and lengths is not None:
        hours = sum(run.settings.epochs * _windows(lengths, run)[1] for run in longest) / rate / 3600
        hours *= trained / max(1, whole)
    return ModelPlan(
        model=model.name,
        runs=len(grid),
        jobs=len(jobs),
        epochs=sum(run.settings.epochs for run in grid),
        trained_epochs=trained,
        steps=_steps(grid, lengths),
        trained_steps=None if steps is None else round(steps * trained / max(1, whole)),
        pieces_per_second=rate,
        speed_from=str(speed.get("how", "")),
        hours=hours,
        done=sum(run.id in known for run in grid),
        shared=tuple(_ids(job) for job in jobs if len(job.runs) > 1),
        rungs=tuple((len(rung), max(run.settings.epochs for run in rung)) for rung in rungs)
        if halved
        else (),
    )


def _ids(job: Job) -> tuple[str, ...]:
    return tuple(run.id for run in job.runs)


def _windows(lengths: Sequence[float], run: Run) -> tuple[int, float]:
    """Windows and pieces of an epoch for notes of so many pieces each, overlap counted."""
    window, stride = run.settings.window - 2, run.settings.stride
    counts = [1 + max(0, math.ceil((length - window) / stride)) for length in lengths]
    overlap = window - stride
    pieces = sum(length + (n - 1) * overlap + 2 * n for length, n in zip(lengths, counts, strict=True))
    return sum(counts), pieces


def _steps(runs: Sequence[Run], lengths: Sequence[float] | None) -> int | None:
    """Optimizer steps: a batch is so many windows."""
    if lengths is None:
        return None
    total = 0
    for run in runs:
        batch = run.settings.batch * run.settings.accumulate
        total += run.settings.epochs * math.ceil(_windows(lengths, run)[0] / batch)
    return total


def _measure_corpus(spec: StudySpec, notes: list[str]) -> tuple[Parts | None, list[int] | None]:
    import tempfile

    if not (spec.corpus.path or spec.corpus.train or spec.make):
        notes.append("no corpus is given (--corpus PATH): steps, hours and money are not known")
        return None, None
    with tempfile.TemporaryDirectory() as aside:
        parts = deal_parts(spec, Path(aside))
        documents = read_part(parts, "train", Path(aside), "plan")
    return parts, [len(find_words(document.text)) for document in documents]


def _find_speeds(
    spec: StudySpec, known: Mapping[str, Completion], device: str, calibrate: bool, notes: list[str]
) -> dict[str, dict[str, Any]]:
    speeds: dict[str, dict[str, Any]] = {}
    for completion in known.values():
        rate = completion.speed.get("train", {}).get("pieces_per_second")
        if completion.is_done and rate:
            kind = "cuda" if completion.gpu_seconds else "cpu"
            speeds[completion.model] = {"pieces_per_second": rate, "how": "completed runs", "device": kind}
    missing = [model for model in spec.models if model.name not in speeds]
    if calibrate and missing:
        try:
            for name, found in _calibrate(spec, missing, device).items():
                if "error" in found:
                    notes.append(f"{name}: no speed could be measured: {found['error']}")
                else:
                    speeds[name] = found
        except DeidError as error:
            notes.append(f"no speed could be measured: {error}")
    return speeds


def _calibrate(spec: StudySpec, models: list[ModelSpec], device: str) -> dict[str, dict[str, Any]]:
    import tempfile

    grid = expand_runs(spec)
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as aside:
        plan = WorkerPlan(spec, {}, aside, device, 0, os.cpu_count() or 1)
        with Pool(plan) as pool:
            waiting = list(models)
            worker = pool.start()
            while len(found) < len(models):
                if worker.ready and worker.task is None:
                    model = waiting.pop(0)
                    pool.give(worker, CALIBRATE, grid[model.name][0].as_dict(), model.name)
                for ended in pool.wait(0.5):
                    if ended.error is not None:
                        raise DeidError(f"model {ended.task}: {ended.error}")
                    found[ended.task] = ended.answer
    return found
