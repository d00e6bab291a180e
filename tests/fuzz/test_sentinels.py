"""Two hundred cases of the fuzzer in every run of the tests, and the half of the many that this process does.

Two processes test side by side and a file is one process's, so the other half stands in a file of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.cases import do_case
from tests.fuzz.many import FEW, FIRST_HALF, do_block

pytestmark = [pytest.mark.timeout(0), pytest.mark.usefixtures("server")]


@pytest.mark.parametrize("block", FEW, ids=str)
def test_no_sentinel_gets_out(block: range, tmp_path: Path) -> None:
    do_block(block, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("block", FIRST_HALF, ids=str)
def test_no_sentinel_gets_out_of_many(block: range, tmp_path: Path) -> None:
    do_block(block, tmp_path)


def test_a_case_is_decided_by_its_number_alone(tmp_path: Path) -> None:
    once, again = (do_case(11, tmp_path / name) for name in ("once", "again"))
    assert once.did == again.did
    assert once.words.kinds == again.words.kinds
