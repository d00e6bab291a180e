"""Values in the order in which notes were read, in; how high their sum over all notes may be, at every look.

Notes are drawn without replacement from a stratum whose size is known. For every sum that the stratum might
have, the evidence against it is how much better the notes read so far were predicted, each before it was
read, than they would be if the sum were that: a product whose mean is at most 1 where the sum is the true
one. So by Ville's inequality it ever exceeds 1/α with a probability of at most α, however often one looks and
whenever one stops. What is not yet exceeded is the confidence set. The predictions are those of a beta prior,
for values of 0 and 1 a mixture martingale; for values between, the same product is a supermartingale, since
it is convex in each value. Products over strata that are read side by side are of the same kind, so that a
bound of the whole costs nothing for the number of strata.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_STEPS = 60
# The logarithm of the slope is looked for between these; a slope outside stands at the end of its stratum.
_SLOPES = (-40.0, 40.0)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is thought of a share before a note is read: so many notes with a leak among so many without.

    It decides how soon a bound is reached, never whether it holds.
    """

    hits: float = 0.5
    misses: float = 50.0

    def flipped(self) -> Prior:
        return Prior(self.misses, self.hits)


def prior_for(share: float, n_strata: int = 1) -> Prior:
    """A prior with its mean at a quarter of the wanted bound, worth half a note with a leak over all strata."""
    hits = 0.5 / n_strata
    return Prior(hits, hits * (4 / share - 1))


@dataclass(frozen=True, slots=True)
class Draws:
    """What was read of a stratum of so many notes: a value from 0 to 1 each, in the order of the draw."""

    size: int
    values: Sequence[float]
    prior: Prior = Prior()
    _before: Floats = field(init=False, repr=False, compare=False)
    _x: Floats = field(init=False, repr=False, compare=False)
    _gain: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        x = np.asarray(self.values, np.float64)
        if len(x) > self.size or ((x < 0) | (x > 1)).any():
            raise ValueError("a stratum has at least the notes that were drawn, each with a value from 0 to 1")
        before = np.cumsum(x) - x
        q = (self.prior.hits + before) / (self.prior.hits + self.prior.misses + np.arange(len(x)))
        object.__setattr__(self, "_x", x)
        object.__setattr__(self, "_before", before)
        object.__setattr__(self, "_gain", x * np.log(q) + (1 - x) * np.log1p(-q))

    @property
    def least(self) -> float:
        """The sum that the notes read have already."""
        return float(self._x.sum())

    @property
    def most(self) -> float:
        return self.least + self.size - len(self._x)

    def flipped(self) -> Draws:
        """The same with 1 for 0: its upper bound is the lower bound of this."""
        return Draws(self.size, [1 - value for value in self.values], self.prior.flipped())

    def evidence_path(self, total: float) -> Floats:
        """The logarithm of the evidence against a sum, after each note."""
        hit, left = total - self._before, self.size - np.arange(len(self._x)) - (total - self._before)
        room = hit + left
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.where(self._x > 0, self._x * np.log(hit / room), 0.0)
            expected += np.where(self._x < 1, (1 - self._x) * np.log(left / room), 0.0)
            steps = self._gain - expected
        return np.cumsum(np.where(np.isfinite(steps), steps, np.inf))

    def evidence(self, total: float) -> float:
        """The same after all of them; 0 where none was read."""
        path = self.evidence_path(total)
        return float(path[-1]) if len(path) else 0.0

    def _slope(self, total: float) -> float:
        """How fast the evidence grows with the sum; it never falls, for the evidence is convex."""
        hit, left = total - self._before, self.size - np.arange(len(self._x)) - (total - self._before)
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = np.where(self._x < 1, (1 - self._x) / left, 0.0)
            fall = np.where(self._x > 0, self._x / hit, 0.0)
        return float(rise.sum() - fall.sum())

    def where_slope(self, slope: float) -> float:
        """The sum at which the evidence grows that fast, or the end of what is possible."""
        return _rising(lambda total: self._slope(total) - slope, self.least, self.most)


def highest_total(strata: Sequence[Draws], confidence: float) -> float:
    """The highest sum over all strata that is not refuted; it is above the true one at every look together,
    with that confidence."""
    limit = -math.log(1 - confidence)
    open_strata = [each for each in strata if each.least < each.most]
    known = sum(each.least for each in strata if each.least >= each.most)

    def excess(log_slope: float) -> float:
        return sum(each.evidence(each.where_slope(math.exp(log_slope))) for each in open_strata) - limit

    if not open_strata:
        return known
    # Of all ways to spread a sum over strata the least refuted counts: there all slopes are the same.
    slope = math.exp(_rising(excess, *_SLOPES, upper=True))
    return known + sum(each.where_slope(slope) for each in open_strata)


def lowest_total(strata: Sequence[Draws], confidence: float) -> float:
    """The lowest sum that is not refuted; it and the highest hold together with that confidence."""
    return sum(each.size for each in strata) - highest_total([each.flipped() for each in strata], confidence)


def _rising(function: Callable[[float], float], low: float, high: float, upper: bool = False) -> float:
    """Where a function that never falls passes 0; the end that it stays below or above of, where it does.

    Of the last two places the lower is given, or the upper.
    """
    if not function(high) > 0:
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if function(middle) > 0:
            high = middle
        else:
            low = middle
    return high if upper else low
