"""Figure 3 of the study: F1 of each PHI type, a bar a model, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deidlab.evaluate.intervals import Interval
from deidlab.report.figures import bar_style, legend_below, new_figure, plain_axes, values_and_reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More types than this stand in two columns.
_ONE_COLUMN = 10


@dataclass(frozen=True, slots=True)
class TypeBars:
    """One model: F1 of each type; `place` decides its colour."""

    name: str
    place: int
    f1: Mapping[str, Interval]


def draw_types(models: Sequence[TypeBars], support: Mapping[str, int], part: str) -> Figure:
    """The types in the order of `support`, which has the gold words of each."""
    labels = list(support)
    n_columns = 1 if len(labels) <= _ONE_COLUMN else 2
    per_column = max(1, -(-len(labels) // n_columns))
    thickness = 0.16 if len(models) < 5 else 0.12
    figure = new_figure(9.6, 1.0 + per_column * (thickness * len(models) + 0.14))
    panels = figure.subplots(1, n_columns, squeeze=False, sharex=True)[0]
    for number, axes in enumerate(panels):
        shown = labels[number * per_column : (number + 1) * per_column]
        for index, model in enumerate(models):
            _draw_bars(axes, model, shown, index, len(models))
        _name_types(axes, shown, support, per_column)
        axes.set_xlabel(f"F1, typed words, {part} part", fontsize=8)
    handles, names = panels[0].get_legend_handles_labels()
    n_wide = min(6, len(names))
    legend_below(figure, handles, names, n_wide)
    return figure


def _draw_bars(axes: Axes, model: TypeBars, labels: Sequence[str], index: int, n_models: int) -> None:
    intervals = [model.f1[label] for label in labels]
    values, ends = values_and_reach(intervals)
    width = 0.84 / n_models
    known = any(part.low is not None for part in intervals)
    axes.barh(
        np.arange(len(labels)) + (index - (n_models - 1) / 2) * width, values, width * 0.92,
        xerr=ends if known else None, error_kw={"elinewidth": 0.8, "ecolor": "#444444"},
        label=model.name, linewidth=0.3, **bar_style(model.place),
    )  # fmt: skip


def _name_types(axes: Axes, labels: Sequence[str], support: Mapping[str, int], n_rows: int) -> None:
    axes.set_yticks(range(len(labels)), [f"{label} ({support[label]:,})" for label in labels], fontsize=7)
    axes.set_ylim(n_rows - 0.5, -0.5)
    axes.set_xlim(0, 1.005)
    axes.tick_params(axis="x", labelsize=7)
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, "x")
