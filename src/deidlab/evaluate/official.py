"""The measures that corpora bring along, as their own programs define them; see `deidlab.conventions`.

A ratio with nothing to divide by is 0 here, as in those programs.
"""

from __future__ import annotations

import numpy as np

from deidlab import conventions
from deidlab.conventions import Measure
from deidlab.evaluate.counts import Blind, CountTable, Typed, precision_recall_f1
from deidlab.evaluate.layout import Ints


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
    if measure.typed:
        summed: Ints = total.typed[Typed[measure.counts]].sum(axis=0)
        return summed
    cell: Ints = total.blind[Blind[measure.counts]]
    return cell


def _ratios(cell: Ints) -> dict[str, float]:
    values = np.nan_to_num(np.array(precision_recall_f1(cell)))
    return {
        name: round(float(value), 4)
        for name, value in zip(("precision", "recall", "f1"), values, strict=True)
    }
