"""Bounds that hold at every look: against known truths, exact edges, and the plain bound beside them."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from deidlab.evaluate.binomial import believable_share
from deidlab.evaluate.sequential import ReadSample, prior_for
from deidlab.evaluate.stratified import Counted, believable_count, believable_total

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "validation_coverage.py"


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    spec = importlib.util.spec_from_file_location("validation_coverage", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def most_misses(n: int, share: float = 0.05) -> float:
    """So many of n are too many to come by chance, once in ten thousand times."""
    return n * share + 3.8 * math.sqrt(n * share * (1 - share))


@pytest.mark.parametrize("name", ["as many as wanted: 2 %", "three strata, alike, 2 %", "half of few notes"])
def test_the_bound_is_rarely_too_low_at_any_look(
    simulation: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "_TIMED", 0)
    case = next(each for each in simulation.CASES if each.name == name)
    monkeypatch.setattr(simulation, "_sample_sizes", lambda case: [min(size, 400) for size in case.sizes])
    found = simulation.simulate(case, 150, 7)
    assert found.missed <= most_misses(150) and found.missed_once <= most_misses(150)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_validations_of_each_kind(
    simulation: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "_TIMED", 0)
    for number, case in enumerate(simulation.CASES):
        found = simulation.simulate(case, 2000, number)
        assert found.missed <= most_misses(2000), case.name
        assert found.missed_once <= most_misses(2000), case.name


def test_a_bound_that_ignores_looks_is_caught(simulation: ModuleType) -> None:
    """The simulation sees a bound that is looked at again and again though it is made for one look."""

    def naive(read: list[tuple[int, float]]) -> float:
        return believable_share(int(sum(value for _, value in read)), len(read), 0.95)

    case = simulation.Case("naive", (20_000,), (2000,))
    too_low = 0
    for seed in range(100):
        read = simulation._read(case, [600], str(seed), random.Random(seed))
        too_low += any(naive(read[:n]) < 0.1 for n in range(10, 601, 10))
    assert too_low > most_misses(100)


def test_what_is_read_whole_is_known() -> None:
    read = [(0, 1.0), *[(0, 0.0)] * 9, (1, 1.0)]
    sample = ReadSample((10, 1), read, prior_for(0.1))
    assert sample.highest_total(0.95) == pytest.approx(2) and sample.lowest_total(0.95) == pytest.approx(2)
    assert ReadSample((10, 1), [], prior_for(0.1)).highest_total(0.95) == 11


def test_the_bound_lies_where_the_evidence_says() -> None:
    """Just above it every spread over the strata is refuted, and one below it is not."""
    read = [(number % 2, 1.0 if number in (4, 31) else 0.0) for number in range(300)]
    sample = ReadSample((900, 600), read, prior_for(0.02))
    highest, limit = sample.highest_total(0.95), -math.log(0.05)
    splits = [highest * part / 200 for part in range(201)]
    least = {
        shift: min(
            sample.evidence_path((first, highest + shift - first))[-1]
            for first in splits
            if first >= 1 and highest + shift - first >= 1
        )
        for shift in (-0.5, 0.5)
    }
    assert least[-0.5] < limit < least[0.5]


def test_order_changes_nothing_for_whole_notes_and_strata_cost_little() -> None:
    one = ReadSample((3000,), [(0, 0.0)] * 400, prior_for(0.01)).highest_total(0.95)
    four = ReadSample((750,) * 4, [(n % 4, 0.0) for n in range(400)], prior_for(0.01)).highest_total(0.95)
    assert four == pytest.approx(one, rel=0.01)
    hits = [(0, 1.0), *[(0, 0.0)] * 99]
    early, late = (ReadSample((500,), order).highest_total(0.95) for order in (hits, hits[::-1]))
    assert early == pytest.approx(late)


def test_looking_at_any_time_costs_a_sixth_more_notes() -> None:
    once = next(n for n in range(1, 600) if believable_share(0, n, 0.95) <= 0.01)
    looks = next(
        n
        for n in range(300, 600)
        if ReadSample((10**6,), [(0, 0.0)] * n, prior_for(0.01)).highest_total(0.95) <= 10**4
    )
    assert once == 299 and once < looks < 1.25 * once


def test_the_finite_bound_is_the_usual_one_of_many_notes() -> None:
    for leaking, read in ((0, 60), (2, 300), (7, 100)):
        many = believable_count(Counted(leaking, read, 10**6), 0.95) / 10**6
        assert many == pytest.approx(believable_share(leaking, read, 0.95), abs=2e-4)
    assert believable_count(Counted(3, 50, 50), 0.95) == 3
    # By hand: of four notes two are read and none leaks; were it two, that came once in six times.
    assert believable_count(Counted(0, 2, 4), 0.8) == 1 and believable_count(Counted(0, 2, 4), 0.9) == 2


def test_strata_read_out_of_proportion_widen_the_bound() -> None:
    even = believable_total([Counted(1, 100, 1000), Counted(0, 100, 1000)], 0.95)
    uneven = believable_total([Counted(1, 180, 1000), Counted(0, 20, 1000)], 0.95)
    assert even / 2000 == pytest.approx(believable_share(1, 200, 0.95)) and uneven > even
    assert believable_total([Counted(0, 100, 1000), Counted(0, 0, 1000)], 0.95) >= 1000
