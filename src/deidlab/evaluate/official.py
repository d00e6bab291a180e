"""The measures that corpora bring along, as their own programs define them; see `deidlab.conventions`.

A ratio with nothing to divide by is 0 here, as in those programs.
"""

from __future__ import annotations

import numpy as np

from deidlab import conventions
from deidlab.conventions import Measure
from deidlab.evaluate.counts import CountTable, precision_recall_f1
from deidlab.evaluate.layout import Ints
from deidlab.evaluate.measures import find_measure


def official_scores(table: CountTable) -> dict[str, dict[str, dict[str, float]]]:
    """By corpus and measure: precision, recall and F1, pooled over documents, to four decimals."""
    total = table.total()
    return {
        corpus: {
            name: _ratios(_counts(total, measure))
            for name, measure in conventions.find(corpus).measures.items()
        }
        for corpus in conventions.known()
    }


def _counts(total: CountTable, measure: Measure) -> Ints:
    cells: Ints = total.cells[measure.counts]
    return cells.sum(axis=0) if find_measure(measure.counts).typed else cells


def _ratios(cell: Ints) -> dict[str, float]:
    values = np.nan_to_num(np.array(precision_recall_f1(cell)))
    return {
        name: round(float(value), 4)
        for name, value in zip(("precision", "recall", "f1"), values, strict=True)
    }
