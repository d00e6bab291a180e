"""A scored study in, its pictures out: F1 with intervals, curves, settings, effects, errors, speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from deidlab.report.figures import (
    PALETTE,
    colour,
    legend_below,
    new_figure,
    plain_axes,
    values_and_reach,
    whole_numbers,
)
from deidlab.report.study.runs import (
    candidates,
    curve_points,
    group_by_value,
    published_of,
    searched_keys,
    seconds_to_train,
    selected_runs,
    setting_title,
    show_setting,
)
from deidlab.report.study.scores import ScoredRow, ScoredStudy
from deidlab.report.study.types import ERRORS, error_counts, types_in_order
from deidlab.study.records import StudyRecords

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_N_TYPES = 22
_MARKERS = "osD^vP*X"


def place_of(records: StudyRecords, name: str) -> int:
    """A model's place in the study: what gives it the same colour and mark in every picture."""
    names = [model.name for model in records.study.models]
    return names.index(name) if name in names else len(names)


def draw_forest(study: ScoredStudy) -> Figure:
    """Test F1 of words and of strict entities with intervals; published F1 as a ring where there is one."""
    rows = study.rows[::-1]
    figure = new_figure(8.2, 1.3 + 0.42 * len(rows))
    axes = figure.subplots()
    for key, name, lift, index in (
        ("words.f1", "words, typed", 0.13, 0),
        ("strict.f1", "entities, strict", -0.13, 1),
    ):
        values, ends = values_and_reach([row.figures.intervals.headline[key] for row in rows])
        axes.errorbar(
            values, np.arange(len(rows)) + lift, xerr=ends, fmt=_MARKERS[index], color=colour(index),
            capsize=3, markersize=5, linewidth=1.4, label=name,
        )  # fmt: skip
    _ring_published(axes, study, rows)
    axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=9)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("F1 on the test part", fontsize=9)
    axes.tick_params(labelsize=8)
    plain_axes(axes, "x")
    axes.legend(
        fontsize=8,
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.32 if len(rows) < 4 else -0.18),
        ncols=3,
    )
    return figure


def _ring_published(axes: Axes, study: ScoredStudy, rows: Sequence[ScoredRow]) -> None:
    models = {model.name: model for model in study.records.study.models}
    places = [
        (published["scores"]["test"]["f1"], place)
        for place, row in enumerate(rows)
        if row.name in models and (published := published_of(models[row.name]))
    ]
    if places:
        axes.plot(
            [f1 for f1, _ in places], [place + 0.13 for _, place in places], "o", markerfacecolor="none",
            markeredgecolor="#888888", markersize=8, linestyle="", label="published (another corpus)",
        )  # fmt: skip


def draw_curves(records: StudyRecords) -> Figure:
    """Validation F1 and training loss of the selected runs, epoch by epoch."""
    figure = new_figure(9.2, 3.9)
    left, right = figure.subplots(1, 2)
    losses: list[float] = []
    for name, run in selected_runs(records).items():
        index, points = place_of(records, name), curve_points(run)
        losses += [point["train_loss"] for point in points if point["train_loss"]]
        for axes, key in ((left, "validation_f1"), (right, "train_loss")):
            known = [(point["epoch"], point[key]) for point in points if point[key] is not None]
            if known:
                axes.plot(
                    *zip(*known, strict=True), marker=_MARKERS[index % len(_MARKERS)], markersize=3.5,
                    linewidth=1.5, color=colour(index), label=name,
                )  # fmt: skip
    left.set_ylabel("validation F1 (typed words)", fontsize=8)
    right.set_ylabel("training loss", fontsize=8)
    right.set_yscale("log")
    right.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    # Over less than a decade the powers of ten alone would leave the axis without a number.
    short = bool(losses) and max(losses) < 10 * min(losses)
    right.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if short else "")
    for axes in (left, right):
        axes.set_xlabel("epoch", fontsize=8)
        axes.xaxis.set_major_locator(whole_numbers())
        axes.tick_params(labelsize=8, which="both")
        plain_axes(axes, "both")
    handles, names = left.get_legend_handles_labels()
    legend_below(figure, handles, names, min(5, len(names) or 1))
    return figure


def draw_settings(records: StudyRecords) -> Figure:
    """A dot a setting: validation F1, the selected one filled."""
    chosen = {run.run for run in selected_runs(records).values()}
    models = [model.name for model in records.study.models if candidates(records, model.name)][::-1]
    figure = new_figure(8.2, 1.1 + 0.45 * len(models))
    axes = figure.subplots()
    for place, name in enumerate(models):
        runs = candidates(records, name)
        # Spread in a fixed pattern, so that settings of the same F1 can be told apart.
        lift = [place + 0.24 * ((index * 7 % 11) / 5 - 1) for index in range(len(runs))]
        index = place_of(records, name)
        f1 = [float(run.f1 or 0.0) for run in runs]
        axes.plot(
            f1, lift, "o", markersize=4, markerfacecolor="none", markeredgecolor=colour(index), linestyle=""
        )
        best = [(x, y) for x, y, run in zip(f1, lift, runs, strict=True) if run.run in chosen]
        if best:
            axes.plot(*zip(*best, strict=True), "o", markersize=8, color=colour(index), linestyle="")
    axes.set_yticks(range(len(models)), models, fontsize=9)
    axes.set_ylim(-0.6, len(models) - 0.4)
    axes.set_xlabel("validation F1", fontsize=9)
    axes.tick_params(labelsize=8)
    plain_axes(axes, "x")
    return figure


def draw_effects(records: StudyRecords) -> Figure:
    """Mean validation F1 at each value of each hyper-parameter, a line a model, from worst to best."""
    groups: dict[str, dict[str, Mapping[Any, list[float]]]] = {}
    for model in records.study.models:
        runs = candidates(records, model.name)
        for key in searched_keys(runs):
            groups.setdefault(key, {})[model.name] = group_by_value(runs, key)
    n_columns = min(3, len(groups))
    n_rows = -(-len(groups) // n_columns)
    figure = new_figure(max(6.0, 3.2 * n_columns + 0.4), 2.8 * n_rows + 0.5)
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    for axes, (key, found) in zip(panels.flat, groups.items(), strict=False):
        _draw_effect(axes, found, records)
        axes.set_title(setting_title(key), fontsize=9)
        axes.set_ylabel("validation F1", fontsize=8)
        axes.tick_params(labelsize=7)
        plain_axes(axes, "y")
    for axes in panels.flat[len(groups) :]:
        axes.set_visible(False)
    handles: dict[str, Any] = {}
    for axes in panels.flat[: len(groups)]:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    legend_below(figure, list(handles.values()), list(handles), min(5, len(handles)))
    return figure


def _draw_effect(axes: Axes, found: Mapping[str, Mapping[Any, list[float]]], records: StudyRecords) -> None:
    values = {value for groups in found.values() for value in groups}
    numbers = all(isinstance(value, int | float) for value in values)
    ticks = sorted(values, key=None if numbers else str)
    place = {value: index for index, value in enumerate(ticks)}
    for number, (name, groups) in enumerate(found.items()):
        index = place_of(records, name)
        x = np.array([place[value] for value in groups]) + 0.06 * (number - (len(found) - 1) / 2)
        means = np.array([np.mean(scores) for scores in groups.values()])
        ends = np.array([(min(scores), max(scores)) for scores in groups.values()])
        reach = np.maximum(np.stack([means - ends[:, 0], ends[:, 1] - means]), 0)
        axes.errorbar(
            x, means, yerr=reach, marker=_MARKERS[index % len(_MARKERS)], markersize=4, linewidth=1.2,
            capsize=2, elinewidth=0.7, color=colour(index), label=name,
        )  # fmt: skip
    axes.set_xticks(range(len(ticks)), [show_setting(value) for value in ticks])
    axes.set_xlim(-0.5, len(ticks) - 0.5)


def draw_errors(study: ScoredStudy) -> Figure:
    """Shares of each type's gold words that were missed, mistyped or found in part; up to four models."""
    models = study.models[:4]
    labels = types_in_order(study)[:_N_TYPES][::-1]
    figure = new_figure(2.6 + 2.1 * len(models), 1.2 + 0.22 * len(labels))
    panels = figure.subplots(1, len(models), sharey=True, sharex=True, squeeze=False)[0]
    names = {"missed": "missed", "wrong_type": "another type", "in_part": "in part"}
    colours = {"missed": PALETTE[5], "wrong_type": PALETTE[1], "in_part": PALETTE[4]}
    for axes, row in zip(panels, models, strict=True):
        counted = error_counts(row.score)
        done = np.zeros(len(labels))
        for kind in ERRORS:
            shares = np.array([counted[label][kind] / max(1, counted[label]["words"]) for label in labels])
            axes.barh(
                range(len(labels)), shares, left=done, height=0.72, color=colours[kind], label=names[kind]
            )
            done += shares
        axes.set_title(row.name, fontsize=9)
        axes.tick_params(labelsize=7)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel("share of the type's words", fontsize=7)
        plain_axes(axes, "x")
    panels[0].set_yticks(range(len(labels)), labels, fontsize=7)
    panels[0].set_xlim(left=0)
    handles, shown = panels[0].get_legend_handles_labels()
    legend_below(figure, handles, shown, 3)
    return figure


def draw_speed(study: ScoredStudy) -> Figure:
    """Tokens a second in training and in prediction, a pair of bars a model."""
    rows = [row for row in study.models if row.run is not None][::-1]
    figure = new_figure(8.2, 1.2 + 0.5 * len(rows))
    axes = figure.subplots()
    kinds = (("prediction, whole notes", 0.19, 2), ("training", -0.19, 0))
    for name, lift, index in kinds:
        values = [_tokens(row, name == "training") or 0.0 for row in rows]
        bars = axes.barh(np.arange(len(rows)) + lift, values, 0.36, color=colour(index), label=name)
        axes.bar_label(bars, [f"{value:,.0f}" if value else "" for value in values], padding=3, fontsize=7)
    axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=9)
    axes.margins(x=0.12)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("real tokens a second", fontsize=9)
    axes.tick_params(labelsize=8, which="both")
    plain_axes(axes, "x")
    figure.legend(fontsize=8, frameon=False, ncols=2, loc="outside lower center")
    return figure


def _tokens(row: ScoredRow, training: bool) -> float | None:
    if training:
        speed = (row.run.speed.get("train") or {}) if row.run else {}
        found: float | None = speed.get("pieces_per_second")
        return found
    measured = row.test.prediction.get("all_windows") or {}
    return measured["pieces"] / measured["seconds"] if measured.get("seconds") else None


def draw_cost(study: ScoredStudy) -> Figure:
    """Test F1 against the device time of the selected run."""
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    for row in study.models:
        if row.run is None:
            continue
        index = place_of(study.records, row.name)
        value, ends = values_and_reach([row.figures.intervals.headline["words.f1"]])
        axes.errorbar(
            max(seconds_to_train(study.records, row.run), 1e-3), value, yerr=ends,
            fmt=_MARKERS[index % len(_MARKERS)], color=colour(index), markersize=7, capsize=3, label=row.name,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("device time of the selected run, seconds (logarithmic)", fontsize=9)
    axes.set_ylabel("test F1, words", fontsize=9)
    axes.tick_params(labelsize=8, which="both")
    axes.margins(x=0.25)
    plain_axes(axes, "both")
    figure.legend(fontsize=8, frameon=False, ncols=min(4, len(study.models)), loc="outside lower center")
    return figure
