"""Equivalence classes and linkage, against counting by hand."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.evaluate.risk import (
    Profiles,
    band_of,
    count_classes,
    link,
    possible_changes,
    share_between,
)

PATIENTS = Profiles(
    ("age", "sex", "zip"),
    (("47", "m", "021"), ("47", "m", "021"), ("48", "f", "100"), ("90+", "f", ""), ("45-49", "", "000")),
)
PEOPLE = Profiles(
    ("sex", "zip", "age", "job"),
    (("m", "02139", "47", "a"), ("m", "02140", "47", "b"), ("f", "10001", "48", "a"), ("f", "90210", "93", "a"),
     ("f", "02139", "99", "a"), ("m", "000", "46", "a"), ("f", "000", "50", "a")),
)  # fmt: skip


def test_classes_are_patients_with_the_same_values() -> None:
    found = count_classes(PATIENTS)
    assert (found.n_patients, found.n_classes, found.k, found.alone) == (5, 4, 1, 3)
    assert (found.smaller, found.small) == (5, 5)
    assert count_classes(PATIENTS.only(("sex",))).k == 1
    assert count_classes(PATIENTS.only(())).k == 5
    empty = count_classes(Profiles((), ()))
    assert (empty.k, empty.share(0)) == (0, None)


def test_a_patient_is_found_where_one_person_alone_fits() -> None:
    """Two of 47 from 02…; one woman of 48; two women over 89; one of 45 to 49 in a small area."""
    found = link(PATIENTS, PEOPLE)
    assert found.attributes == ("age", "sex", "zip")
    assert (found.fitting, found.found, found.n_population) == (5, 2, 7)
    assert found.expected == pytest.approx((1 / 2 + 1 / 2 + 1 + 1 / 2 + 1) / 5)
    nobody = link(PATIENTS, Profiles(("age",), (("12",),)))
    assert (nobody.fitting, nobody.found, nobody.expected) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("value", "years", "band"),
    [("47", 5, "45-49"), ("47", 1, "47"), ("45-49", 10, "40-49"), ("90+", 5, "90+"), ("93", 1, "90+"), ("", 5, "")],
)  # fmt: skip
def test_ages_become_bands(value: str, years: int, band: str) -> None:
    assert band_of(value, years) == band


def test_changes_are_those_that_change_something() -> None:
    changes = possible_changes(PATIENTS)
    assert list(changes) == [
        "age in bands of 5 years", "age in bands of 10 years", "without age", "without sex", "without zip",
    ]  # fmt: skip
    assert count_classes(changes["without age"]).n_classes == 4
    again = possible_changes(changes["age in bands of 10 years"])
    assert "age in bands of 10 years" not in again


rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("12")), max_size=40)


@given(rows, rows)
def test_both_agree_with_counting_one_by_one(
    patients: list[tuple[str, ...]], people: list[tuple[str, ...]]
) -> None:
    names = ("p", "q", "r")
    mine, theirs = Profiles(names, tuple(patients)), Profiles(names, tuple(people))
    sizes = [patients.count(row) for row in patients]
    found = count_classes(mine)
    assert found.k == min(sizes, default=0)
    assert (found.smaller, found.small) == (sum(n < 5 for n in sizes), sum(n < 11 for n in sizes))
    linked = link(mine, theirs)
    fits = [Counter(people)[row] for row in patients]
    assert (linked.fitting, linked.found) == (sum(n > 0 for n in fits), fits.count(1))
    coarser = count_classes(mine.without("q"))
    assert coarser.k >= found.k and coarser.alone <= found.alone


@pytest.mark.parametrize(("n", "of", "low", "high"), [(34, 120, 0.2049, 0.3728), (0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0)])  # fmt: skip
def test_the_interval_is_clopper_and_pearsons(n: int, of: int, low: float, high: float) -> None:
    """Ends as R's binom.test prints them."""
    found = share_between(n, of)
    assert found.low is not None and found.high is not None
    assert math.isclose(found.low, low, abs_tol=5e-5) and math.isclose(found.high, high, abs_tol=5e-5)
    assert share_between(0, 0).value is None
