"""Scores in, precision–recall curves out: what every threshold would have given."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from deidlab.evaluate.certainty import WordCertainty
from deidlab.evaluate.layout import Flags, Floats, Ints
from deidlab.evaluate.tally import Tally

ALL_TYPES = "all types"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Precision and recall of keeping what scores at least each threshold, from the highest down.

    `average_precision` sums precision over the steps in recall; what no candidate reaches counts as lost.
    """

    name: str
    n_gold: int
    threshold: Floats = field(repr=False)
    precision: Floats = field(repr=False)
    recall: Floats = field(repr=False)
    average_precision: float


def trace_curve(name: str, score: Floats, right: Flags, n_gold: int) -> Curve | None:
    """The curve of candidates of which some are right; None where gold holds nothing to find."""
    return _trace(name, score, right.astype(np.int64), right.astype(np.int64), n_gold)


def span_curves(tally: Tally) -> list[Curve]:
    """Entity level, strict: a curve a type in the gold, and one of all; a span with no score is certain."""
    spans = tally.spans
    score = np.where(np.isnan(spans.score), 1.0, spans.score)
    cells = tally.table.cells["strict"].sum(axis=0)
    n_gold = cells[:, 0] + cells[:, 2]
    curves = [trace_curve(ALL_TYPES, score, spans.right, int(n_gold[tally.scored_codes].sum()))]
    for label, code in zip(tally.scored, tally.scored_codes, strict=True):
        rows = spans.label == code
        curves.append(trace_curve(label, score[rows], spans.right[rows], int(n_gold[code])))
    return [curve for curve in curves if curve is not None]


def word_curves(tally: Tally, words: WordCertainty) -> list[Curve]:
    """Word level, PHI or not: one curve of all types, and one a type with that type's own recall.

    A word's probability names no type, so every curve has the same, label-blind precision.
    """
    curves = [trace_curve(ALL_TYPES, words.score, words.phi, int(words.phi.sum()))]
    for label, code in zip(tally.scored, tally.scored_codes, strict=True):
        mine = (words.label == code).astype(np.int64)
        curves.append(_trace(label, words.score, mine, words.phi.astype(np.int64), int(mine.sum())))
    return [curve for curve in curves if curve is not None]


def thin_curve(curve: Curve, n_points: int = 200) -> Curve:
    """The same curve with no more points than that, evenly spread along it, ends kept."""
    if len(curve.threshold) <= n_points:
        return curve
    rows = np.unique(np.linspace(0, len(curve.threshold) - 1, n_points).round().astype(np.int64))
    parts = (curve.threshold[rows], curve.precision[rows], curve.recall[rows])
    return Curve(curve.name, curve.n_gold, *parts, curve.average_precision)


def _trace(name: str, score: Floats, found: Ints, right: Ints, n_gold: int) -> Curve | None:
    if n_gold == 0:
        return None
    order = np.argsort(-score, kind="stable")
    ranked = score[order]
    # Candidates of equal score stand or fall together: only the last of them is a point of the curve.
    last = (
        np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)) if len(ranked) else np.empty(0, np.int64)
    )
    n_found, n_right = np.cumsum(found[order])[last], np.cumsum(right[order])[last]
    precision = n_right / (last + 1)
    recall = n_found / n_gold
    area = float((np.diff(recall, prepend=0.0) * precision).sum())
    return Curve(name, n_gold, ranked[last], precision, recall, area)
