"""How many cases, and in which handfuls; a handful fails with a line for each rule that was broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.cases import do_case

CASES, A_BLOCK = 10_000, 100
FEW = [range(first, first + A_BLOCK) for first in range(CASES, CASES + 200, A_BLOCK)]
_BLOCKS = [range(first, first + A_BLOCK) for first in range(0, CASES, A_BLOCK)]
FIRST_HALF, SECOND_HALF = _BLOCKS[::2], _BLOCKS[1::2]


def do_block(block: range, folder: Path) -> None:
    """Do the cases; say which rules were broken, and where, and nothing of what stood there."""
    broken = [breach for number in block for breach in do_case(number, folder).breaches]
    if broken:
        again = "do one again with `python -m tests.fuzz CASE`"
        pytest.fail("\n".join([f"{len(broken)} rules broken; {again}", *map(str, broken)]), pytrace=False)
