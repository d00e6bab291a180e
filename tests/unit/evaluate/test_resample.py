from __future__ import annotations

import time

import numpy as np
import pytest

from deidlab.errors import ConfigError, CorpusError, UnknownNameError
from deidlab.evaluate.compare import compare_systems
from deidlab.evaluate.measures import headline_values
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.resample import ResampleSettings, bootstrap, draw_weights, unit_table
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import Tally, tally_pairs
from deidlab.types import Document, Span

LABELS = ("AGE", "CITY", "DATE", "NAME")


def made_tally(n_documents: int, miss: float, seed: int, n_patients: int | None = None) -> Tally:
    """Notes of forty two-letter words with five spans each; the system misses or mislabels some."""
    random = np.random.default_rng(seed)
    labels = np.random.default_rng(99)
    pairs = []
    text = " ".join(["ab"] * 40)
    for number in range(n_documents):
        gold = [Span(24 * place, 24 * place + 5, str(labels.choice(LABELS))) for place in range(5)]
        system = []
        for span in gold:
            if random.random() >= miss:
                system.append(span)
            elif random.random() < 0.5:
                system.append(Span(span.start, span.end, str(random.choice(LABELS))))
        patient = "" if n_patients is None else f"p{number % n_patients}"
        sides = [Document(f"n{number:04}", patient, text, tuple(spans)) for spans in (gold, system)]
        pairs.append(Pair(*sides))
    return tally_pairs(pairs, seen=LABELS)


def test_each_resample_is_what_scoring_the_drawn_documents_again_would_give() -> None:
    tally = made_tally(12, 0.3, 1)
    (weights,) = draw_weights(12, 40, seed=7)
    assert weights.shape == (40, 12)
    assert (weights.sum(axis=1) == 12).all()
    table = tally.table
    drawn = headline_values(table.unflatten(weights @ table.flatten()), tally.scored_codes)
    for row, times in enumerate(weights.astype(int)):
        again = summarise(tally, np.repeat(np.arange(12), times))
        assert drawn["words.f1"][row] == pytest.approx(again.words.micro.f1)
        assert drawn["words.macro_f1"][row] == pytest.approx(again.words.macro.f1)
        assert drawn["words.weighted_f1"][row] == pytest.approx(again.words.weighted.f1)
        assert drawn["words.accuracy"][row] == pytest.approx(again.accuracy)
        assert drawn["strict.recall"][row] == pytest.approx(again.entities["strict"].micro.recall)
        assert drawn["binary.precision"][row] == pytest.approx(again.blind["binary"].precision)


def test_every_unit_is_drawn_as_often_as_any_other() -> None:
    weights = np.concatenate(list(draw_weights(20, 4000, seed=1)))
    # Each is drawn once a resample on average; four standard errors of 4,000 draws.
    assert np.abs(weights.mean(axis=0) - 1).max() < 4 / np.sqrt(4000)


def test_the_headline_is_the_summary() -> None:
    tally = made_tally(9, 0.3, 2)
    summary, headline = summarise(tally), bootstrap(tally, ResampleSettings(0)).headline
    assert headline["words.precision"].value == summary.words.micro.precision
    assert headline["words.macro_f1"].value == summary.words.macro.f1
    assert headline["words_binary.recall"].value == summary.blind["words_binary"].recall
    assert headline["relaxed.f1"].value == summary.entities["relaxed"].micro.f1
    assert headline["privacy.word_recall"].value == summary.blind["words_binary"].recall
    assert headline["words.f1"].low is None


def test_intervals_hold_the_value_repeat_with_the_seed_and_widen_with_confidence() -> None:
    tally = made_tally(60, 0.2, 3)
    narrow = bootstrap(tally, ResampleSettings(500, confidence=0.8)).headline["words.f1"]
    wide = bootstrap(tally, ResampleSettings(500, confidence=0.99)).headline["words.f1"]
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert bootstrap(tally, ResampleSettings(500, confidence=0.99)).headline["words.f1"] == wide
    other = bootstrap(tally, ResampleSettings(500, seed=1, confidence=0.99)).headline["words.f1"]
    assert other != wide


def test_patients_are_drawn_whole() -> None:
    tally = made_tally(60, 0.2, 3, n_patients=6)
    assert unit_table(tally, "patient").n_rows == 6
    added, whole = unit_table(tally, "patient").total().cells, tally.table.total().cells
    assert all((added[key] == whole[key]).all() for key in whole)
    found = bootstrap(tally, ResampleSettings(200, unit="patient"))
    assert found.n_units == 6
    assert (
        found.headline["words.f1"].value == bootstrap(tally, ResampleSettings(0)).headline["words.f1"].value
    )


def test_one_unit_has_no_interval() -> None:
    found = bootstrap(made_tally(5, 0.2, 3, n_patients=1), ResampleSettings(100, unit="patient"))
    assert found.headline["words.f1"].value is not None
    assert found.headline["words.f1"].low is None


def test_two_thousand_resamples_of_five_hundred_documents_take_under_a_second() -> None:
    tally = made_tally(500, 0.1, 4)
    start = time.perf_counter()
    bootstrap(tally, ResampleSettings(2000))
    assert time.perf_counter() - start < 1.0


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    # The true recall of made notes: a word is found unless its span is missed, or kept under a wrong label.
    truth = 1 - 0.2 * (1 - 0.5 / len(LABELS))
    held = 0
    for seed in range(120):
        interval = bootstrap(made_tally(40, 0.2, 1000 + seed), ResampleSettings(300)).headline["words.recall"]
        held += interval.low <= truth <= interval.high
    assert 104 <= held <= 120


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown unit"):
        ResampleSettings(unit="ward")
    with pytest.raises(ConfigError, match=r"confidence of 1\.5"):
        ResampleSettings(confidence=1.5)
    with pytest.raises(ConfigError, match="-1 resamples"):
        ResampleSettings(-1)


def test_a_better_system_is_told_apart_and_the_difference_is_in_its_interval() -> None:
    worse, better = made_tally(80, 0.3, 5), made_tally(80, 0.1, 6)
    gap = compare_systems(worse, better, ResampleSettings(999))["words.f1"]
    assert gap.difference == pytest.approx(gap.second - gap.first)
    assert 0 < gap.low < gap.difference < gap.high
    assert gap.p_bootstrap < 0.01
    assert gap.p_randomisation == pytest.approx(1 / 1000)
    back = compare_systems(better, worse, ResampleSettings(999))["words.f1"]
    assert back.difference == pytest.approx(-gap.difference)
    assert back.low == pytest.approx(-gap.high)
    assert back.p_randomisation == gap.p_randomisation


def test_a_system_does_not_differ_from_itself() -> None:
    tally = made_tally(30, 0.2, 7)
    for gap in compare_systems(tally, tally, ResampleSettings(200)).values():
        assert (gap.difference, gap.low, gap.high, gap.p_bootstrap, gap.p_randomisation) == (0, 0, 0, 1, 1)


def test_equal_systems_are_seldom_told_apart() -> None:
    settings = ResampleSettings(199)
    tries = 200
    told = np.zeros(2)
    for seed in range(tries):
        gap = compare_systems(made_tally(20, 0.3, 2 * seed), made_tally(20, 0.3, 2 * seed + 1), settings)[
            "words.recall"
        ]
        told += np.array([gap.p_bootstrap, gap.p_randomisation]) <= 0.05
    # The randomisation test is exact: 5 % and three standard errors. The bootstrap is a little bold.
    assert told[1] / tries <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tries)
    assert told[0] / tries <= 0.13


def test_approximate_randomisation_nears_the_exact_test() -> None:
    one, two = made_tally(8, 0.5, 11), made_tally(8, 0.2, 12)
    gap = compare_systems(one, two, ResampleSettings(20_000))["strict.recall"]
    first, second = (tally.table.cells["strict"].sum(axis=1) for tally in (one, two))
    total = first[:, 0] + first[:, 2]
    swing = (second[:, 0] - first[:, 0]) / total.sum()
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = np.mean(np.abs(signs @ swing) >= abs(swing.sum()) - 1e-12)
    assert gap.p_randomisation == pytest.approx(exact, abs=0.015)


def test_systems_on_other_documents_cannot_be_compared() -> None:
    with pytest.raises(CorpusError, match="same documents"):
        compare_systems(made_tally(3, 0.1, 1), made_tally(4, 0.1, 1), ResampleSettings())
