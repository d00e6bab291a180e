"""Text in, the same number of characters out, made plain for matching: lower case, or bare letters as well.

Both keep every offset. Aho-Corasick automata over them find thousands of words in one pass.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from deidlab.rules.readings import hidden_codes, plain_form

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

_PIECE, _LONGEST_TERM = 1_000_000, 128
# Terms that are folded already, as the shipped lists are.
_FOLDED = re.compile(r"(?:[a-z0-9]+(?: [a-z0-9]+)*+(?:\n|$))*+")
_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}


# Words come again and again. They are kept apart from texts, of which one would drive out the other.
_WORD_LENGTH, _WORDS = 40, 16384
Answer = TypeVar("Answer")


def each_word(function: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """A function of one word that remembers its answers, of words that are not too long."""
    known = functools.lru_cache(maxsize=_WORDS)(function)
    return functools.wraps(function)(
        lambda word: known(word) if len(word) <= _WORD_LENGTH else function(word)
    )


def lowered(text: str) -> str:
    """Lower case, one character for one character."""
    return _lowered_word(text) if len(text) <= _WORD_LENGTH else _lowered_text(text)


def folded(text: str) -> str:
    """Lower case without accents, every mark a blank, one character for one character."""
    return _folded_word(text) if len(text) <= _WORD_LENGTH else _folded_text(text)


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _fold(text: str) -> str:
    return lowered(text).translate(_PUNCTUATION if text.isascii() else _wide_table())


_lowered_word, _folded_word = functools.lru_cache(_WORDS)(_lower), functools.lru_cache(_WORDS)(_fold)
_lowered_text, _folded_text = functools.lru_cache(2)(_lower), functools.lru_cache(2)(_fold)


@each_word
def fold_term(term: str) -> str:
    """A listed term as `folded` shows it, its blanks made single."""
    return " ".join(folded(plain_form(term)).split())


@functools.cache
def _wide_table() -> dict[int, str]:
    # What stays is listed too: a character that the table lacks costs most.
    table = {code: chr(code) for code in range(0x2070)} | _PUNCTUATION | dict.fromkeys(hidden_codes(), " ")
    for code in (*range(0xA0, 0x250), *range(0x1E00, 0x1F00), *range(0x2000, 0x2070)):
        char = chr(code)
        base = unicodedata.normalize("NFD", char)[0]
        table[code] = base if base.isalnum() else " "
    return table


def fold_terms(terms: Iterable[str]) -> list[str]:
    """Each of the terms once as `fold_term` shows it, in one go; one that comes to nothing is left out."""
    listed = tuple(terms)
    whole = "\n".join(listed)
    if whole.count("\n") >= len(listed):
        listed = tuple(term.replace("\n", " ") for term in listed)
        whole = "\n".join(listed)
    lower = _lower(whole)
    if _FOLDED.fullmatch(lower):
        return list(dict.fromkeys(filter(None, lower.split("\n"))))
    lower = _lower("\n".join(map(plain_form, listed)))
    table = {**(_PUNCTUATION if lower.isascii() else _wide_table()), ord("\n"): "\n"}
    plain = (" ".join(term.split()) for term in lower.translate(table).split("\n"))
    return list(dict.fromkeys(filter(None, plain)))


Match = tuple[int, int, int]


def _matches(automaton: AhoCorasick, text: str) -> Iterator[list[Match]]:
    """Every match as index, start and end, overlapping ones too; piece by piece: memory stays flat."""
    if len(text) <= _PIECE:
        yield automaton.find_matches_as_indexes(text, overlapping=True)
        return
    for begin in range(0, len(text), _PIECE):
        # A piece reaches a little into the next, for terms that cross the seam.
        piece = text[begin : begin + _PIECE + _LONGEST_TERM]
        found = automaton.find_matches_as_indexes(piece, overlapping=True)
        yield [(index, begin + start, begin + end) for index, start, end in found if start < _PIECE]


def _outermost(batches: Iterable[list[Match]]) -> Iterator[Match]:
    """Of matches as start, end with a minus, and index: those that lie inside no other, in order.

    All are tried: one that was no whole word, or only begins earlier, takes nothing from the others.
    """
    reach = 0
    for batch in batches:
        # Most notes have few of most cues, and none of some.
        if len(batch) > 1:
            batch.sort()
        for match in batch:
            if -match[1] > reach:
                reach = -match[1]
                yield match


class Terms:
    """Terms to find as whole words in folded text; one that lies inside another gives way to it.

    `loose` lets two marks stand where a term has one blank, as in `Smith, John`.
    """

    def __init__(self, terms: Iterable[str], loose: bool = False) -> None:
        folded_terms = fold_terms(terms)
        forms = dict(zip(folded_terms, folded_terms, strict=True))
        for term in [term for term in folded_terms if " " in term] if loose else ():
            gaps = min(term.count(" "), 3)
            for wide in itertools.product((" ", "  "), repeat=gaps):
                parts = itertools.zip_longest(term.split(" ", gaps), wide, fillvalue="")
                forms["".join(map("".join, parts))] = term
        ordered = sorted(forms)
        self.terms = tuple(map(forms.__getitem__, ordered))
        # A blank in front makes every match start at a word, at no cost.
        # Imported here: a machine that only trains and tests models may lack what rules and lists need.
        from ahocorasick_rs import AhoCorasick

        self._automaton = AhoCorasick([" " + form for form in ordered])

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the folded term of every whole-word match in `text`, in order."""
        if not self.terms:
            return
        plain, terms = " " + folded(text) + " ", self.terms
        whole = (
            [(start, -end, index) for index, start, end in matches if not plain[end].isalnum()]
            for matches in _matches(self._automaton, plain)
        )
        for start, minus_end, index in _outermost(whole):
            yield start, -minus_end - 1, terms[index]


class Cues:
    """Words that announce what follows (`MRN`, `seen by`), found as whole words in any case."""

    def __init__(self, cues: Iterable[str]) -> None:
        self.cues = tuple(sorted({cue.lower() for cue in cues}))
        # The form that costs most memory and least time: cues are few, and every note is searched for them.
        from ahocorasick_rs import AhoCorasick, Implementation

        self._automaton = AhoCorasick(self.cues, implementation=Implementation.DFA)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the lower-case cue of every match."""
        plain, cues = lowered(text), self.cues
        # With a blank behind the text every match has a neighbour on either side: at index -1, the blank.
        lower = plain + " "
        whole = (
            [
                (start, -end, index)
                for index, start, end in matches
                if not (lower[end].isalpha() and lower[end - 1].isalnum())
                and not (lower[start - 1].isalpha() and lower[start].isalpha())
            ]
            for matches in _matches(self._automaton, plain)
        )
        for start, minus_end, index in _outermost(whole):
            yield start, -minus_end, cues[index]
