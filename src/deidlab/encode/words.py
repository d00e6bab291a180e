"""Text in, word offsets out.

Two ways to cut: `runs` (the default) gives maximal runs of letters with their marks, maximal runs of
digits, and every other visible character alone; `whitespace` gives runs of anything but white space,
near to what the 2022 study counted. Every character that is not white space belongs to exactly one word.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from deidlab.errors import UnknownNameError
from deidlab.types import Word

WordStyle = Literal["runs", "whitespace"]
WORD_STYLES: tuple[WordStyle, ...] = get_args(WordStyle)


def find_words(text: str, style: str = "runs") -> list[Word]:
    """Start and end of every word, in order."""
    return [match.span() for match in _pattern(style).finditer(text)]


def cut_words(words: list[Word], edges: Iterable[tuple[int, int]]) -> list[Word]:
    """The same words, cut wherever a stretch of `edges` starts or ends inside one.

    Where a stretch starts or ends in white space, or holds nothing else, the white space between its
    edge and its nearest word becomes a word too: a stretch is then always exactly a run of words.
    `edges` are in order and do not overlap.
    """
    cut: list[Word] = []
    pending = iter(words)
    word = next(pending, None)
    for start, end in edges:
        while word is not None and word[1] <= start:
            cut.append(word)
            word = next(pending, None)
        if word is not None and word[0] < start:
            cut.append((word[0], start))
            word = (start, word[1])
        reached = start
        while word is not None and word[0] < end:
            if reached == start and word[0] > start:
                cut.append((start, word[0]))
            if word[1] > end:
                cut.append((word[0], end))
                word = (end, word[1])
                reached = end
                break
            cut.append(word)
            reached = word[1]
            word = next(pending, None)
        if reached < end:
            cut.append((reached, end))
    if word is not None:
        cut.append(word)
    cut.extend(pending)
    return cut


@functools.cache
def _pattern(style: str) -> re.Pattern[str]:
    if style == "whitespace":
        return re.compile(r"\S+")
    if style == "runs":
        return re.compile(rf"[{_letter_ranges()}]+|\d+|\S")
    raise UnknownNameError("way to cut words", style, WORD_STYLES)


def _letter_ranges() -> str:
    """Letters and their marks as the inside of a character class.

    Python's own classes will not do: `\\w` takes in fractions and superscripts, and leaves out the
    combining marks of decomposed accents and of Indic and Arabic script.
    """
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _runs_of_letters())


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
