"""Text in, the same number of characters out, made plain for matching: lower case, or bare letters as well.

Both keep every offset. Aho-Corasick automata over them find thousands of words in one pass.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

_PIECE, _LONGEST_TERM = 1_000_000, 128
# Terms that are folded already, as the shipped lists are.
_FOLDED = re.compile(r"(?:[a-z0-9]+(?: [a-z0-9]+)*+(?:\n|$))*+")
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


def fold_terms(terms: Iterable[str]) -> set[str]:
    """All of the terms as `fold_term` shows them, in one go; a term that comes to nothing is left out."""
    lower = lowered("\n".join(term.replace("\n", " ") for term in terms))
    if _FOLDED.fullmatch(lower):
        return set(lower.split("\n")) - {""}
    table = {**(_PUNCTUATION if lower.isascii() else _wide_table()), ord("\n"): "\n"}
    return {" ".join(term.split()) for term in lower.translate(table).split("\n")} - {""}


def _matches(automaton: AhoCorasick, text: str) -> Iterable[tuple[int, int, int]]:
    """Every match in order; a long text is searched piece by piece, so that memory stays flat."""
    if len(text) <= _PIECE:
        return automaton.find_matches_as_indexes(text)
    return _matches_by_piece(automaton, text)


def _matches_by_piece(automaton: AhoCorasick, text: str) -> Iterator[tuple[int, int, int]]:
    done = 0
    for begin in range(0, len(text), _PIECE):
        # A piece reaches a little into the next, for terms that cross the seam.
        piece = text[begin : begin + _PIECE + _LONGEST_TERM]
        for index, start, end in automaton.find_matches_as_indexes(piece):
            if start < _PIECE and begin + start >= done:
                done = begin + end
                yield index, begin + start, done


class Terms:
    """Terms to find as whole words in folded text; the longest wins where two start at one place.

    `loose` lets two marks stand where a term has one blank, as in `Smith, John`.
    """

    def __init__(self, terms: Iterable[str], loose: bool = False) -> None:
        forms = {term: term for term in fold_terms(terms)}
        for term in [term for term in forms if " " in term] if loose else ():
            gaps = min(term.count(" "), 3)
            for wide in itertools.product((" ", "  "), repeat=gaps):
                parts = itertools.zip_longest(term.split(" ", gaps), wide, fillvalue="")
                forms["".join(map("".join, parts))] = term
        ordered = sorted(forms)
        self.terms = tuple(forms[form] for form in ordered)
        # A blank in front makes every match start at a word, at no cost.
        self._automaton = AhoCorasick([" " + form for form in ordered], matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the folded term of every whole-word match in `text`, in order."""
        if not self.terms:
            return
        plain, terms = " " + folded(text) + " ", self.terms
        for index, start, end in _matches(self._automaton, plain):
            if not plain[end].isalnum():
                yield start, end - 1, terms[index]


class Cues:
    """Words that announce what follows (`MRN`, `seen by`), found as whole words in any case."""

    def __init__(self, cues: Iterable[str]) -> None:
        self.cues = tuple(sorted({cue.lower() for cue in cues}))
        # The form that costs most memory and least time: cues are few, and every note is searched for them.
        self._automaton = AhoCorasick(
            self.cues, matchkind=MatchKind.LeftmostLongest, implementation=Implementation.DFA
        )

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the lower-case cue of every match."""
        plain, cues = lowered(text), self.cues
        # With a blank behind the text every match has a neighbour on either side: at index -1, the blank.
        lower = plain + " "
        for index, start, end in _matches(self._automaton, plain):
            if lower[end].isalpha() and lower[end - 1].isalnum():
                continue
            if lower[start - 1].isalpha() and lower[start].isalpha():
                continue
            yield start, end, cues[index]
