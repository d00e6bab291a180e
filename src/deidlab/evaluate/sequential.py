"""Values in the order in which notes were read, in; how high their sum over all notes may be, at every look.

Notes are drawn without replacement from strata whose sizes are known. For every way in which the leaks of all
notes might be spread over the strata, the evidence against it is how much better the notes read so far were
predicted, each before it was read, than they would be if that were so: a product whose mean is at most 1
where it is so. By Ville's inequality it ever exceeds 1/α with a probability of at most α, however often one
looks and whenever one stops. The sums of what is not yet refuted are the confidence set. Predictions are
those of a beta prior and of all that was read, in whichever stratum: for values of 0 and 1 a mixture
martingale; for values between, a supermartingale, since the product is convex in each. So a bound of the
whole costs next to nothing for the number of strata.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STEPS, _NEAR = 80, 1e-9
# A surprise this near to the limit is near enough; it is passed over on the safe side.
_CLOSE = 1e-6
# The logarithm of the slope is looked for between these; a slope outside stands at the end of its stratum.
_SLOPES = (-40.0, 40.0)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is thought of a share before a note is read: so many notes with a leak among so many without.

    It decides how soon a bound is reached, never whether it holds.
    """

    hits: float = 0.5
    misses: float = 50.0


def prior_for(share: float) -> Prior:
    """A prior worth half a note with a leak, with its mean at a quarter of the wanted bound."""
    return Prior(0.5, 0.5 * (4 / share - 1))


@dataclass(frozen=True, slots=True)
class ReadSample:
    """Strata of so many notes each, and of each note read its stratum and a value from 0 to 1, in order."""

    sizes: tuple[int, ...]
    read: Sequence[tuple[int, float]]
    prior: Prior = Prior()

    def flipped(self) -> ReadSample:
        """The same with 1 for 0: its upper bound is the lower bound of this."""
        prior = Prior(self.prior.misses, self.prior.hits)
        return ReadSample(self.sizes, [(stratum, 1 - value) for stratum, value in self.read], prior)

    def highest_total(self, confidence: float) -> float:
        """The highest sum over all strata that is not refuted; it is above the true one at every look
        together, with that confidence."""
        limit = -math.log(1 - confidence) - float(self._gains().sum())
        strata = [_Stratum.of(size, self._values(number)) for number, size in enumerate(self.sizes)]
        return _highest(strata, limit)

    def lowest_total(self, confidence: float) -> float:
        """The lowest sum that is not refuted; it and the highest hold together with that confidence."""
        return sum(self.sizes) - self.flipped().highest_total(confidence)

    def evidence_path(self, totals: Sequence[float]) -> Floats:
        """The logarithm of the evidence against those sums of the strata, after each note."""
        surprises = np.zeros(len(self.read))
        places = np.array([stratum for stratum, _ in self.read])
        for number, (size, total) in enumerate(zip(self.sizes, totals, strict=True)):
            surprises[places == number] = _Stratum.of(size, self._values(number)).surprises(total)
        return np.cumsum(self._gains() + surprises)

    def _values(self, stratum: int) -> list[float]:
        return [value for number, value in self.read if number == stratum]

    def _gains(self) -> Floats:
        """The logarithm of how each value was predicted."""
        x = np.array([value for _, value in self.read], np.float64)
        before = np.cumsum(x) - x
        q = (self.prior.hits + before) / (self.prior.hits + self.prior.misses + np.arange(len(x)))
        return np.asarray(x * np.log(q) + (1 - x) * np.log1p(-q))


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The values of one stratum, and before each, how many notes were left and what sum was read."""

    size: int
    x: Floats
    before: Floats
    left: Floats

    @classmethod
    def of(cls, size: int, values: Sequence[float]) -> _Stratum:
        x = np.asarray(values, np.float64)
        if len(x) > size or ((x < 0) | (x > 1)).any():
            raise ValueError("a stratum has at least the notes that were read, each with a value from 0 to 1")
        return cls(size, x, np.cumsum(x) - x, size - np.arange(len(x), dtype=np.float64))

    @property
    def least(self) -> float:
        """The sum that the notes read have already."""
        return float(self.x.sum())

    @property
    def most(self) -> float:
        return self.least + self.size - len(self.x)

    def surprises(self, total: float) -> Floats:
        """Minus the logarithm of how each value is expected if the sum is that; infinite if it cannot be."""
        found, rest = np.zeros(len(self.x)), np.zeros(len(self.x))
        some, others = self.x > 0, self.x < 1
        with np.errstate(divide="ignore", invalid="ignore"):
            found[some] = self.x[some] * np.log((total - self.before[some]) / self.left[some])
            missed = (self.left[others] - total + self.before[others]) / self.left[others]
            rest[others] = (1 - self.x[others]) * np.log(missed)
        surprises = -found - rest
        return np.where(np.isfinite(surprises), surprises, np.inf)

    def curve(self) -> _Curve:
        some, others = self.x > 0, self.x < 1
        x, rest = self.x[some], 1 - self.x[others]
        constant = float((x * np.log(self.left[some])).sum() + (rest * np.log(self.left[others])).sum())
        ends = (self.least, self.most)
        return _Curve(ends, constant, (x, self.before[some]), (rest, self.left[others] + self.before[others]))


@dataclass(frozen=True, slots=True)
class _Curve:
    """The surprise of a stratum as a convex function of its sum: weights and offsets of its logarithms."""

    ends: tuple[float, float]
    constant: float
    hits: tuple[Floats, Floats]
    misses: tuple[Floats, Floats]

    def surprise(self, total: float) -> float:
        hits, misses = total - self.hits[1], self.misses[1] - total
        if (len(hits) and hits.min() <= 0) or (len(misses) and misses.min() <= 0):
            return math.inf
        return self.constant - float(self.hits[0] @ np.log(hits) + self.misses[0] @ np.log(misses))

    def where_slope(self, slope: float) -> float:
        """The sum at which the surprise grows that fast, or the end of what is possible."""
        low, high = self.ends

        def excess(total: float) -> float:
            hits, misses = total - self.hits[1], self.misses[1] - total
            if len(hits) and hits.min() <= 0:
                return -math.inf
            if len(misses) and misses.min() <= 0:
                return math.inf
            return float((self.misses[0] / misses).sum() - (self.hits[0] / hits).sum()) - slope

        return _rising(excess, low, high)


def _highest(strata: Sequence[_Stratum], limit: float) -> float:
    """The highest sum with a surprise, over all strata, of at most the limit."""
    moving = [each.curve() for each in strata if each.least < each.most]
    still = [each for each in strata if each.least >= each.most]
    known = sum(each.least for each in still)
    limit -= sum(float(each.surprises(each.least).sum()) for each in still)
    if not moving:
        return known
    if len(moving) == 1:
        (only,) = moving
        least = only.where_slope(0.0)
        return known + _rising(lambda total: only.surprise(total) - limit, least, only.ends[1], upper=True)

    def excess(log_slope: float) -> float:
        return sum(each.surprise(each.where_slope(math.exp(log_slope))) for each in moving) - limit

    # Of all ways to spread a sum over strata the least refuted counts: there all slopes are the same.
    slope = math.exp(_rising(excess, *_SLOPES, upper=True))
    return known + sum(each.where_slope(slope) for each in moving)


def _rising(function: Callable[[float], float], low: float, high: float, upper: bool = False) -> float:
    """Where a function that never falls passes 0; the end that it stays below or above of, where it does.

    Of the last two places the lower is given, or the upper. Steps go by the chord between both, with the
    weight of an end that stays halved, and to the middle every third time and where an end is infinite.
    """
    above = function(high)
    if not above > 0:
        return high
    below, over = function(low), above
    if below > 0:
        return low
    for step in range(_STEPS):
        if high - low <= _NEAR * max(abs(low), abs(high)) or (upper and over < _CLOSE):
            break
        place = (low + high) / 2
        if step % 3 and math.isfinite(above) and math.isfinite(below) and above > below:
            place = low - below * (high - low) / (above - below)
            place = place if low < place < high else (low + high) / 2
        value = function(place)
        if value > 0:
            high, above, over, below = place, value, value, below / 2
        else:
            low, below, above = place, value, above / 2
    return high if upper else low
