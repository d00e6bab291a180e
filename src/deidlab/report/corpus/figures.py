"""Counts of a corpus in, a bar chart of its labels out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deidlab.corpus.stats import PartCounts, row_labels
from deidlab.labels import LabelSet
from deidlab.report.figures import PALETTE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_label_bars(parts: Mapping[str, PartCounts], labels: LabelSet | None = None) -> Figure:
    """Words of each label, one bar a part, on a logarithmic axis: the rare types matter too."""
    shown = row_labels(parts, labels)
    figure = new_figure(8, 1.4 + 0.22 * max(1, len(shown)) * max(1, len(parts)) ** 0.6)
    axes = figure.subplots()
    thickness = 0.8 / len(parts)
    for index, (name, part) in enumerate(parts.items()):
        places = [row + (index - (len(parts) - 1) / 2) * thickness for row in range(len(shown))]
        counts = [part.words_by_label[label] for label in shown]
        bars = axes.barh(places, counts, thickness, color=PALETTE[index % len(PALETTE)], label=name)
        axes.bar_label(bars, [f"{count:,}" if count else "0" for count in counts], padding=3, fontsize=7)
    axes.set_yticks(range(len(shown)), shown, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.margins(x=0.12, y=0.01)
    axes.set_xlabel("words (logarithmic)")
    axes.set_title("PHI words by label", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    if len(parts) > 1:
        axes.legend(frameon=False, fontsize=8)
    return figure
