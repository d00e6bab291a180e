"""Our binomial probabilities and bounds beside SciPy's: agreement to 1e-9 wherever SciPy's own are as good."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import betaincinv
from scipy.stats import binom

from deidlab.evaluate.binomial import believable_share, binomial_at_most, binomial_probability

draws = st.integers(1, 1_000_000)
chances = st.floats(1e-6, 1 - 1e-6)


@st.composite
def _some_of(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(draws)
    near_an_end = st.integers(0, min(n, 50))
    return draw(st.one_of(st.integers(0, n), near_an_end, near_an_end.map(lambda few: n - few))), n


@given(_some_of(), chances)
@example((0, 8), 0.1215)
@example((6372, 5_894_838), 0.0011125)
@example((130_050, 410_000), 0.31742963)
def test_few_successes_are_as_likely_as_scipy_says(counted: tuple[int, int], p: float) -> None:
    k, n = counted
    theirs = float(binom.cdf(k, n, p))
    assert binomial_at_most(k, n, p) == pytest.approx(theirs, rel=1e-9, abs=1e-290)


@given(_some_of(), chances)
def test_so_many_successes_are_as_likely_as_scipy_says(counted: tuple[int, int], p: float) -> None:
    k, n = counted
    assert binomial_probability(k, n, p) == pytest.approx(float(binom.pmf(k, n, p)), rel=1e-8, abs=1e-290)


def test_in_small_numbers_it_is_the_sum_of_the_terms() -> None:
    for n in range(1, 40):
        for k in range(n):
            terms = math.fsum(math.comb(n, i) * 0.3**i * 0.7 ** (n - i) for i in range(k + 1))
            assert binomial_at_most(k, n, 0.3) == pytest.approx(terms, rel=1e-13)


@given(_some_of(), st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999999]))
@example((0, 1), 0.95)
@example((3, 211_858), 0.99)
def test_the_share_that_stays_believable_is_scipys(counted: tuple[int, int], confidence: float) -> None:
    k, n = counted
    theirs = 1.0 if k == n else float(betaincinv(k + 1, n - k, confidence))
    assert believable_share(k, n, confidence) == pytest.approx(theirs, rel=1e-9)


def test_the_ends() -> None:
    assert binomial_at_most(-1, 5, 0.5) == 0.0
    assert binomial_at_most(5, 5, 0.5) == 1.0
    assert binomial_at_most(4, 5, 0.0) == 1.0
    assert binomial_at_most(4, 5, 1.0) == 0.0
    assert believable_share(7, 7, 0.95) == 1.0
