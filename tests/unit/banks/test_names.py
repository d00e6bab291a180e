"""What the banks know of a name at home: spellings that differ by an accent are one name."""

from __future__ import annotations

import pytest

from deidlab.banks.names import _at_home, origins


@pytest.mark.parametrize("origin", origins())
def test_a_name_at_home_has_a_gender_that_there_is(origin: str) -> None:
    assert {gender for gender, _ in _at_home(origin).values()} <= {"", "m", "f", "mf"}
