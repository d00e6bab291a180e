"""A tally in, the table of gold against system types out, in words."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from deidlab.evaluate.counts import Size
from deidlab.evaluate.layout import Ints
from deidlab.evaluate.tally import Tally
from deidlab.evaluate.wordlevel import NO_LABEL

OUTSIDE = "(none)"
PARTLY = "(in part)"


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """`cells[i, j]` words are `gold[i]` in the gold and `system[j]` in the system.

    The last row and the last column but one are words without PHI. The last column holds words that the
    system covers in part with the label of the gold, so that the diagonal is what it got right.
    """

    gold: tuple[str, ...]
    system: tuple[str, ...]
    cells: Ints = field(repr=False)


def confuse_types(tally: Tally, rows: Ints | None = None) -> Confusion:
    """The table over all documents, or over those rows, with the types that either side uses."""
    words, table = tally.words, tally.table
    if rows is not None:
        words, table = words.take(np.isin(words.doc, rows)), table.take(rows)
    codes = tally.scored_codes
    place = np.full(len(tally.labels) + 1, -1)
    used = np.isin(codes, words.gold) | np.isin(codes, words.system)
    names = tuple(label for label, seen in zip(tally.scored, used, strict=True) if seen)
    place[codes[used]] = np.arange(len(names))
    outside, partly = len(names), len(names) + 1
    place[NO_LABEL] = outside
    gold, system = place[words.gold], place[words.system]
    system = np.where((gold == system) & (gold != outside) & ~words.whole, partly, system)
    cells = np.bincount(gold * (partly + 1) + system, minlength=(outside + 1) * (partly + 1))
    cells = cells.reshape(outside + 1, partly + 1)
    cells[outside, outside] = int(table.sizes[:, Size.WORDS].sum()) - (cells.sum() - cells[outside, outside])
    return Confusion((*names, OUTSIDE), (*names, OUTSIDE, PARTLY), cells)
