"""Scores and whether each was right in, how far the scores can be taken at their word out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deidlab.errors import ConfigError
from deidlab.evaluate.certainty import WordCertainty
from deidlab.evaluate.layout import Flags, Floats
from deidlab.evaluate.tally import Tally


@dataclass(frozen=True, slots=True)
class Bin:
    """The scores from `low` up to `high`: how many, their mean, and the share that was right."""

    low: float
    high: float
    n: int
    mean_score: float | None
    share_right: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """`expected_error` is the gap between mean score and share right, averaged over bins by their size."""

    what: str
    n: int
    expected_error: float | None
    largest_error: float | None
    brier: float | None
    bins: tuple[Bin, ...]


def calibrate(what: str, score: Floats, right: Flags, n_bins: int = 10) -> Calibration:
    """Scores in bins of equal width; a score of 1 belongs to the last."""
    if n_bins < 1:
        raise ConfigError("calibration needs at least one bin")
    row = np.minimum((score * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(row, minlength=n_bins)
    sum_score = np.bincount(row, weights=score, minlength=n_bins)
    sum_right = np.bincount(row, weights=right, minlength=n_bins)
    bins = tuple(
        Bin(
            index / n_bins,
            (index + 1) / n_bins,
            int(n[index]),
            float(sum_score[index] / n[index]) if n[index] else None,
            float(sum_right[index] / n[index]) if n[index] else None,
        )
        for index in range(n_bins)
    )
    if not len(score):
        return Calibration(what, 0, None, None, None, bins)
    gap = np.abs(sum_score - sum_right)
    filled = n > 0
    return Calibration(
        what,
        len(score),
        float(gap.sum() / len(score)),
        float((gap[filled] / n[filled]).max()),
        float(np.mean((score - right) ** 2)),
        bins,
    )


def calibrate_spans(tally: Tally, n_bins: int = 10) -> Calibration:
    """A span's score against whether gold has the very same span; spans without a score are left out."""
    scored = ~np.isnan(tally.spans.score)
    return calibrate("spans", tally.spans.score[scored], tally.spans.right[scored], n_bins)


def calibrate_words(words: WordCertainty, n_bins: int = 10) -> Calibration:
    """A word's probability of being PHI against whether gold says so."""
    return calibrate("words", words.score, words.phi, n_bins)
