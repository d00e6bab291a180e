"""Scores in, pictures out: types confused, F1 by type and system, precision–recall curves, reliability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from deidlab.evaluate.calibration import Calibration
from deidlab.evaluate.confusion import OUTSIDE, Confusion
from deidlab.evaluate.curves import ALL_TYPES, Curve
from deidlab.evaluate.score import SystemScore
from deidlab.report.figures import PALETTE, bar_style, legend_below, new_figure, plain_axes, values_and_reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_confusion(confusion: Confusion, name: str) -> Figure:
    """Each row's words as shares of that row, with the numbers in the cells."""
    cells = confusion.cells
    n_rows, n_columns = cells.shape
    figure = new_figure(max(5.0, 2.2 + 0.48 * n_columns), max(4.0, 1.8 + 0.36 * n_rows))
    axes = figure.add_subplot()
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)
    # Words without PHI on both sides are nearly all words; they would drown the rest of their row.
    shares[-1] = cells[-1] / max(1, cells[-1].sum() - cells[-1, n_rows - 1])
    shares[-1, n_rows - 1] = np.nan
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), n in np.ndenumerate(cells):
        if n:
            dark = shares[row, column] > 0.55
            axes.text(
                column,
                row,
                _short(int(n)),
                ha="center",
                va="center",
                fontsize=7,
                color="white" if dark else "#222222",
            )
    axes.set_xticks(
        range(n_columns), confusion.system, rotation=50, ha="right", rotation_mode="anchor", fontsize=8
    )
    axes.set_yticks(range(n_rows), confusion.gold, fontsize=8)
    axes.set_xlabel("system")
    axes.set_ylabel("gold")
    axes.set_title(f"Words of each gold type, by the type {name} gave them", fontsize=10)
    axes.set_xticks(np.arange(n_columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n_rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=0.8)
    axes.tick_params(which="both", length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.02)
    bar.set_label(f"share of the row (in the last row, of words not {OUTSIDE} on both sides)", fontsize=7)
    bar.ax.tick_params(labelsize=7)
    return figure


def draw_type_bars(scores: Sequence[SystemScore]) -> Figure:
    """F1 of each type present in the gold, one bar a system, with intervals; the largest types come first."""
    words = scores[0].figures.summary.words.by_type
    support = {label: counts.tp + counts.fn for label, counts in words.items()}
    labels = sorted((label for label, n in support.items() if n), key=lambda label: (-support[label], label))
    most = max(5, min(14, 48 // len(scores)))
    n_panels = max(1, -(-len(labels) // most))
    per_panel = max(1, -(-len(labels) // n_panels))
    figure = new_figure(9.5, 0.6 + 2.5 * n_panels)
    panels = figure.subplots(n_panels, 1, squeeze=False)[:, 0]
    for number, axes in enumerate(panels):
        part = labels[number * per_panel : (number + 1) * per_panel]
        for index, score in enumerate(scores):
            _draw_bars(axes, score, part, index, len(scores))
        axes.set_xticks(range(len(part)), [f"{label}\n{support[label]:,}" for label in part], fontsize=7)
        axes.set_xlim(-0.6, per_panel - 0.4)
        axes.set_ylim(0, 1.02)
        axes.set_ylabel("F1, words", fontsize=8)
        axes.tick_params(axis="y", labelsize=8)
        axes.tick_params(axis="x", length=0, rotation=30 if per_panel > 8 else 0)
        plain_axes(axes, "y")
    handles, names = panels[0].get_legend_handles_labels()
    figure.suptitle("F1 by type, with the number of gold words under each name", fontsize=10)
    legend_below(figure, handles, names, min(6, len(scores)))
    return figure


def _draw_bars(axes: Axes, score: SystemScore, labels: Sequence[str], index: int, n_systems: int) -> None:
    intervals = [score.figures.intervals.type_f1[label] for label in labels]
    values, reach = values_and_reach(intervals)
    width = 0.84 / n_systems
    axes.bar(
        np.arange(len(labels)) + (index - (n_systems - 1) / 2) * width, values, width * 0.94,
        label=score.name, linewidth=0.4, yerr=reach, error_kw={"elinewidth": 0.7, "ecolor": "#444444"},
        **bar_style(index),
    )  # fmt: skip


def draw_curves(curves: Sequence[Curve], origin: str) -> Figure:
    """One panel a type over the curve of all types, with the average precision; the largest types first."""
    whole = [curve for curve in curves if curve.name == ALL_TYPES]
    types = sorted((curve for curve in curves if curve.name != ALL_TYPES), key=lambda curve: -curve.n_gold)
    shown = [*whole, *types]
    n_columns = min(5, max(1, len(shown)))
    n_rows = max(1, -(-len(shown) // n_columns))
    figure = new_figure(2.0 * n_columns + 0.8, 1.9 * n_rows + 0.7)
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    for axes, curve in zip(panels.flat, shown, strict=False):
        for other in whole:
            _draw_curve(axes, other, color="#bbbbbb", linewidth=1.0)
        _draw_curve(axes, curve, color=PALETTE[0], linewidth=1.5)
        axes.set_title(f"{curve.name}  {curve.average_precision:.3f}", fontsize=8)
        axes.tick_params(labelsize=7)
        plain_axes(axes, "both")
    for axes in panels.flat[len(shown) :]:
        axes.set_visible(False)
    panels.flat[0].set_xlim(0, 1.02)
    panels.flat[0].set_ylim(0, 1.03)
    level = "entities, strict" if origin == "spans" else "words, PHI or not"
    figure.suptitle(
        f"Precision against recall at every threshold ({level}), and average precision", fontsize=10
    )
    figure.supxlabel("recall", fontsize=9)
    figure.supylabel("precision", fontsize=9)
    return figure


def draw_calibration(calibration: Calibration) -> Figure:
    """Share right against mean score, above how many scores each bin holds."""
    figure = new_figure(5.0, 5.4)
    upper, lower = figure.subplots(2, 1, height_ratios=(3.2, 1), sharex=True)
    bins = [part for part in calibration.bins if part.n]
    width = calibration.bins[0].high - calibration.bins[0].low
    upper.plot((0, 1), (0, 1), color="#888888", linestyle="--", linewidth=1, label="scores at their word")
    middles = [(part.low + part.high) / 2 for part in bins]
    right = [part.share_right or 0.0 for part in bins]
    upper.bar(middles, right, width * 0.92, color=PALETTE[4], alpha=0.55, label="share right")
    upper.plot(
        [part.mean_score or 0.0 for part in bins], right, "o-", color=PALETTE[0], markersize=4, linewidth=1.2
    )
    error = calibration.expected_error
    shown = "–" if error is None else f"{error:.4f}"
    upper.set_title(
        f"Reliability of {calibration.n:,} {calibration.what}; expected error {shown}", fontsize=10
    )
    upper.set_ylabel("share right")
    upper.set_xlim(0, 1)
    upper.set_ylim(0, 1.02)
    upper.legend(fontsize=8, frameon=False, loc="upper left")
    lower.bar(middles, [part.n for part in bins], width * 0.92, color=PALETTE[0])
    lower.set_yscale("log", nonpositive="clip")
    lower.set_ylim(bottom=0.8)
    lower.minorticks_off()
    lower.set_ylabel(calibration.what)
    lower.set_xlabel("score")
    for axes in (upper, lower):
        plain_axes(axes, "y")
    return figure


def _draw_curve(axes: Axes, curve: Curve, color: str, linewidth: float) -> None:
    # A step back to recall 0 at the first point's precision, as average precision counts it.
    recall = np.append(0.0, curve.recall)
    precision = np.append(curve.precision[:1] if len(curve.precision) else [0.0], curve.precision)
    axes.step(recall, precision, where="pre", color=color, linewidth=linewidth)


def _short(n: int) -> str:
    if n < 10_000:
        return str(n)
    return f"{n / 1000:.0f}k" if n < 1_000_000 else f"{n / 1_000_000:.1f}M"
