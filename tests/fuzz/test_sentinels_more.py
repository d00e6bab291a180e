"""The other half of the many cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.many import SECOND_HALF, do_block

pytestmark = [pytest.mark.timeout(0), pytest.mark.usefixtures("server"), pytest.mark.slow]


@pytest.mark.parametrize("block", SECOND_HALF, ids=str)
def test_no_sentinel_gets_out_of_many(block: range, tmp_path: Path) -> None:
    do_block(block, tmp_path)
