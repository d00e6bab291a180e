"""Scores of some that are of a kind and of some that are not in, the area under their curve out.

That is the share of pairs in which the one of the kind has the higher score: one half is chance.
"""

from __future__ import annotations

import numpy as np

from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.resample import ResampleSettings, draw_weights, interval


def area_of(of_kind: Ints, scores: Floats) -> float:
    """The area; not a number where all are of the kind, or none."""
    order = np.argsort(scores, kind="stable")
    return float(weighted_areas(of_kind[order], scores[order], np.ones((1, len(order))))[0])


def area_interval(of_kind: Ints, scores: Floats, settings: ResampleSettings) -> Interval:
    """The area and where it may lie; those of the kind and the others are drawn again together."""
    if len(scores) == 0:
        return Interval(None)
    order = np.argsort(scores, kind="stable")
    of_kind, scores = of_kind[order], scores[order]
    drawn = [np.zeros(0)]
    for weights in draw_weights(len(scores), settings.n_resamples, settings.seed):
        drawn.append(weighted_areas(of_kind, scores, weights))
    return interval(area_of(of_kind, scores), np.concatenate(drawn), settings.confidence)


def weighted_areas(of_kind: Ints, scores: Floats, weights: Floats) -> Floats:
    """One for each row of weights; all are in the order of scores, and ties count half."""
    starts = np.flatnonzero(np.r_[True, scores[1:] != scores[:-1]])
    there = np.add.reduceat(weights * of_kind, starts, axis=1)
    others = np.add.reduceat(weights * (1 - of_kind), starts, axis=1)
    below = np.cumsum(others, axis=1) - others
    whole = there.sum(axis=1) * others.sum(axis=1)
    area = (there * (below + others / 2)).sum(axis=1)
    found: Floats = np.divide(area, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return found
