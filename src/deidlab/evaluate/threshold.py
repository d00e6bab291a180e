"""Word probabilities of a calibration set and a wanted recall in, the threshold that holds it out.

Learn then Test (Angelopoulos and others, 2021). A unit is a document or a patient that holds PHI; its risk
is the share of its PHI words that score below the threshold. Thresholds of a grid fixed beforehand are
tested from the lowest, which misses least, upward; each null hypothesis says that the expected risk of a
unit is above 1 − recall. The first that cannot be rejected ends the walk, and the last rejected is the
answer. With probability `confidence` over the draw of the calibration set, the expected recall of a new
unit at that threshold is at least the one wanted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from deidlab.errors import ConfigError
from deidlab.evaluate.binomial import binomial_at_most
from deidlab.evaluate.certainty import WordCertainty
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.tally import Tally

# Even steps in log-odds from 1 in 22,000 to its mirror: fine where detectors put the words that matter.
GRID: Floats = 1 / (1 + np.exp(-np.arange(-200, 201) / 20))
USUAL = 0.5
# No calibration set is larger; a rate of misses that would need more is as good as too high.
_MOST_UNITS = 10**8

ASSUMPTIONS = (
    "the calibration units are a random draw from the same source as the notes to come",
    "they were used neither to train nor to choose the detector, and the threshold is chosen on them once",
    "their gold is complete: PHI that no one marked is not counted",
    "what holds is the mean over units of each unit's own recall; single units may fall below it",
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a threshold does to the calibration set: `unit_recall` is the mean over units, others pool."""

    threshold: float
    unit_recall: float | None
    recall: float | None
    precision: float | None
    masked_words: int


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The threshold that holds the wanted recall, and its price beside the usual threshold."""

    target_recall: float
    confidence: float
    unit: str
    n_units: int
    p_value: float
    certified_recall: float
    chosen: Effect
    usual: Effect


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no threshold can be promised; `n_needed` units could do it, or None where no number would."""

    target_recall: float
    confidence: float
    unit: str
    n_units: int
    n_needed: int | None
    reason: str


def choose_threshold(
    words: WordCertainty, units: Ints, unit: str, target_recall: float, confidence: float
) -> Guarantee | Refusal:
    """The highest threshold that passes; `units` gives the unit of each document's row."""
    _refuse_impossible(target_recall, confidence)
    risks, n_units = _mean_risks(words, units)
    least = units_without_miss(target_recall, confidence)
    if n_units < least:
        reason = (
            f"a recall of {target_recall:g} with confidence {confidence:g} needs at least {least} {unit}s "
            f"with PHI even if none of their words is missed; there are {n_units}"
        )
        return Refusal(target_recall, confidence, unit, n_units, least, reason)
    alpha = 1 - target_recall
    p_values = []
    for risk in risks.tolist():
        p_values.append(risk_p_value(risk, n_units, alpha))
        if p_values[-1] > 1 - confidence:
            break
    best = sum(p_value <= 1 - confidence for p_value in p_values) - 1
    if best < 0:
        return _refuse_misses(float(risks[0]), n_units, unit, target_recall, confidence)
    return Guarantee(
        target_recall,
        confidence,
        unit,
        n_units,
        p_values[best],
        1 - risk_bound(float(risks[best]), n_units, confidence),
        _effect(words, units, float(GRID[best])),
        _effect(words, units, USUAL),
    )


def units_without_miss(target_recall: float, confidence: float) -> int:
    """The fewest units that certify the recall if nothing at all is missed in them."""
    _refuse_impossible(target_recall, confidence)
    return math.ceil(math.log(1 - confidence) / math.log(target_recall) - 1e-9)


def units_needed(target_recall: float, confidence: float, risk: float) -> int | None:
    """The fewest units that certify the recall at that mean risk; None where no number in reach can."""
    alpha = 1 - target_recall
    low, high = 0, units_without_miss(target_recall, confidence)
    while risk_p_value(risk, high, alpha) > 1 - confidence:
        low, high = high, high * 2
        if high > _MOST_UNITS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        passes = risk_p_value(risk, middle, alpha) <= 1 - confidence
        low, high = (low, middle) if passes else (middle, high)
    return high


def risk_p_value(mean_risk: float, n_units: int, alpha: float) -> float:
    """Hoeffding and Bentkus: how likely a mean risk this low is where the expected risk exceeds alpha."""
    if mean_risk >= alpha:
        return 1.0
    hoeffding = math.exp(-n_units * _relative_entropy(mean_risk, alpha))
    bentkus = math.e * binomial_at_most(math.ceil(n_units * mean_risk - 1e-9), n_units, alpha)
    return min(1.0, hoeffding, bentkus)


def risk_bound(mean_risk: float, n_units: int, confidence: float) -> float:
    """The lowest expected risk that the data rule out exceeding, found by halving."""
    low, high = mean_risk, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        passes = middle < 1 and risk_p_value(mean_risk, n_units, middle) <= 1 - confidence
        low, high = (low, middle) if passes else (middle, high)
    return high


def unit_rows(tally: Tally, unit: str) -> Ints:
    """The unit of each document's row."""
    if unit == "document":
        return np.arange(len(tally.ids))
    return np.unique(np.array(tally.patients, object), return_inverse=True)[1]


def _mean_risks(words: WordCertainty, units: Ints) -> tuple[Floats, int]:
    """Mean over units with PHI of the share missed, at each threshold of the grid."""
    unit, score = units[words.doc[words.phi]], words.score[words.phi]
    size = np.bincount(unit)
    n_units = int((size > 0).sum())
    if n_units == 0:
        return np.zeros(len(GRID)), 0
    # A word is missed from the first threshold above its score onward.
    missed_from = np.searchsorted(GRID, score, side="right")
    shares = np.bincount(missed_from, weights=1 / size[unit], minlength=len(GRID) + 1)
    return np.cumsum(shares)[: len(GRID)] / n_units, n_units


def _effect(words: WordCertainty, units: Ints, threshold: float) -> Effect:
    masked, phi = words.score >= threshold, words.phi
    hit = int((masked & phi).sum())
    n_masked, n_phi = int(masked.sum()), int(phi.sum())
    unit = units[words.doc[phi]]
    size = np.bincount(unit)
    found = np.bincount(unit, weights=masked[phi], minlength=len(size))
    held = size > 0
    mean = float((found[held] / size[held]).mean()) if held.any() else None
    return Effect(
        threshold, mean, hit / n_phi if n_phi else None, hit / n_masked if n_masked else None, n_masked
    )


def _refuse_misses(risk: float, n_units: int, unit: str, target: float, confidence: float) -> Refusal:
    needed = units_needed(target, confidence, risk)
    reachable = 1 - risk_bound(risk, n_units, confidence)
    reason = (
        f"even at the lowest threshold {risk:.4%} of a {unit}'s PHI words are missed on average, which with "
        f"{n_units} {unit}s certifies a recall of {reachable:.4f} and not {target:g}; "
    )
    if needed is None:
        reason += "no number of units would help: the detector needs candidates for what it misses"
    else:
        reason += f"at that rate of misses about {needed} {unit}s are needed"
    return Refusal(target, confidence, unit, n_units, needed, reason)


def _relative_entropy(risk: float, alpha: float) -> float:
    first = risk * math.log(risk / alpha) if risk > 0 else 0.0
    return first + (1 - risk) * math.log((1 - risk) / (1 - alpha))


def _refuse_impossible(target_recall: float, confidence: float) -> None:
    for name, value in (("recall", target_recall), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ConfigError(f"a {name} of {value:g} cannot be promised: it must lie between 0 and 1")
