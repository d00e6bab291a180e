"""Text and a date in, whether it is n of m instead: scores, counts, doses, acuities, levels of the spine.

What cannot be a date (`21/27`, `0/14`, `10/325`, `3/0/62/48`) is none; what could be one is none where a
scale or a thing that is counted stands in front of it or behind it, or where the same scale scores
something impossible on the same line. A month's name or a word that leads to a date keeps it.
"""

from __future__ import annotations

import functools
import re

from deidlab import languages
from deidlab.rules.dates import is_announced, is_day, is_value
from deidlab.rules.folding import lowered
from deidlab.rules.wordlists import cue_words, read_table
from deidlab.types import Span

_RATIO = re.compile(r"(?<![\d/])[\d.,]*\d(?:/\d+(?:[.,]\d+)?)+(?![\d/]*\d)")
_SPINE = re.compile(r"(?<![A-Za-z\d])[CTLSDd]\d{1,2}/[CTLSD]?\d{1,2}(?!\d)")
_DOTTED_DAY = re.compile(r"[0-3]?\d\.[01]?\d")
_WORD = re.compile(r"[^\W\d_][\w-]*|\d+(?:/\d+)+|\d[a-z]\w*|[.;\n(]|\d+")
_BACK, _AHEAD, _LINE = 60, 24, 100
_LONGEST_SCORE = 3


@functools.cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table("deidlab", "data/detect/vetoes/ratios.toml")[name])


@functools.cache
def _months() -> frozenset[str]:
    """Names of months in any language, folded as texts are looked up."""
    months = (*cue_words("date_words", "full_months"), *cue_words("date_words", "short_months"))
    calendars = (each.calendar.months for each in languages.everyone())
    return frozenset((*months, *(lowered(month) for own in calendars for month in own)))


def drops(text: str, span: Span) -> bool:
    """Whether the date is a part of n/m that is none."""
    begin = max(span.start - 12, 0)
    around = text[begin : span.end + 12]
    if "/" not in around:
        return False
    for pattern in (_SPINE, _RATIO):
        for match in pattern.finditer(around):
            start, end = begin + match.start(), begin + match.end()
            if start < span.end and span.start < end:
                return _is_alone(text, span, start, end) and (
                    pattern is _SPINE or _is_no_date(text, start, end)
                )
    return False


def _is_alone(text: str, span: Span, start: int, end: int) -> bool:
    """Whether the span has nothing but the ratio in it, or the scale before it."""
    rest = text[span.start : max(start, span.start)] + text[min(end, span.end) : span.end]
    words = _WORD.findall(rest.lower())
    return all(is_scale(word) for word in words) and not any(map(str.isdigit, words))


def _is_no_date(text: str, start: int, end: int) -> bool:
    value = text[start:end].lstrip(".,")
    if _names_a_month(text, end):
        return False
    if "." in value or "," in value:
        return not all(map(_DOTTED_DAY.fullmatch, value.split("/")))
    parts = value.split("/")
    if len(parts) != 2:
        return len(parts) > 3 or _cannot_be_day(*parts)
    if max(map(len, parts)) > _LONGEST_SCORE:
        return False  # A file number, or month and year.
    lower = lowered(text)
    if _follows(lower, start, "years"):
        return False
    return _is_impossible(*parts) or _is_counted(lower, start, end, parts[1])


def _cannot_be_day(first: str, second: str, third: str) -> bool:
    """Whether three numbers are far from a day: one that merely has a slip in it stays."""
    if is_day(first, second, third) or len(third) == 4 or len(first) == 4:
        return False
    one, other = int(first), int(second)
    return min(one, other) > 12 or max(one, other) > 31 or len(third) != 2 or not min(one, other)


def _is_impossible(first: str, second: str) -> bool:
    """Whether n/m is neither day and month nor month and year."""
    one, other = int(first), int(second)
    if not one or (not other and second != "00") or len(first) > 2 or len(second) > 2:
        return True
    return one > 12 and (other > 12 or one > 31)


def _is_counted(lower: str, start: int, end: int, top: str) -> bool:
    """Whether something that is counted or scored stands beside n/m that could be a date."""
    before, after = lower[max(start - _BACK, 0) : start], lower[end : end + _AHEAD]
    first = lower[start:end].partition("/")[0]
    if "0" in (first[0], top[0]):
        return False  # Scores are not written with a nought in front.
    if is_value("", after) or _is_scored(before) or _is_thing(after) or top == "52":
        return True
    if first == top and not (is_announced(before) or before.endswith("(") or _follows(lower, start, "dated")):
        return True
    return _has_sibling(lower, start, end, top)


def _has_sibling(lower: str, start: int, end: int, top: str) -> bool:
    """Whether the same line scores something else out of as much, where that is surely no date."""
    first = lower.rfind("\n", max(start - _LINE, 0), start) + 1 or max(start - _LINE, 0)
    last = lower.find("\n", end, end + _LINE)
    line = lower[first : last if last >= 0 else end + _LINE]
    for match in _RATIO.finditer(line):
        place = first + match.start()
        numbers = match.group().split("/")
        if place == start or len(numbers) != 2 or numbers[1] != top or "." in match.group():
            continue
        if _is_impossible(*numbers) or _is_scored(lower[max(place - _BACK, 0) : place]):
            return True
    return False


def _is_scored(before: str) -> bool:
    """Whether a scale stands before, with nothing but what may stand in between."""
    for word in reversed(_WORD.findall(before)):
        if word in ".;\n":
            return False
        if is_scale(word):
            return True
        if not (word in _words("fillers") or word == "(" or "/" in word):
            return False
    return False


def is_scale(word: str) -> bool:
    """Whether a lower-case word is a scale, or begins with one (`phq-9`)."""
    scales = _words("scales")
    if word in scales:
        return True
    parts = word.replace("_", "-").split("-")
    return any(part in scales for part in parts) if len(parts) > 1 else word.rstrip("0123456789") in scales


def _is_thing(after: str) -> bool:
    word = re.match(r"\s?\(?([^\W\d]+)", after)
    return word is not None and word[1] in _words("after")


def _names_a_month(text: str, end: int) -> bool:
    word = re.match(r"\s?(?:de |d['’]|of )?([^\W\d]{3,10})", text[end : end + 18])
    return word is not None and word[1].lower() in _months()


def _follows(lower: str, start: int, name: str) -> bool:
    words = _WORD.findall(lower[max(start - 16, 0) : start])
    return bool(words) and words[-1] in _words(name)
