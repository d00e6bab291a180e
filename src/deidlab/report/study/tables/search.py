"""The search itself: validation F1 of every setting, the effect of each hyper-parameter, learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import (
    candidates,
    curve_points,
    device_seconds,
    group_by_value,
    has_gpu,
    searched_keys,
    selected_runs,
    setting_title,
    show_setting,
    varied_settings,
)
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table, Value, columns_of


@study_table("search", "settings")
def runs_table(study: ScoredStudy) -> Table | None:
    """Every run that ended, the best of each model first."""
    records = study.records
    if not records.completions:
        return None
    keys = varied_settings([run.settings for run in records.completions])
    chosen = {run.run for run in selected_runs(records).values()}
    order = {model.name: place for place, model in enumerate(records.study.models)}
    runs = sorted(
        records.completions,
        key=lambda run: (order.get(run.model, len(order)), run.f1 is None, -(run.f1 or 0.0), run.run),
    )
    halved = any(run.rung is not None for run in runs)
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        measured = run.validation or {}
        rows.append((
            run.model, *(_cell(run.settings.get(key)) for key in keys), *((run.rung,) if halved else ()),
            run.status,
            *(measured.get(name) for name in ("precision", "recall", "f1", "accuracy", "strict_f1")),
            device_seconds(records, run), run.shares, run.run,
        ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"),
        *((key, setting_title(key), "plain") for key in keys),
        *((("rung", "Rung", "count"),) if halved else ()),
        ("status", "Ended", "text"),
        ("precision", "Precision"),
        ("recall", "Recall"),
        ("f1", "F1"),
        ("accuracy", "Accuracy"),
        ("strict_f1", "Strict F1"),
        ("device_seconds", "GPU time" if has_gpu(records) else "CPU time", "seconds"),
        ("shares", "Shares work with", "text"),
        ("run", "Run", "text"),
    )
    marked = frozenset(index for index, run in enumerate(runs) if run.run in chosen)
    note = "Validation part, typed words; the selected run of each model is set off. Strict F1: entities."
    return Table("Validation F1 of every setting", columns, tuple(rows), note, marked=marked)


def _cell(value: Any) -> Value:
    return value if value is None or isinstance(value, int | float | str) else str(value)


@study_table("search", "effects")
def effect_table(study: ScoredStudy) -> Table | None:
    """Validation F1 at each value of each hyper-parameter, over all settings of the others."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        runs = candidates(records, model.name)
        for key in searched_keys(runs):
            whole = float(np.mean([run.f1 for run in runs]))
            for value, scores in group_by_value(runs, key).items():
                mean = float(np.mean(scores))
                rows.append((
                    model.name, setting_title(key), show_setting(value), len(scores), mean, mean - whole,
                    max(scores), min(scores),
                ))  # fmt: skip
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("setting", "Hyper-parameter", "text"), ("value", "Value", "text"),
        ("runs", "Runs", "count"), ("mean_f1", "Mean F1"), ("effect", "Less the model's mean", "signed"),
        ("best_f1", "Best"), ("worst_f1", "Worst"),
    )  # fmt: skip
    note = "Validation part. A value's mean is over the settings of all other hyper-parameters."
    return Table("Effect of each hyper-parameter", columns, tuple(rows), note)


@study_table("search", "importance")
def importance_table(study: ScoredStudy) -> Table | None:
    """How much of the differences between settings each hyper-parameter alone explains."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        runs = candidates(records, model.name)
        for key in searched_keys(runs):
            groups = group_by_value(runs, key)
            means = [float(np.mean(scores)) for scores in groups.values()]
            best = max(groups, key=lambda value: float(np.mean(groups[value])))
            spread = max(means) - min(means)
            rows.append(
                (model.name, setting_title(key), len(groups), show_setting(best), spread, explained(groups))
            )
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("setting", "Hyper-parameter", "text"), ("values", "Values", "count"),
        ("best", "Best on average", "text"), ("range", "Range of means"), ("explained", "Variance explained"),
    )  # fmt: skip
    note = (
        "Variance explained: between the values' means, as a share of the variance of F1 over the model's "
        "settings; what settings do only together is in none of the rows."
    )
    return Table("Which hyper-parameters mattered", columns, tuple(rows), note)


def explained(groups: Mapping[Any, Sequence[float]]) -> float | None:
    """The share of the scores' variance that lies between the groups' means."""
    scores = np.concatenate([np.asarray(each, np.float64) for each in groups.values()])
    whole = float(((scores - scores.mean()) ** 2).sum())
    between = sum(len(each) * (float(np.mean(each)) - float(scores.mean())) ** 2 for each in groups.values())
    return between / whole if whole > 1e-15 else None


@study_table("search", "curves")
def curve_table(study: ScoredStudy) -> Table | None:
    """The learning curve of each model's selected run."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for name, run in selected_runs(records).items():
        rows += [(name, *point.values()) for point in curve_points(run)]
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("epoch", "Epoch", "count"), ("learning_rate", "Learning rate", "plain"),
        ("train_loss", "Training loss"), ("validation_loss", "Validation loss"),
        ("validation_f1", "Validation F1"), ("validation_strict_f1", "Strict F1"),
        ("seconds", "Time", "seconds"),
    )  # fmt: skip
    note = (
        "Of the selected run of each model; F1 of typed words, which selection goes by, and of strict "
        "entities, at the epochs that were validated."
    )
    return Table("Learning curves", columns, tuple(rows), note)


@study_table("search", "failures")
def failure_table(study: ScoredStudy) -> Table | None:
    """Runs that failed, and why."""
    records = study.records
    rows = tuple(
        (run.model, run.run, run.attempts, run.error or "") for run in records.completions if not run.is_done
    )
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("run", "Run", "text"), ("attempts", "Attempts", "count"),
        ("error", "Why", "text"),
    )  # fmt: skip
    note = "`deidlab study run` with --retry tries these again."
    return Table("Runs that failed", columns, rows, note)
