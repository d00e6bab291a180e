"""Where numbers and codes start in a text, found once: rules try their patterns there and nowhere else."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

_DIGITS = re.compile(r"[0-9]+")
# A look behind comes after the first character: a pattern that opens with one is slow to search for.
_ANY_NUMBER = re.compile(r"\d(?<!\w\d)")
_FOUR = re.compile(r"[0-9](?:[-./ ()–]{0,3}[0-9]){3}")
_FIVE = re.compile(r"[\w-]{5}")
_LONGEST_PREFIX = 8


@functools.lru_cache(maxsize=2)
def _runs(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _DIGITS.finditer(text)]


@functools.lru_cache(maxsize=2)
def number_starts(text: str) -> list[int]:
    """Places of digits that no letter or digit stands before."""
    return [start for start, _ in _own_runs(text)]


@functools.lru_cache(maxsize=2)
def digit_starts(text: str) -> list[int]:
    """The same for digits of any script, and without those behind an underscore."""
    return [match.start() for match in _ANY_NUMBER.finditer(text)]


@functools.lru_cache(maxsize=2)
def _own_runs(text: str) -> list[tuple[int, int]]:
    return [run for run in _runs(text) if not run[0] or not text[run[0] - 1].isalnum()]


def starts_before(text: str, marks: str) -> list[int]:
    """Those of the numbers that one of the marks follows at once."""
    padded = text + "\n"
    return [start for start, end in _own_runs(text) if padded[end] in marks]


@functools.lru_cache(maxsize=2)
def long_starts(text: str) -> list[int]:
    """Those of the numbers that have four digits or more, dashes, dots and the like aside."""
    return [start for start in number_starts(text) if _FOUR.match(text, start)]


@functools.lru_cache(maxsize=2)
def code_starts(text: str) -> list[int]:
    """Places of numbers, and of capitals that a digit follows, at once or after a blank or dash."""
    starts = set(number_starts(text))
    for run, _ in _runs(text):
        end = run - 1 if text[run - 1 : run] in (" ", "-") and run else run
        start = end
        while start and end - start <= _LONGEST_PREFIX and "A" <= text[start - 1] <= "Z":
            start -= 1
        if start < end and (not start or not text[start - 1].isalnum()):
            starts.add(start)
    return sorted(starts)


@functools.lru_cache(maxsize=2)
def letter_starts(text: str) -> list[int]:
    """Those of the codes that a letter opens."""
    return [start for start in code_starts(text) if text[start].isalpha()]


@functools.lru_cache(maxsize=2)
def wide_starts(text: str) -> list[int]:
    """Codes that a letter opens, and numbers of four digits or more."""
    return sorted({*letter_starts(text), *long_starts(text)})


@functools.lru_cache(maxsize=2)
def unbroken_starts(text: str) -> list[int]:
    """Codes and numbers of five characters or more, dashes counted, with nothing else in between."""
    return [start for start in code_starts(text) if _FIVE.match(text, start)]


def scan(pattern: re.Pattern[str], text: str, starts: Sequence[int]) -> Iterator[re.Match[str]]:
    """The pattern's matches that begin at one of `starts`, without overlap."""
    match_at, done = pattern.match, 0
    for start in starts:
        if start >= done:
            match = match_at(text, start)
            if match:
                done = match.end()
                yield match
