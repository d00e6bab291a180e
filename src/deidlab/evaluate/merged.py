"""Two sides' spans in, counts out in which spans that touch are one.

The spans of each side with no letter or digit between them are joined. What the joined sides share counts as
found beside what the plain sides share, and a span inside anything found is neither a miss nor a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from deidlab.evaluate.layout import Ints
from deidlab.evaluate.pairing import Pair
from deidlab.types import Span

Stretch = tuple[int, int]


def count_merged(pairs: Sequence[Pair]) -> Ints:
    """Found, false alarms and misses: documents × 3."""
    counted = np.zeros((len(pairs), 3), np.int64)
    for row, pair in enumerate(pairs):
        counted[row] = _count_document(pair)
    return counted


def _count_document(pair: Pair) -> tuple[int, int, int]:
    gold, system = _stretches(pair.gold.spans), _stretches(pair.system.spans)
    if not gold or not system:
        return 0, len(system), len(gold)
    text = pair.gold.text
    joined = _join(text, gold) & _join(text, system)
    found = sorted((gold & system) | joined)
    alarms = sum(not _inside(stretch, found) for stretch in system - gold)
    misses = sum(not _inside(stretch, found) for stretch in gold - system)
    return len(found), alarms, misses


def _stretches(spans: Iterable[Span]) -> set[Stretch]:
    return {(span.start, span.end) for span in spans}


def _join(text: str, stretches: set[Stretch]) -> set[Stretch]:
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and not any(map(str.isalnum, text[joined[-1][1] : start])):
            # The program that defines this takes the later span's end, even where it lies inside the earlier.
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return set(joined)


def _inside(stretch: Stretch, found: list[Stretch]) -> bool:
    return any(start <= stretch[0] and stretch[1] <= end for start, end in found)
