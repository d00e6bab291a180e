"""A pen in, occupations out as patients tell them, at times with what they work on or for."""

from __future__ import annotations

import functools

from deidlab.make.composed import compose
from deidlab.make.lists import words
from deidlab.make.pen import Pen
from deidlab.make.reading import own_text

_BEFORE = words("trades_before")
_FIELDS = words("trades_fields")
_DOERS = words("trades_doers")


def make_trade(pen: Pen) -> str:
    """An occupation in lower case, mostly a common one or one of several words."""
    if pen.often(0.4):
        return compose(pen, "trade")
    kind = pen.draw()
    if kind < 0.2:
        return f"{pen.pick(_FIELDS)} {pen.pick(_DOERS)}"
    trade = pen.pick(_trades())
    if kind < 0.26:
        return f"{pen.pick(_BEFORE)} {trade}"
    if kind < 0.28:
        return f"{trade} and {pen.pick(_trades())}"
    return trade


@functools.cache
def _trades() -> tuple[str, ...]:
    text = own_text("trades.txt")
    return tuple(line for line in text.splitlines() if line)
