"""What a score and a study both show of figures, as cells: measures, headline figures, types, confusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from deidlab.evaluate.confusion import Confusion
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.measures import RATIOS, headline_measures
from deidlab.evaluate.score import Figures
from deidlab.report.tables import Value


def measure_rows(figures: Figures) -> Iterator[tuple[str, Interval, Interval, Interval]]:
    """Every way to match with its precision, recall and F1."""
    for measure in headline_measures():
        precision, recall, f1 = headline_cells(figures, *(f"{measure.key}.{ratio}" for ratio in RATIOS))
        yield measure.title, precision, recall, f1


def headline_cells(figures: Figures, *keys: str) -> tuple[Interval, ...]:
    return tuple(figures.intervals.headline[key] for key in keys)


def headline_points(figures: Figures, keys: Sequence[str]) -> tuple[float | None, ...]:
    """The same without intervals."""
    return tuple(each.value for each in headline_cells(figures, *keys))


def word_cells(figures: Figures, label: str) -> tuple[Value, ...]:
    """A type's gold words, and how well its words were found; F1 with its interval."""
    words = figures.summary.words.by_type[label]
    return words.tp + words.fn, words.precision, words.recall, figures.intervals.type_f1[label]


def common_confusions(confusion: Confusion) -> list[tuple[str, str, int]]:
    """Gold type, system type and words of what was confused, the commonest first."""
    found = [
        (confusion.gold[row], confusion.system[column], int(n))
        for (row, column), n in np.ndenumerate(confusion.cells)
        if n and row != column
    ]
    return sorted(found, key=lambda each: (-each[2], each[0], each[1]))
