"""Text in, word offsets out.

Ways to cut: `runs` (the default) gives maximal runs of letters with their marks, maximal runs of digits,
and every other visible character alone; `cases` cuts runs of letters before a capital that follows a small
letter too (`MonteroNHC`); `whitespace` gives runs of anything but white space, near to what the 2022 study
counted. Every character that is not white space belongs to exactly one word.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from deidlab.errors import UnknownNameError
from deidlab.types import Word

WordStyle = Literal["runs", "cases", "whitespace"]
WORD_STYLES: tuple[WordStyle, ...] = get_args(WordStyle)


# Letters as `re` sees them are ours but for marks, fractions, superscripts and letter-like numbers. A text
# that keeps to these blocks has none of those, and is cut three times as fast.
_ODD = re.compile(
    "[^\\x00-\\xb1\\xb4-\\xb8\\xba\\xbb\\xbf-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u206f\u20a0-\u20cf\u2100-\u214f"
    "\u2190-\u23ff\u4e00-\u9fff\uac00-\ud7a3\U0001f300-\U0001f64f]"
)
# Letters behind this one are many and rare, and `re` looks them up one run after the other.
_LAST_USUAL = "\uffff"
_PLAIN = re.compile(r"[^\W\d_]+|\d+|\S")
_GLUED = re.compile("(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")


def find_words(text: str, style: str = "runs") -> list[Word]:
    """Start and end of every word, in order."""
    if style == "cases":
        return cut_words(find_words(text), [match.span() for match in _GLUED.finditer(text)])
    pattern = _pattern_of_runs(text) if style == "runs" else _pattern(style)
    return [match.span() for match in pattern.finditer(text)]


def _pattern_of_runs(text: str) -> re.Pattern[str]:
    """The fastest pattern that cuts a text like any other."""
    characters = "".join(set(text))
    if not _ODD.search(characters):
        return _PLAIN
    return _pattern("runs") if max(characters) > _LAST_USUAL else _usual_runs()


def cut_words(words: list[Word], stretches: Iterable[tuple[int, int]]) -> list[Word]:
    """The same words, cut wherever a stretch of text starts or ends inside one."""
    return fit_words(words, stretches)[0]


def fit_words(
    words: list[Word], stretches: Iterable[tuple[int, int]]
) -> tuple[list[Word], list[tuple[int, int]]]:
    """The words, cut so that every stretch is exactly a run of them, and each run's first and end index.

    Where a stretch starts or ends in white space, or holds nothing else, the white space between its
    edge and its nearest word becomes a word too. Stretches are in order and do not overlap.
    """
    rest = [*words, (sys.maxsize, sys.maxsize)]
    ends = [end for _, end in rest]
    fitted: list[Word] = []
    runs: list[tuple[int, int]] = []
    index = 0
    for start, end in stretches:
        before = bisect_right(ends, start, index)
        fitted += rest[index:before]
        begins, word_end = rest[before]
        if begins < start:
            fitted.append((begins, start))
            begins = start
            rest[before] = (start, word_end)
        first = len(fitted)
        if begins > start:
            fitted.append((start, min(begins, end)))
        index = bisect_right(ends, end, before)
        fitted += rest[before:index]
        begins, word_end = rest[index]
        if begins < end:
            fitted.append((begins, end))
            rest[index] = (end, word_end)
        elif fitted[-1][1] < end:
            fitted.append((fitted[-1][1], end))
        runs.append((first, len(fitted)))
    return fitted + rest[index:-1], runs


@functools.cache
def _pattern(style: str) -> re.Pattern[str]:
    if style == "whitespace":
        return re.compile(r"\S+")
    if style == "runs":
        return re.compile(rf"[{_letter_ranges()}]+|\d+|\S")
    raise UnknownNameError("way to cut words", style, WORD_STYLES)


@functools.cache
def _usual_runs() -> re.Pattern[str]:
    return re.compile(rf"[{_letter_ranges(ord(_LAST_USUAL))}]+|\d+|\S")


def _letter_ranges(last: int = sys.maxunicode) -> str:
    """Letters and their marks as the inside of a character class.

    Python's own classes will not do: `\\w` takes in fractions and superscripts, and leaves out the
    combining marks of decomposed accents and of Indic and Arabic script.
    """
    runs = ((first, min(end, last)) for first, end in _runs_of_letters() if first <= last)
    return "".join(f"\\U{first:08x}-\\U{end:08x}" for first, end in runs)


def _runs_of_letters() -> Iterator[tuple[int, int]]:
    category = unicodedata.category
    first = None
    # No letter or mark stands between the last CJK extension and the variation selectors.
    for code in (*range(0x40000), 0x40000, *range(0xE0100, 0xE01F1)):
        inside = category(chr(code))[0] in "LM"
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            yield first, code - 1
            first = None


def letters_are_complete() -> bool:
    """Whether the ranges scanned above still hold every letter and mark of this Python's Unicode."""
    rest = (*range(0x40000, 0xE0100), *range(0xE01F0, sys.maxunicode + 1))
    return not any(unicodedata.category(chr(code))[0] in "LM" for code in rest)
