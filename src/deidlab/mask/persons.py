"""Mentions of people (as facts) in, persons out: who is meant by each mention.

The rule, within one patient and one role: fuller mentions come first. A mention joins a person when they
share a family name (or, for a lone word, any name word) and nothing else about them disagrees: given
names, or their initials, middle names, and the gender that a title or the given name tells. A mention of
initials alone joins the person with these initials. Where several persons fit, the one named first in the
notes is meant; where none does, the mention is a person of its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deidlab.mask.facts import Fact, Part

_ANY = b"*"


@dataclass(slots=True)
class Person:
    """What all mentions of one person told: digests of words and of first letters, never text."""

    label: str
    first_seen: int
    given: Part | None = None
    middle: Part | None = None
    family: tuple[Part, ...] = ()
    gender: bytes = b""

    @property
    def anchor(self) -> bytes:
        """What stands for the person when something of it must be made up."""
        family = self.family[0] if self.family else None
        pieces = [_key(part) for part in (self.given, family) if part is not None]
        return b"|".join(pieces)


class _Index:
    """Persons by each of their words, and by the first letters of given and family name.

    Under each word a person stands once for every way in which a mention may fit it, the one named first on
    top, so that a lookup costs the same however many people share a family name.
    """

    def __init__(self) -> None:
        self._heaps: dict[tuple[object, ...], list[tuple[int, int, int]]] = {}
        self._versions: dict[int, int] = {}

    def add(self, number: int, person: Person) -> None:
        """Enter a person, or enter it again once a mention told more of it; what was entered is void then."""
        version = self._versions[number] = self._versions.get(number, 0) + 1
        entry = (person.first_seen, number, version)
        fits = [
            (given, middle, gender)
            for given in _states(person.given)
            for middle in _states(person.middle)
            for gender in {person.gender, _ANY}
        ]
        for word in _entry_words(person):
            for fit in fits:
                heapq.heappush(self._heaps.setdefault((person.label, word, *fit), []), entry)

    def find(self, mention: Person) -> int:
        """The person named first among those that agree with the mention; -1 where none does."""
        lone = len(mention.family) + (mention.given is not None) == 1 and mention.middle is None
        givens = ((),) if lone else _fitting(mention.given)
        middles = ((),) if lone else _fitting(mention.middle)
        genders = (mention.gender, b"") if mention.gender else (_ANY,)
        fits = [(g, m, gender) for g in givens for m in middles for gender in genders]
        tops = [self._top((mention.label, word, *fit)) for word in _lookup_words(mention) for fit in fits]
        return min((top for top in tops if top is not None), default=(0, -1))[1]

    def _top(self, key: tuple[object, ...]) -> tuple[int, int] | None:
        heap = self._heaps.get(key)
        while heap and self._versions[heap[0][1]] != heap[0][2]:
            heapq.heappop(heap)
        return heap[0][:2] if heap else None


def find_persons(facts: Iterable[Fact]) -> tuple[list[Person], dict[tuple[str, bytes], int]]:
    """The persons in order of their first mention, and the number (from 0) of the person of each mention."""
    first: dict[tuple[str, bytes], tuple[int, Fact]] = {}
    for order, fact in enumerate(facts):
        first.setdefault((fact.label, fact.mention), (order, fact))
    ordered = sorted(first.items(), key=lambda item: (-_fullness(item[1][1]), item[1][0]))
    persons: list[Person] = []
    meant: dict[tuple[str, bytes], int] = {}
    index = _Index()
    for key, (order, fact) in ordered:
        mention = _person_of(fact, order)
        number = index.find(mention)
        if number < 0:
            number = len(persons)
            persons.append(mention)
            index.add(number, mention)
        elif _merge(persons[number], mention):
            index.add(number, persons[number])
        meant[key] = number
    return _renumber(persons, meant)


def _renumber(
    persons: list[Person], meant: dict[tuple[str, bytes], int]
) -> tuple[list[Person], dict[tuple[str, bytes], int]]:
    order = sorted(range(len(persons)), key=lambda number: persons[number].first_seen)
    new = {old: number for number, old in enumerate(order)}
    return [persons[old] for old in order], {key: new[old] for key, old in meant.items()}


def _fullness(fact: Fact) -> int:
    roles = {part.role for part in fact.parts if part.word}
    if {"g", "f"} <= roles:
        return 4 + ("m" in roles)
    if "f" in roles:
        return 2 + any(part.role == "g" for part in fact.parts)
    return 1 if roles else 0


def _person_of(fact: Fact, order: int) -> Person:
    by_role: dict[str, list[Part]] = {"g": [], "m": [], "f": []}
    for part in fact.parts:
        by_role.get(part.role[-1:], by_role["f"]).append(part)
    given, middle = by_role["g"], by_role["m"]
    return Person(
        fact.label,
        order,
        given[0] if given else None,
        middle[0] if middle else None,
        tuple(by_role["f"]),
        fact.group,
    )


def _states(part: Part | None) -> tuple[tuple[object, ...], ...]:
    """The ways in which a person's name at one place can be asked for: () asks for any."""
    if part is None:
        return ((), ("none",))
    if part.word:
        return ((), ("word", part.word), ("letter of a word", part.initial))
    return ((), ("letter", part.initial))


def _fitting(part: Part | None) -> tuple[tuple[object, ...], ...]:
    """What a mention's name at one place fits: the same word, or the same letter where one has only that."""
    if part is None:
        return ((),)
    own = ("word", part.word) if part.word else ("letter of a word", part.initial)
    return (("none",), own, ("letter", part.initial))


def _entry_words(person: Person) -> set[object]:
    words: set[object] = set(_words(person))
    if person.given:
        words |= {(person.given.initial, family.initial) for family in person.family}
    return words


def _lookup_words(mention: Person) -> set[object]:
    parts = [part for part in (*mention.family, mention.given) if part is not None and part.word]
    if parts:
        # A family name decides alone; a given name is asked only where no family name was written.
        keys = parts if not mention.family or len(parts) == 1 else [p for p in parts if p in mention.family]
        return {part.word for part in keys}
    if mention.given and mention.family:
        return {(mention.given.initial, mention.family[-1].initial)}
    return set()


def _merge(person: Person, mention: Person) -> bool:
    """Add to a person what the mention tells; whether that was anything new."""
    before = (person.first_seen, person.gender, person.given, person.middle, person.family)
    person.first_seen = min(person.first_seen, mention.first_seen)
    person.gender = person.gender or mention.gender
    words = _words(person)
    if mention.given and mention.given.word not in words:
        person.given = _fuller(person.given, mention.given)
    person.middle = _fuller(person.middle, mention.middle)
    if not person.family and mention.family and mention.family[0].word not in words:
        person.family = mention.family
    return before != (person.first_seen, person.gender, person.given, person.middle, person.family)


def _words(person: Person) -> Sequence[bytes]:
    parts = (person.given, person.middle, *person.family)
    return [part.word for part in parts if part is not None and part.word]


def _fuller(one: Part | None, other: Part | None) -> Part | None:
    if one is None or (other is not None and other.word and not one.word):
        return other
    return one


def _key(part: Part) -> bytes:
    return part.word or part.initial
