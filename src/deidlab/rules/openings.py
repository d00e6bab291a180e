"""Patterns and what they begin with in, their matches in a text out: the same that a search for each finds.

A search tries its pattern at every character, and most of the time of rules that go by words went into that.
Here all words that patterns begin with are found in one pass, and each is tried where one of its own stands.
"""

from __future__ import annotations

import functools
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from deidlab.rules.folding import folded
from deidlab.rules.numbers import digit_starts, scan

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

Places = Callable[[str], Sequence[int]]
_NUMBER = r"\d"
_LETTERS = re.compile(r"(?:[\w' -](?![?*{]))+")
# `s[áa]bado`: folded, both letters are one.
_EITHER = re.compile(r"\[([\w'’])([\w'’])\]")
_NO_LETTER = re.compile(r"[^\w ]")


class Openings:
    """Several patterns, each with what its matches begin with: alternatives as in it, or functions.

    Of `hij[oa]s?|madre` the first letters count, in any case and with accents or without; they begin where no
    letter, digit or underscore stands before. The alternative `\\d` is a number. A function gives the places
    of a text where matches may begin.
    """

    def __init__(self, *patterns: tuple[re.Pattern[str], *tuple[str | Places, ...]]) -> None:
        self._patterns = [
            (pattern, [places_of_words(each) if isinstance(each, str) else each for each in own])
            for pattern, *own in patterns
        ]

    def find(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Each pattern's number and its matches, pattern by pattern."""
        for number, (pattern, functions) in enumerate(self._patterns):
            places = [place for function in functions for place in function(text)]
            if places:
                for match in scan(pattern, text, sorted(places)):
                    yield number, match


def places_of_words(alternatives: str) -> Places:
    """A function that gives the places of what alternatives begin with: words, and numbers for `\\d`."""
    letters = first_letters(alternatives)
    # The words of all openings are numbered, so that a text is searched for them once.
    with _NUMBERING:
        words = [_WORDS.setdefault(each, len(_WORDS)) for each in letters if each != _NUMBER]
    numbered = _NUMBER in letters

    def find_places(text: str) -> list[int]:
        found = _find_words(text, len(_WORDS))
        places = [place for word in words if word in found for place in found[word]]
        return [*places, *digit_starts(text)] if numbered else places

    return find_places


_WORDS: dict[str, int] = {}
_NUMBERING = threading.Lock()


@functools.lru_cache(maxsize=2)
def _find_words(text: str, n_words: int) -> dict[int, list[int]]:
    """Where each of the first so many words stands that has a place in the text."""
    places: dict[int, list[int]] = {}
    for word, start, _ in _automaton(n_words).find_matches_as_indexes(_searchable(text), overlapping=True):
        places.setdefault(word, []).append(start)
    return places


@functools.lru_cache(maxsize=1)
def _automaton(n_words: int) -> AhoCorasick:
    from ahocorasick_rs import AhoCorasick, Implementation

    # A blank in front makes every match start at a word, at no cost.
    words = [" " + word for word in list(_WORDS)[:n_words]]
    return AhoCorasick(words, implementation=Implementation.DFA)


def first_letters(alternatives: str) -> list[str]:
    """The letters that each alternative of a pattern begins with, folded; what is a number stays `\\d`."""
    found = dict[str, None]()
    plain = _EITHER.sub(lambda both: both[1] if folded(both[1]) == folded(both[2]) else both[0], alternatives)
    for each in _split(plain):
        letters = _LETTERS.match(each)
        if each.startswith("(?:"):
            end = _group_end(each)
            found |= dict.fromkeys(first_letters(each[len("(?:") : end - 1]))
            if each[end : end + 1] == "?":
                found |= dict.fromkeys(first_letters(each[end + 1 :]))
        elif each.startswith(_NUMBER):
            found[_NUMBER] = None
        elif letters:
            found[folded(letters.group())] = None
        else:
            raise ValueError(f"{alternatives}: nothing tells what {each!r} begins with")
    return list(found)


def _split(alternatives: str) -> Iterator[str]:
    """What stands between the bars, those inside a group aside."""
    depth = begin = 0
    for place, char in enumerate(alternatives):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            yield alternatives[begin:place]
            begin = place + 1
    yield alternatives[begin:]


def _group_end(alternative: str) -> int:
    """Behind the bracket that closes the group that stands first."""
    depth = 0
    for place, char in enumerate(alternative):
        depth += (char == "(") - (char == ")")
        if not depth:
            return place + 1
    raise ValueError(f"{alternative}: a group is not closed")


def numbers_before(alternatives: str, reach: int) -> Places:
    """A function that gives the places of numbers with one of the words at most so many characters behind."""
    words = places_of_words(alternatives)

    def find_places(text: str) -> list[int]:
        numbers = digit_starts(text)
        return [
            number
            for word in words(text)
            for number in numbers[bisect_left(numbers, word - reach) : bisect_left(numbers, word)]
        ]

    return find_places


def places_of(mark: str) -> Places:
    """A function that gives the places of a mark."""
    pattern = re.compile(re.escape(mark))
    return lambda text: [match.start() for match in pattern.finditer(text)]


def _searchable(text: str) -> str:
    """A blank and the folded text, with nothing in it but letters, digits and blanks."""
    plain = folded(text)
    if not plain.isascii():
        # To `re` these are an s and an i in another case.
        plain = plain.replace("ſ", "s").replace("ı", "i").replace("I", "i")
        plain = _NO_LETTER.sub(" ", plain)
    return " " + plain
