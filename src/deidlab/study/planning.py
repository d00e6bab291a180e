"""A study in, what it will take out: runs, epochs, steps, hours and money, and which runs share work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from deidlab.encode.words import find_words
from deidlab.errors import DeidError
from deidlab.execute.jobs import Ended, NoFiles
from deidlab.study.completing import completions_by_run
from deidlab.study.engines import open_jobs
from deidlab.study.folder import STUDY
from deidlab.study.grid import expand_model
from deidlab.study.jobs import Job, expected_rungs, group_runs
from deidlab.study.notes import Parts, deal_parts, read_part
from deidlab.study.reckoning import (
    PIECES_PER_WORD,
    UNTIMED,
    NoteLengths,
    Speed,
    TimedSpeed,
    speed_of_runs,
)
from deidlab.study.records import Completion
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.study.worker import CALIBRATE, OpenWorkshop, threads_beside
from deidlab.types import Document

# Notes that tell how many pieces a word has, and how long it takes to decide and measure them.
_SAMPLE = 200


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
    pieces_per_word: float | None
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
    price_per_hour: float | None
    currency: str
    device: str
    processes: int
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


@dataclass(frozen=True, slots=True)
class _Notes:
    """What is known of a study's notes before anything is trained."""

    lengths: NoteLengths
    parts: Parts
    sample: list[str]


def plan_study(
    spec: StudySpec, folder: Path | None = None, device: str = "auto", calibrate: bool = True
) -> Plan:
    """What a study will take on this machine.

    Speed comes from the study's own completed runs where there are some, else from a short timing. Training
    notes are read for their length; test notes are not.
    """
    said: list[str] = []
    known = completions_by_run(folder) if folder is not None and (folder / STUDY).is_file() else {}
    notes = _read_notes(spec, said)
    speeds = _find_speeds(spec, known, notes, device, calibrate, said)
    on_gpu = any(speed.device == "cuda" for speed in speeds.values())
    parts = notes.parts.parts if notes else {}
    return Plan(
        name=spec.name,
        models=tuple(_plan_model(spec, model, known, notes, speeds.get(model.name)) for model in spec.models),
        documents={name: None if part.ids is None else len(part.ids) for name, part in parts.items()},
        train_words=sum(notes.lengths.words) if notes else None,
        price_per_hour=spec.cost.price_per_hour,
        currency=spec.cost.currency,
        device="gpu" if on_gpu else "cpu" if speeds else "unknown",
        processes=max(1, spec.run.processes),
        notes=tuple(said),
    )


def _plan_model(
    spec: StudySpec,
    model: ModelSpec,
    known: Mapping[str, Completion],
    notes: _Notes | None,
    speed: Speed | None,
) -> ModelPlan:
    grid = expand_model(spec, model)
    rungs = expected_rungs(spec, model)
    halved = spec.halving is not None and len(grid) > 1
    jobs = [job for rung in rungs for job in group_runs(rung, spec.run.share and not halved)]
    whole = trained = sum(job.epochs for job in jobs)
    if halved and all(run.settings.schedule == "constant" for run in grid):
        # A rung goes on from the one below.
        trained -= sum(run.settings.epochs for rung, after in pairwise(rungs) for run in rung[: len(after)])
    done_once = trained / max(1, whole)
    longest = [job.runs[-1].settings for job in jobs]
    steps = trained_steps = hours = None
    if notes:
        counting = speed or UNTIMED
        steps = sum(counting.steps(notes.lengths, run.settings) for run in grid)
        trained_steps = sum(counting.steps(notes.lengths, each) for each in longest)
    if notes and speed:
        seconds = sum(speed.seconds(notes.lengths, each) for each in longest)
        hours = (seconds * done_once + speed.first_seconds) / 3600
    return ModelPlan(
        model=model.name,
        runs=len(grid),
        jobs=len(jobs),
        epochs=sum(run.settings.epochs for run in grid),
        trained_epochs=trained,
        steps=steps,
        trained_steps=None if trained_steps is None else round(trained_steps * done_once),
        pieces_per_word=speed.per_word if speed else None,
        pieces_per_second=speed.pieces_per_second if speed else None,
        speed_from=speed.how if speed else "",
        hours=hours,
        done=sum(run.id in known for run in grid),
        shared=tuple(_ids(job) for job in jobs if len(job.runs) > 1),
        rungs=tuple((len(rung), max(run.settings.epochs for run in rung)) for rung in rungs)
        if halved
        else (),
    )


def _ids(job: Job) -> tuple[str, ...]:
    return tuple(run.id for run in job.runs)


def _read_notes(spec: StudySpec, said: list[str]) -> _Notes | None:
    import tempfile

    if not (spec.corpus.path or spec.corpus.train or spec.make):
        said.append("no corpus is given (--corpus PATH): steps, hours and money are not known")
        return None
    with tempfile.TemporaryDirectory() as aside:
        parts = deal_parts(spec, Path(aside))
        documents = read_part(parts, "train", Path(aside), "plan")
    words = [len(find_words(document.text)) for document in documents]
    said.append("tests are not counted")
    sample = [document.id for document in spread_out(documents, _SAMPLE)]
    return _Notes(NoteLengths(words, len(parts.parts["validation"].ids or ())), parts, sample)


def spread_out(notes: Sequence[Document], most: int) -> list[Document]:
    """So many notes at most, evenly from first to last: corpora are often in some order."""
    n_taken = min(most, len(notes))
    return [notes[place * len(notes) // n_taken] for place in range(n_taken)]


def _find_speeds(
    spec: StudySpec,
    known: Mapping[str, Completion],
    notes: _Notes | None,
    device: str,
    calibrate: bool,
    said: list[str],
) -> dict[str, Speed]:
    by_model = {
        model.name: speed_of_runs(each for each in known.values() if each.model == model.name)
        for model in spec.models
    }
    speeds: dict[str, Speed] = {name: speed for name, speed in by_model.items() if speed is not None}
    missing = [model for model in spec.models if model.name not in speeds]
    if notes is None or not missing:
        return speeds
    timed = _time_models(spec, missing, notes, device, said) if calibrate else {}
    reckoned = [model.name for model in missing if model.name not in timed or not timed[model.name].per_word]
    if reckoned:
        said.append(f"pieces are reckoned at {PIECES_PER_WORD} a word: {', '.join(reckoned)}")
    if timed and not notes.lengths.n_validation:
        said.append("validation notes have files of their own, which are not read: their time is not counted")
    return speeds | timed


def _time_models(
    spec: StudySpec, models: list[ModelSpec], notes: _Notes, device: str, said: list[str]
) -> dict[str, TimedSpeed]:
    try:
        found = _calibrate(spec, models, notes.sample, device)
    except DeidError as error:
        said.append(f"no speed could be measured: {error}")
        return {}
    failed = {name: answer["error"] for name, answer in found.items() if "error" in answer}
    said.extend(f"{name}: no speed could be measured: {why}" for name, why in failed.items())
    timed = {name: TimedSpeed(**answer) for name, answer in found.items() if name not in failed}
    said.extend(f"{name}: {speed.why}" for name, speed in timed.items() if speed.why)
    return timed


def _calibrate(
    spec: StudySpec, models: list[ModelSpec], sample: list[str], device: str
) -> dict[str, dict[str, Any]]:
    import tempfile

    values = {model.name: (CALIBRATE, expand_model(spec, model)[0].as_dict()) for model in models}
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as aside:
        opening = OpenWorkshop(spec, {"train": sample}, aside, device, threads_beside(spec.run.processes))
        with open_jobs(opening, NoFiles(values), max_workers=1, tries=1) as jobs:
            for name in values:
                jobs.add(name)
            while len(found) < len(models):
                for each in jobs.wait(0.5):
                    if isinstance(each, Ended):
                        if each.error is not None:
                            raise DeidError(f"model {each.job}: {each.error}")
                        found[each.job] = each.answer
    return found
