"""Paired documents in, everything that scoring finds out: one way for the command and for Python.

Systems that are compared keep only the documents that all of them hold. Curves, calibration and a threshold
that holds a recall are of one system with scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.evaluate.operating import OperatingPoints, TargetSettings, find_operating_points, has_scores
from deidlab.evaluate.pairing import Pair, Pairing, common_pairs, drop_below
from deidlab.evaluate.score import (
    Comparison,
    ScoreSettings,
    SystemScore,
    compare_with_first,
    score_systems,
)
from deidlab.evaluate.tally import tally_pairs
from deidlab.evaluate.wordscores import read_word_scores


@dataclass(frozen=True, slots=True)
class OperatingSettings:
    """What is wanted beyond counts: a file of word scores, a recall to hold, or curves in any case."""

    scores: Path | None = None
    target_recall: float | None = None
    curves: bool = False

    @property
    def wanted(self) -> bool:
        return self.scores is not None or self.target_recall is not None or self.curves


@dataclass(frozen=True, slots=True)
class Scored:
    """Every system, how the others differ from the first, and the operating points of one with scores."""

    systems: Sequence[SystemScore]
    comparisons: Sequence[Comparison]
    operating: OperatingPoints | None
    pairs: Mapping[str, tuple[Pair, ...]] = field(repr=False)


def score_pairings(
    pairings: Mapping[str, Pairing],
    settings: ScoreSettings,
    threshold: float = 0.0,
    operating: OperatingSettings | None = None,
) -> Scored:
    """Score each named system, without its spans below the threshold."""
    pairs = dict(zip(pairings, common_pairs(pairings.values()), strict=True))
    scored = score_systems({name: drop_below(part, threshold) for name, part in pairs.items()}, settings)
    comparisons = compare_with_first(scored, settings.resample)
    points = _find_operating(pairs, settings, operating or OperatingSettings())
    return Scored(scored, comparisons, points, pairs)


def _find_operating(
    systems: Mapping[str, tuple[Pair, ...]], settings: ScoreSettings, wanted: OperatingSettings
) -> OperatingPoints | None:
    """Curves, calibration and threshold of one system with scores; asked for without any, an error."""
    pairs = next(iter(systems.values()))
    if len(systems) > 1 or not (wanted.wanted or has_scores(pairs)):
        return None
    word_scores = None if wanted.scores is None else read_word_scores(wanted.scores)
    target = None
    if wanted.target_recall is not None:
        resample = settings.resample
        target = TargetSettings(wanted.target_recall, resample.confidence, resample.unit)
    tally = tally_pairs(pairs, settings.label_set, settings.style)
    return find_operating_points(pairs, tally, word_scores, target)
