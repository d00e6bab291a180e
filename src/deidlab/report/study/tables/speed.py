"""Table 6 in two halves, training and prediction, and what it all cost.

The study's Table 6 is headed fine-tuning, but its figures are those of an evaluation loop: samples divided
by steps give 34.25, 11.42 and 5.96, which is 137 validation notes in 4, 12 and 23 steps. A sample is thus a
note cut at the length limit, so the published figures stand beside our 'first window only'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import ResampleSettings, draw_weights, interval
from deidlab.report.study.published import published_study, with_published
from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import device_seconds, has_gpu, published_of, seconds_to_train, selected_runs
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table, Value, columns_of
from deidlab.study.records import Completion, StudyRecords

WAYS = {"all_windows": "whole notes", "first_window_only": "first window only"}


@study_table("speed", "table-6-training")
def training_table(study: ScoredStudy) -> Table | None:
    """How fast the selected run of each model trained, with intervals over its epochs."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for name, run in selected_runs(records).items():
        speed: Mapping[str, Any] = run.speed.get("train") or {}
        rates = ("notes_per_second", "windows_per_second", "pieces_per_second", "steps_per_second")
        ends = epoch_factors(run, study.resample)
        memory = run.peak_memory_bytes
        rows.append((
            name, _device(run.environment or records.study.environment),
            *(_with_ends(speed.get(key), ends) for key in rates), speed.get("seconds"),
            seconds_to_train(records, run), None if memory is None else memory / 2**30,
        ))  # fmt: skip
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("device", "On", "text"), ("notes_per_second", "Notes a second", "rate"),
        ("windows_per_second", "Windows a second", "rate"), ("pieces_per_second", "Tokens a second", "rate"),
        ("steps_per_second", "Steps a second", "rate"), ("training_seconds", "In training steps", "seconds"),
        ("seconds", "The whole run", "seconds"), ("peak_gib", "Peak memory (GiB)", "rate"),
    )  # fmt: skip
    note = (
        "Of the selected runs. Tokens are real subword pieces, filler left out; a note counts once however "
        "many windows it takes. In brackets: intervals from the run's epochs drawn again, of which the first "
        "is often the slowest."
    )
    return Table("Table 6, training: throughput", columns, tuple(rows), note)


def epoch_factors(run: Completion, resample: ResampleSettings) -> tuple[float, float] | None:
    """By how much the speed of a run may differ, as factors: its epochs' times, drawn again."""
    seconds = np.array([entry["seconds"] for entry in run.epochs if entry.get("seconds")], np.float64)
    if len(seconds) < 3 or not resample.n_resamples:
        return None
    drawn = np.concatenate(
        [weights @ seconds for weights in draw_weights(len(seconds), resample.n_resamples, resample.seed)]
    )
    found = interval(1.0, seconds.sum() / drawn, resample.confidence)
    return None if found.low is None or found.high is None else (found.low, found.high)


def _with_ends(rate: float | None, ends: tuple[float, float] | None) -> Value:
    return rate if rate is None or ends is None else Interval(rate, rate * ends[0], rate * ends[1])


def _device(environment: Mapping[str, Any]) -> str | None:
    found = environment.get("gpu") or environment.get("device")
    return None if found is None else str(found)


@study_table("speed", "table-6-prediction")
def prediction_table(study: ScoredStudy) -> Table | None:
    """How fast each row predicts: whole notes, and only the first window of each as the study did."""
    models = {model.name: model for model in study.records.study.models}
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        published = published_of(models[row.name]) if row.name in models else None
        theirs = published["speed"] if published else {}
        for key, way in WAYS.items():
            measured = row.test.prediction.get(key) or {}
            seconds = measured.get("seconds")
            if not seconds:
                continue
            beside = theirs if key == "first_window_only" else {}
            rows.append((
                row.name, way, *(measured.get(what) for what in ("notes", "windows", "pieces", "steps")),
                seconds,
                *(_rate(measured.get(what), seconds) for what in ("notes", "windows", "pieces", "steps")),
                beside.get("samples_per_second"), beside.get("steps_per_second"),
            ))  # fmt: skip
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("way", "Predicts", "text"), ("notes", "Notes", "count"),
        ("windows", "Windows", "count"), ("pieces", "Tokens", "count"), ("steps", "Steps", "count"),
        ("seconds", "Time", "seconds"), ("notes_per_second", "Notes a second", "rate"),
        ("windows_per_second", "Windows a second", "rate"), ("pieces_per_second", "Tokens a second", "rate"),
        ("steps_per_second", "Steps a second", "rate"),
        ("published_samples_per_second", "Published samples a second", "rate"),
        ("published_steps_per_second", "Published steps a second", "rate"),
    )  # fmt: skip
    note = (
        "Tokens are real subword pieces. First window only: what a note has beyond the model's length "
        "limit is not looked at, so PHI there is missed."
    )
    title = "Table 6, prediction: throughput"
    notes = published_study()["parts"]["validation"]["notes"]
    return with_published(
        Table(title, columns, tuple(rows), note),
        f"The study's Table 6 is its evaluation of {notes} validation notes, one sample a note cut at the "
        "limit "
        "(a V100 of 32 GB), hence beside that row.",
    )


def _rate(count: Any, seconds: float) -> float | None:
    return None if count is None else float(count) / seconds


@study_table("speed", "table-6-published")
def published_speed_table(study: ScoredStudy) -> Table | None:
    """The study's Table 6 with the arithmetic that shows what it measured."""
    wanted = {published_of(model)["title"] for model in study.records.study.models if published_of(model)}  # type: ignore[index]
    notes = published_study()["parts"]["validation"]["notes"]
    rows: list[tuple[Value, ...]] = []
    for model in published_study()["models"]:
        if model["title"] not in wanted:
            continue
        samples, steps = model["speed"]["samples_per_second"], model["speed"]["steps_per_second"]
        n_steps = -(-notes // model["selected"]["batch"])
        rows.append(
            (model["title"], samples, steps, samples / steps, n_steps, notes / n_steps, notes / samples)
        )
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("samples_per_second", "Samples a second", "rate"),
        ("steps_per_second", "Steps a second", "rate"), ("samples_per_step", "Samples a step", "rate"),
        ("steps", f"Steps for {notes} notes", "count"), ("notes_per_step", "Notes a step then", "rate"),
        ("seconds", "Seconds for them", "rate"),
    )  # fmt: skip
    note = (
        f"Published samples a step equal {notes} validation notes spread over the steps that its batch "
        "size gives: the table times an evaluation, one cut note a sample, not training."
    )
    return Table("Table 6 as published, and what it measured", columns, tuple(rows), note)


@study_table("cost", "cost")
def cost_table(study: ScoredStudy) -> Table | None:
    """Time and money of the whole search, a row a model."""
    records = study.records
    if not records.completions:
        return None
    price = records.study.price_per_hour
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        runs = records.completions_of(model.name)
        if runs:
            rows.append((model.name, *_cost(records, runs), _selected_cost(records, model.name)))
    rows.append(("all", *_cost(records, records.completions), None))
    money = f"Cost ({records.study.currency})" if price is not None else "Cost"
    columns = columns_of(
        ("model", "Model", "text"), ("runs", "Runs", "count"), ("shared", "Of them shared", "count"),
        ("failed", "Failed", "count"), ("epochs", "Epochs trained", "count"),
        ("device_seconds", "GPU time" if has_gpu(records) else "CPU time", "seconds"),
        ("seconds", "Wall time", "seconds"), ("cost", money, "money"),
        ("selected_cost", "Selected run alone", "money"),
    )  # fmt: skip
    at = "no price was given" if price is None else f"{price:g} {records.study.currency} an hour"
    note = (
        "The time that runs held the device, all attempts; lengths that share a training each carry their "
        f"part of it. Selected run alone: its whole training. Price: {at}."
    )
    return Table("What it cost", columns, tuple(rows), note)


def _cost(records: StudyRecords, runs: Sequence[Completion]) -> tuple[Value, ...]:
    device = sum(device_seconds(records, run) for run in runs)
    price = records.study.price_per_hour
    return (
        len(runs),
        sum(run.shares is not None for run in runs),
        sum(not run.is_done for run in runs),
        sum(len(run.epochs) for run in runs if run.shares is None),
        device,
        sum(run.seconds for run in runs),
        None if price is None else device / 3600 * price,
    )


def _selected_cost(records: StudyRecords, model: str) -> float | None:
    run, price = selected_runs(records).get(model), records.study.price_per_hour
    return None if run is None or price is None else seconds_to_train(records, run) / 3600 * price
