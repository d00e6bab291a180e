from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from deidlab.errors import ConfigError
from deidlab.evaluate.certainty import WordCertainty
from deidlab.evaluate.threshold import (
    GRID,
    Guarantee,
    Refusal,
    choose_threshold,
    risk_bound,
    risk_p_value,
    units_needed,
    units_without_miss,
)

Random = np.random.Generator


def words(unit: np.ndarray, score: np.ndarray, phi: np.ndarray | None = None) -> WordCertainty:
    label = np.zeros(len(unit), np.int64) if phi is None else np.where(phi, 0, -1)
    return WordCertainty(unit.astype(np.int64), label, score, "words")


def choose(certainty: WordCertainty, recall: float, confidence: float = 0.95) -> Guarantee | Refusal:
    units = np.arange(int(certainty.doc.max()) + 1)
    return choose_threshold(certainty, units, "document", recall, confidence)


@pytest.mark.parametrize(
    ("recall", "confidence", "needed"), [(0.995, 0.95, 598), (0.99, 0.95, 299), (0.9, 0.9, 22)]
)
def test_units_needed_without_a_miss(recall: float, confidence: float, needed: int) -> None:
    assert units_without_miss(recall, confidence) == needed
    assert recall**needed <= 1 - confidence < recall ** (needed - 1)
    assert risk_p_value(0.0, needed, 1 - recall) <= 1 - confidence


def test_too_few_units_are_refused_and_the_number_needed_is_named() -> None:
    found = choose(words(np.arange(597), np.ones(597)), 0.995)
    assert isinstance(found, Refusal)
    assert (found.n_units, found.n_needed) == (597, 598)
    assert "at least 598 documents" in found.reason
    granted = choose(words(np.arange(598), np.ones(598)), 0.995)
    assert isinstance(granted, Guarantee)
    assert granted.chosen.threshold == GRID[-1]


def test_units_without_phi_do_not_count() -> None:
    unit = np.arange(400)
    found = choose(words(unit, np.ones(400), phi=unit < 200), 0.99)
    assert isinstance(found, Refusal)
    assert found.n_units == 200
    none = choose(words(unit, np.ones(400), phi=np.zeros(400, bool)), 0.5)
    assert isinstance(none, Refusal)
    assert none.n_units == 0


def test_misses_at_every_threshold_are_refused_with_what_would_help() -> None:
    score = np.ones(1000)
    score[:8] = 0.0
    few = choose(words(np.arange(1000), score), 0.99)
    assert isinstance(few, Refusal)
    assert few.n_needed is not None
    assert few.n_needed > 1000
    assert risk_p_value(0.008, few.n_needed, 0.01) <= 0.05 < risk_p_value(0.008, few.n_needed - 1, 0.01)
    score[:20] = 0.0
    many = choose(words(np.arange(1000), score), 0.99)
    assert isinstance(many, Refusal)
    assert many.n_needed is None
    assert "no number of units would help" in many.reason


def test_the_p_value_is_the_better_of_hoeffding_and_bentkus() -> None:
    n, alpha, risk = 500, 0.05, 0.02
    entropy = risk * math.log(risk / alpha) + (1 - risk) * math.log((1 - risk) / (1 - alpha))
    hoeffding, bentkus = math.exp(-n * entropy), math.e * binom.cdf(10, n, alpha)
    assert risk_p_value(risk, n, alpha) == pytest.approx(min(hoeffding, bentkus))
    assert risk_p_value(alpha, n, alpha) == 1.0
    assert risk_p_value(0.0, n, alpha) == pytest.approx((1 - alpha) ** n)


def test_the_bound_is_where_the_p_value_crosses() -> None:
    bound = risk_bound(0.01, 800, 0.95)
    assert risk_p_value(0.01, 800, bound) <= 0.05 < risk_p_value(0.01, 800, bound - 1e-6)


def test_the_walk_stops_at_the_first_threshold_that_fails() -> None:
    random = np.random.default_rng(3)
    unit = np.repeat(np.arange(500), 4)
    score = random.beta(6, 1, len(unit))
    phi = random.random(len(unit)) < 0.5
    phi[::4] = True
    score[~phi] = random.beta(1, 6, int((~phi).sum()))
    found = choose(words(unit, score, phi), 0.95)
    assert isinstance(found, Guarantee)

    def share_missed(threshold: float) -> float:
        return float(np.mean([(score[(unit == row) & phi] < threshold).mean() for row in range(500)]))

    place = int(np.flatnonzero(found.chosen.threshold == GRID)[0])
    assert all(risk_p_value(share_missed(t), 500, 0.05) <= 0.05 for t in GRID[: place + 1 : 20])
    assert (
        risk_p_value(share_missed(GRID[place]), 500, 0.05)
        <= 0.05
        < risk_p_value(share_missed(GRID[place + 1]), 500, 0.05)
    )
    assert found.chosen.unit_recall == pytest.approx(1 - share_missed(GRID[place]))
    masked = score >= found.chosen.threshold
    assert found.chosen.precision == pytest.approx(phi[masked].mean())
    assert found.chosen.recall == pytest.approx(masked[phi].mean())
    assert found.usual.threshold == 0.5
    assert found.certified_recall >= 0.95


def test_a_word_that_scores_the_threshold_itself_is_masked() -> None:
    found = choose(words(np.arange(400), np.full(400, GRID[240])), 0.99)
    assert isinstance(found, Guarantee)
    assert found.chosen.threshold == GRID[240]
    assert found.chosen.recall == 1.0


def _simulate(random: Random, n_units: int, hard: float) -> WordCertainty:
    """Units whose PHI words all score alike, which spreads unit risks as far as they go.

    One in ten units is hard: its words score below t with probability t ** hard, others with t ** 3.
    """
    power = np.where(random.random(n_units) < 0.1, hard, 3.0)
    score = random.random(n_units) ** (1 / power)
    n_words = random.integers(1, 6, n_units)
    return words(np.repeat(np.arange(n_units), n_words), np.repeat(score, n_words))


@pytest.mark.parametrize(("n_units", "recall", "hard"), [(150, 0.95, 0.7), (400, 0.98, 0.4)])
def test_in_a_thousand_calibrations_the_promise_is_seldom_broken(
    n_units: int, recall: float, hard: float
) -> None:
    random = np.random.default_rng(20)
    expected_risk = 0.1 * GRID**hard + 0.9 * GRID**3
    units = np.arange(n_units)
    broken = granted = 0
    for _ in range(1000):
        found = choose_threshold(_simulate(random, n_units, hard), units, "document", recall, 0.95)
        if isinstance(found, Guarantee):
            granted += 1
            place = int(np.flatnonzero(found.chosen.threshold == GRID)[0])
            broken += bool(expected_risk[place] > 1 - recall)
    # At most 5 %, plus three standard errors of a share of 1,000; and granted often enough to mean something.
    assert broken <= 50 + 3 * math.sqrt(1000 * 0.05 * 0.95)
    assert granted >= 500
    assert broken >= 1


@pytest.mark.parametrize(("recall", "confidence"), [(1.0, 0.95), (0.0, 0.95), (0.9, 1.0), (-1, 0.5)])
def test_certainty_cannot_be_promised(recall: float, confidence: float) -> None:
    with pytest.raises(ConfigError, match="cannot be promised"):
        choose(words(np.arange(3), np.ones(3)), recall, confidence)


def test_no_number_of_units_makes_up_for_a_rate_of_misses_above_the_target() -> None:
    assert units_needed(0.99, 0.95, 0.01) is None
    assert units_needed(0.99, 0.95, 0.0099) is not None
