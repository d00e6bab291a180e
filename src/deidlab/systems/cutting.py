"""A long text and a limit in, overlapping stretches out; what was found in the stretches back as one answer.

Every stretch decides what begins in its own part: up to the middle of what it shares with the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deidlab.encode.words import find_words
from deidlab.types import Span, Word

# Enough for the longest name or address, and for the words around it that tell what it is.
_OVERLAP = 0.2


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text; spans that begin in `first` up to `last` are its to find."""

    start: int
    end: int
    first: int
    last: int


def cut_text(text: str, limit: int, unit: str = "characters") -> list[Stretch]:
    """The whole text where it keeps within the limit (0: none), else stretches that do and overlap."""
    words = _chopped(find_words(text), limit if unit == "characters" else 0)
    if not limit or _size(words, 0, len(words), unit) <= limit:
        return [Stretch(0, len(text), 0, len(text))]
    bounds = list(_bounds(words, limit, unit))
    places = [(words[first][0], words[end - 1][1]) for first, end in bounds]
    edges = [0, *((left[1] + right[0]) // 2 for left, right in pairwise(places)), len(text)]
    return [
        Stretch(start, end, first, last)
        for (start, end), (first, last) in zip(places, pairwise(edges), strict=True)
    ]


def join_stretches(found: Iterable[tuple[Stretch, Sequence[Span]]]) -> tuple[Span, ...]:
    """The spans at their places in the whole text."""
    joined = []
    for stretch, spans in found:
        for span in spans:
            start, end = span.start + stretch.start, span.end + stretch.start
            if stretch.first <= start < stretch.last:
                joined.append(Span(start, end, span.label, span.score, span.source))
    return tuple(joined)


def count_within(text: str, limit: int, unit: str) -> int:
    """How many characters a system would have read that stops at its limit."""
    if unit == "characters":
        return min(limit, len(text))
    words = find_words(text)
    return len(text) if len(words) <= limit else words[limit - 1][1]


def _chopped(words: list[Word], most: int) -> list[Word]:
    """The words, with those that alone pass the limit in pieces."""
    if not most or all(end - start <= most for start, end in words):
        return words
    return [(at, min(at + most, end)) for start, end in words for at in range(start, end, most)]


def _size(words: Sequence[Word], first: int, end: int, unit: str) -> int:
    if first >= end:
        return 0
    return end - first if unit == "words" else words[end - 1][1] - words[first][0]


def _bounds(words: Sequence[Word], limit: int, unit: str) -> Iterable[tuple[int, int]]:
    """First and end word of each stretch."""
    first, end = 0, 0
    while end < len(words):
        while end < len(words) and _size(words, first, end + 1, unit) <= limit:
            end += 1
        yield first, end
        if end == len(words):
            return
        back = end
        while back - 1 > first and _size(words, back - 1, end, unit) <= limit * _OVERLAP:
            back -= 1
        first = back
