"""Counts of a sample of fixed size in, by stratum; how many notes with a leak there may be in all, out.

Valid for one look at the end, when all that was to be read was read. For looks in between, `sequential`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from deidlab.evaluate.binomial import believable_share


class Counted(NamedTuple):
    """Notes with a leak, among those read, of a stratum of that size."""

    leaking: int
    read: int
    size: int


def believable_count(counted: Counted, confidence: float) -> int:
    """Clopper and Pearson's upper bound for a stratum of known size: drawn without replacement."""
    low, high = counted.leaking, counted.size - counted.read + counted.leaking
    while low < high:  # the highest number at which so few leaks are still likelier than 1 − confidence
        middle = (low + high + 1) // 2
        if _at_most(counted, middle) > 1 - confidence:
            low = middle
        else:
            high = middle - 1
    return low


def _at_most(counted: Counted, total: int) -> float:
    """The probability of at most so many notes with a leak in the sample, if the stratum has `total`."""
    clean, read = counted.size - total, counted.read
    first = max(0, read - clean)
    if first > counted.leaking:
        return 0.0
    term = math.exp(
        _log_choose(total, first) + _log_choose(clean, read - first) - _log_choose(counted.size, read)
    )
    sum_ = term
    for k in range(first, counted.leaking):
        if k >= total or k >= read:
            break
        term *= (total - k) * (read - k) / ((k + 1) * (clean - read + k + 1))
        sum_ += term
    return min(sum_, 1.0)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def believable_total(strata: Sequence[Counted], confidence: float) -> float:
    """The bound on all strata together, by one of two ways; which, the sizes decide and not what was found.

    Where each stratum was read in proportion, leaks are at least as evenly spread as in one large sample
    (Hoeffding 1956), so that Clopper and Pearson's bound of all together holds; where one was read less than
    its part, that bound grows by as much. The other way adds the bounds of each, at a higher confidence each.
    """
    if len(strata) == 1:
        return float(believable_count(strata[0], confidence))
    clean = [each._replace(leaking=0) for each in strata]
    ways = (_pooled, _separate)
    best = min(ways, key=lambda way: way(clean, confidence))
    return best(strata, confidence)


def _pooled(strata: Sequence[Counted], confidence: float) -> float:
    size, read = sum(each.size for each in strata), sum(each.read for each in strata)
    if not all(each.read for each in strata):
        return float(size)
    leaking = sum(each.leaking for each in strata)
    share = believable_share(leaking, read, confidence)
    # Hoeffding's inequality needs a mean above the count, which any high confidence brings.
    if share * read < leaking + 1:
        return float(size)
    thinnest = max(each.size * read / (size * each.read) for each in strata)
    return min(size * share * thinnest, float(size))


def _separate(strata: Sequence[Counted], confidence: float) -> float:
    each_confidence = 1 - (1 - confidence) / len(strata)
    return float(sum(believable_count(each, each_confidence) for each in strata))
