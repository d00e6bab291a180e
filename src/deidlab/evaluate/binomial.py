"""How likely so few successes are among so many draws, and the highest share that they leave believable.

Both go by the incomplete beta function, summed as a continued fraction in front of which stands one binomial
probability. That probability is the delicate part: written as factorials it loses a digit for each that the
number of draws has, so what is left of Stirling's formula is computed instead, and the logarithms of nearly
equal numbers by a series.
"""

from __future__ import annotations

import math

_EPSILON = 1e-16
_TINY = 1e-300
_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
# What Stirling's formula leaves out, as a series in 1/n; below this n the factorial is exact enough.
_SERIES_FROM = 16
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def binomial_at_most(k: int, n: int, p: float) -> float:
    """The probability of at most `k` successes in `n` draws of probability `p`."""
    if k < 0:
        return 0.0
    if k >= n or p <= 0:
        return 1.0
    if p >= 1:
        return 0.0
    # The fraction converges quickly on the side away from the mean; the other side is the rest of one.
    if k + 1 < (n + 1) * p:
        return _tail(n - k, k + 1, 1 - p, p)
    return 1 - _tail(k + 1, n - k, p, 1 - p)


def believable_share(k: int, n: int, confidence: float) -> float:
    """The highest p that `k` successes in `n` draws leave believable: there `binomial_at_most` is
    1 − confidence."""
    if k >= n:
        return 1.0
    low, high = 0.0, 1.0
    p = (k + 1) / (n + 1)
    for _ in range(200):
        excess = binomial_at_most(k, n, p) - (1 - confidence)
        low, high = (p, high) if excess > 0 else (low, p)
        slope = n * binomial_probability(k, n - 1, p)
        step = p + excess / slope if slope > 0 else low
        # Newton's step where it stays between what is known to be too low and too high, else the middle.
        step = step if low < step < high else (low + high) / 2
        if abs(step - p) <= _EPSILON * p or not low < step < high:
            return step
        p = step
    return p


def binomial_probability(k: int, n: int, p: float) -> float:
    """The probability of exactly `k` successes in `n` draws, to nearly the last digit for any `n`."""
    return _probability(k, n, p, 1 - p)


def _probability(k: int, n: int, p: float, q: float) -> float:
    if k == 0 or k == n:
        return math.exp(n * math.log(q if k == 0 else p))
    exponent = _rest(n) - _rest(k) - _rest(n - k) - _deviance(k, n * p) - _deviance(n - k, n * q)
    return math.exp(exponent - _HALF_LOG_2_PI) * math.sqrt(n / k / (n - k))


def _tail(a: int, b: int, x: float, y: float) -> float:
    """The regularised incomplete beta function of a, b at x = 1 − y, for x below its mean."""
    front = _probability(a, a + b, x, y) * b / (a + b)
    return front / _fraction(a, b, x) if front else 0.0


def _fraction(a: int, b: int, x: float) -> float:
    """The continued fraction under the front, by Lentz's method: both ends are kept away from nought."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 10**7):
        two = 2 * m
        for term in (
            m * (b - m) * x / ((a + two - 1) * (a + two)),
            -(a + m) * (a + b + m) * x / ((a + two) * (a + two + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + term / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return 1 / value


def _rest(n: int) -> float:
    """log n! less Stirling's formula for it."""
    if n < _SERIES_FROM:
        return math.log(math.factorial(n)) - (n + 0.5) * math.log(n) + n - _HALF_LOG_2_PI
    square = n * n
    rest = 0.0
    for coefficient in reversed(_SERIES):
        rest = rest / square + coefficient
    return rest / n


def _deviance(seen: int, expected: float) -> float:
    """seen · log(seen / expected) + expected − seen, which cancels where the two are near."""
    v = (seen - expected) / (seen + expected)
    if abs(v) >= 0.1:
        return seen * math.log(seen / expected) + expected - seen
    total, term = (seen - expected) * v, 2 * seen * v
    for power in range(1, 1000):
        term *= v * v
        larger = total + term / (2 * power + 1)
        if larger == total:
            break
        total = larger
    return total
