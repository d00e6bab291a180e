"""Words in, the shape of each out: its letter case, and the white space before it.

Uncased models lose both; a small table learned over these ids gives them back.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from deidlab.types import Word

_KINDS = ("special", "lower", "title", "upper", "letter", "mixed", "digits", "other")
_GAPS = ("joined", "space", "line", "paragraph")
N_SHAPES = len(_KINDS) * len(_GAPS)
SPECIAL = 0
"""The shape of a special piece."""


def find_shapes(text: str, words: Sequence[Word]) -> list[int]:
    """One id below `N_SHAPES` for each word; never `SPECIAL`."""
    shapes = []
    before = 0
    for start, end in words:
        # Most words follow another at once or after one blank.
        if before and start == before:
            gap = 0
        elif before and start == before + 1 and text[before] == " ":
            gap = 1
        else:
            gap = _gap(text[before:start], before == 0)
        shapes.append(_kind(text[start:end]) * len(_GAPS) + gap)
        before = end
    return shapes


@functools.lru_cache(maxsize=65536)
def _kind(word: str) -> int:
    if word.isdigit():
        return 6
    if not word.isalpha():
        return 7
    if word.islower():
        return 1
    if len(word) == 1:
        return 4
    if word.isupper():
        return 3
    return 2 if word[0].isupper() and word[1:].islower() else 5


def _gap(space: str, at_start: bool) -> int:
    lines = space.count("\n")
    if lines:
        return min(lines, 2) + 1
    return 3 if at_start else int(bool(space))
