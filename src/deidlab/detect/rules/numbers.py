"""Where numbers and codes start in a text, found once: rules try their patterns there and nowhere else."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_DIGITS = re.compile(r"[0-9]+")
_FOUR = re.compile(r"[0-9](?:[-./ ()–]{0,3}[0-9]){3}")
_LONGEST_PREFIX = 8


@functools.lru_cache(maxsize=2)
def _runs(text: str) -> list[int]:
    return [match.start() for match in _DIGITS.finditer(text)]


@functools.lru_cache(maxsize=2)
def number_starts(text: str) -> list[int]:
    """Places of digits that no letter or digit stands before."""
    return [start for start in _runs(text) if not start or not text[start - 1].isalnum()]


@functools.lru_cache(maxsize=2)
def long_starts(text: str) -> list[int]:
    """Those of the numbers that have four digits or more, dashes, dots and the like aside."""
    return [start for start in number_starts(text) if _FOUR.match(text, start)]


@functools.lru_cache(maxsize=2)
def code_starts(text: str) -> list[int]:
    """Places of numbers, and of capitals that a digit follows, at once or after a blank or dash."""
    starts = set(number_starts(text))
    for run in _runs(text):
        end = run - 1 if text[run - 1 : run] in (" ", "-") and run else run
        start = end
        while start and end - start <= _LONGEST_PREFIX and "A" <= text[start - 1] <= "Z":
            start -= 1
        if start < end and (not start or not text[start - 1].isalnum()):
            starts.add(start)
    return sorted(starts)


def scan(pattern: re.Pattern[str], text: str, starts: list[int]) -> Iterator[re.Match[str]]:
    """The pattern's matches that begin at one of `starts`, without overlap."""
    match_at, done = pattern.match, 0
    for start in starts:
        if start >= done:
            match = match_at(text, start)
            if match:
                done = match.end()
                yield match
