"""What takes the place of a typed field: a day for a day, an age for an age, nothing for what may not stay."""

from __future__ import annotations

import pytest

from deidlab.mask.cells import AGE, BIRTH, DAY, fill_cell
from deidlab.mask.facts import Fact, year_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.plan import PatientPlan
from deidlab.mask.policy import Action
from deidlab.mask.state import PatientState

RING = Keyring(b"k" * 32)
STATE = PatientState.from_facts([Fact("year", "", year_digest(RING, "p", 2064))])
PLAN = PatientPlan(RING, "p", STATE)


def fill(kind: str, text: str, action: Action = "mask", caps: bool = True) -> str:
    return fill_cell(kind, text, PLAN, action, caps)


def test_days_move_by_the_offset_and_times_stay() -> None:
    from datetime import date

    first, second = fill(DAY, "2064-03-14"), fill(DAY, "2064-04-01 08:15:00+02:00")
    moved = date.fromisoformat(first) - date(2064, 3, 14)
    assert moved.days == PLAN.days
    assert date.fromisoformat(second[:10]) - date(2064, 4, 1) == moved
    assert second[10:] == " 08:15:00+02:00"


@pytest.mark.parametrize(
    ("kind", "text", "action", "new"),
    [
        (DAY, "2064-03-14 08:15:00", "year", "2064-01-01 00:00:00"),
        (DAY, "9999-12-31", "mask", "9999-12-31"),
        (DAY, "soon", "mask", ""),
        (DAY, "2064-02-31", "mask", ""),
        (BIRTH, "1950-03-14", "year", "1974-01-01"),
        (BIRTH, "1980-03-14", "year", "1980-01-01"),
        ("birth-year", "1950-03-14", "year", "1974"),
        ("birth-month", "1980-03-14", "year", ""),
        (AGE, "89", "mask", "89"),
        (AGE, "90", "mask", "90"),
        (AGE, "104", "over-89", "90"),
        (AGE, "47", "age-band", "45"),
        (AGE, "old", "mask", ""),
    ],
)
def test_what_is_reduced(kind: str, text: str, action: Action, new: str) -> None:
    assert fill(kind, text, action) == new


def test_a_policy_that_keeps_ages_keeps_years_of_birth() -> None:
    assert fill(BIRTH, "1950-03-14", "year", caps=False) == "1950-01-01"
