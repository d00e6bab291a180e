"""Patterns and what they begin with in, their matches in a text out: the same that a search for each finds.

A search tries its pattern at every character, and most of the time of rules that go by words went into that.
Here all words that patterns begin with are found in one pass, and each is tried where one of its own stands.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """Several patterns, each with what its matches begin with: alternatives as they stand in it, and functions.

    Of `hij[oa]s?|madre` the first letters count, in any case and with accents or without; they begin where no
    letter, digit or underscore stands before. The alternative `\\d` is a number. A function gives the places of
    a text where matches may begin.
    """

    def __init__(self, *patterns: tuple[re.Pattern[str], *tuple[str | Places, ...]]) -> None:
        self._patterns = [pattern for pattern, *_ in patterns]
        self._owners: dict[str, list[int]] = {}
        self._functions: list[tuple[Places, int]] = []
        for number, (_, *openings) in enumerate(patterns):
            for opening in openings:
                self._add(number, opening)
        self._automaton = functools.cache(self._make_automaton)

    def _add(self, number: int, opening: str | Places) -> None:
        if not isinstance(opening, str):
            self._functions.append((opening, number))
            return
        for letters in first_letters(opening):
            if letters == _NUMBER:
                self._functions.append((digit_starts, number))
            else:
                self._owners.setdefault(letters, []).append(number)

    def find(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Each pattern's number and its matches, pattern by pattern."""
        for number, places in enumerate(self._places(text)):
            for match in scan(self._patterns[number], text, sorted(places)):
                yield number, match

    def _places(self, text: str) -> list[list[int]]:
        """For each pattern, where a match of it may begin."""
        places: list[list[int]] = [[] for _ in self._patterns]
        for function, number in self._functions:
            places[number] += function(text)
        if self._owners:
            owners = tuple(self._owners.values())
            found = self._automaton().find_matches_as_indexes(_searchable(text), overlapping=True)
            for index, start, _ in found:
                for number in owners[index]:
                    places[number].append(start)
        return places

    def _make_automaton(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick, Implementation

        # A blank in front makes every match start at a word, at no cost.
        return AhoCorasick([" " + word for word in self._owners], implementation=Implementation.DFA)


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


def places_of(mark: str) -> Places:
    """A function that gives the places of a mark."""
    pattern = re.compile(re.escape(mark))
    return lambda text: [match.start() for match in pattern.finditer(text)]


@functools.lru_cache(maxsize=2)
def _searchable(text: str) -> str:
    """A blank and the folded text, with nothing in it but letters, digits and blanks."""
    plain = folded(text)
    if not plain.isascii():
        # To `re` these are an s and an i in another case.
        plain = plain.replace("ſ", "s").replace("ı", "i").replace("I", "i")
        plain = _NO_LETTER.sub(" ", plain)
    return " " + plain
