"""Text in, the same number of characters out, made plain for matching: lower case, or bare letters as well.

Both keep every offset. Aho-Corasick automata over them find thousands of words in one pass.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick, MatchKind

_PIECE, _LONGEST_TERM = 1_000_000, 128
_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}


@functools.lru_cache(maxsize=2)
def lowered(text: str) -> str:
    """Lower case, one character for one character."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


@functools.lru_cache(maxsize=2)
def folded(text: str) -> str:
    """Lower case without accents, every mark a blank, one character for one character."""
    return lowered(text).translate(_PUNCTUATION if text.isascii() else _wide_table())


def fold_term(term: str) -> str:
    """A listed term as `folded` shows it, its blanks made single."""
    return " ".join(folded(term).split())


@functools.cache
def _wide_table() -> dict[int, str]:
    table = dict(_PUNCTUATION)
    for code in (*range(0xA0, 0x250), *range(0x1E00, 0x1F00), *range(0x2000, 0x2070)):
        char = chr(code)
        base = unicodedata.normalize("NFD", char)[0]
        table[code] = base if base.isalnum() else " "
    return table


def _matches(automaton: AhoCorasick, text: str) -> Iterator[tuple[int, int, int]]:
    """Every match in order; a long text is searched piece by piece, so that memory stays flat."""
    done = 0
    for begin in range(0, len(text), _PIECE):
        # A piece reaches a little into the next, for terms that cross the seam.
        piece = text if len(text) <= _PIECE else text[begin : begin + _PIECE + _LONGEST_TERM]
        for index, start, end in automaton.find_matches_as_indexes(piece):
            if start < _PIECE and begin + start >= done:
                done = begin + end
                yield index, begin + start, done


class Terms:
    """Terms to find as whole words in folded text; the longest wins where two start at one place.

    `loose` lets two marks stand where a term has one blank, as in `Smith, John`.
    """

    def __init__(self, terms: Iterable[str], loose: bool = False) -> None:
        forms: dict[str, str] = {}
        for term in {fold_term(term) for term in terms} - {""}:
            gaps = min(term.count(" "), 3) if loose else 0
            for wide in itertools.product((" ", "  "), repeat=gaps):
                parts = itertools.zip_longest(term.split(" ", gaps), wide, fillvalue="")
                forms["".join(map("".join, parts)) if gaps else term] = term
        ordered = sorted(forms)
        self.terms = tuple(forms[form] for form in ordered)
        # A blank in front makes every match start at a word, at no cost.
        self._automaton = AhoCorasick([" " + form for form in ordered], matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the folded term of every whole-word match in `text`, in order."""
        if not self.terms:
            return
        plain = " " + folded(text)
        for index, start, end in _matches(self._automaton, plain):
            if end == len(plain) or not plain[end].isalnum():
                yield start, end - 1, self.terms[index]


class Cues:
    """Words that announce what follows (`MRN`, `seen by`), found as whole words in any case."""

    def __init__(self, cues: Iterable[str]) -> None:
        self.cues = tuple(sorted({cue.lower() for cue in cues}))
        self._automaton = AhoCorasick(self.cues, matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the lower-case cue of every match."""
        lower = lowered(text)
        length = len(lower)
        for index, start, end in _matches(self._automaton, lower):
            if start and lower[start - 1].isalpha() and lower[start].isalpha():
                continue
            if end < length and lower[end].isalpha() and lower[end - 1].isalnum():
                continue
            yield start, end, self.cues[index]
