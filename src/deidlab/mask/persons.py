"""Mentions of people (as facts) in, persons out: who is meant by each mention.

The rule, within one patient and one role: fuller mentions come first. A mention joins a person when they
share a family name (or, for a lone word, any name word) and nothing else about them disagrees: given
names, or their initials, middle names, and the gender that a title or the given name tells. A mention of
initials alone joins the person with these initials. Where several persons fit, the one named first in the
notes is meant; where none does, the mention is a person of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deidlab.mask.facts import Fact, Part


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


@dataclass(slots=True)
class _Index:
    """Persons by each word digest, and by the first letters of given and family name."""

    words: dict[tuple[str, bytes], list[int]] = field(default_factory=dict)
    initials: dict[tuple[str, bytes, bytes], list[int]] = field(default_factory=dict)

    def add(self, number: int, person: Person) -> None:
        parts = [part for part in (person.given, person.middle, *person.family) if part is not None]
        for part in parts:
            if part.word:
                _note(self.words.setdefault((person.label, part.word), []), number)
        if person.given:
            for family in person.family:
                pair = (person.label, person.given.initial, family.initial)
                _note(self.initials.setdefault(pair, []), number)


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
        number = next((n for n in _candidates(index, persons, mention) if _agree(persons[n], mention)), -1)
        if number < 0:
            number = len(persons)
            persons.append(mention)
        else:
            _merge(persons[number], mention)
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


def _candidates(index: _Index, persons: list[Person], mention: Person) -> list[int]:
    parts = [part for part in (*mention.family, mention.given) if part is not None and part.word]
    if parts:
        # A family name decides alone; a given name is asked only where no family name was written.
        keys = parts if not mention.family or len(parts) == 1 else [p for p in parts if p in mention.family]
        found = {n for part in keys for n in index.words.get((mention.label, part.word), ())}
    elif mention.given and mention.family:
        pair = (mention.label, mention.given.initial, mention.family[-1].initial)
        found = set(index.initials.get(pair, ()))
    else:
        found = set()
    return sorted(found, key=lambda number: persons[number].first_seen)


def _agree(person: Person, mention: Person) -> bool:
    if person.gender and mention.gender and person.gender != mention.gender:
        return False
    lone = len(mention.family) + (mention.given is not None) == 1 and mention.middle is None
    if lone:
        return True
    return _fit(person.given, mention.given) and _fit(person.middle, mention.middle)


def _fit(one: Part | None, other: Part | None) -> bool:
    if one is None or other is None:
        return True
    if one.word and other.word:
        return one.word == other.word
    return one.initial == other.initial


def _merge(person: Person, mention: Person) -> None:
    person.first_seen = min(person.first_seen, mention.first_seen)
    person.gender = person.gender or mention.gender
    words = _words(person)
    if mention.given and mention.given.word not in words:
        person.given = _fuller(person.given, mention.given)
    person.middle = _fuller(person.middle, mention.middle)
    if not person.family and mention.family and mention.family[0].word not in words:
        person.family = mention.family


def _words(person: Person) -> Sequence[bytes]:
    parts = (person.given, person.middle, *person.family)
    return [part.word for part in parts if part is not None and part.word]


def _fuller(one: Part | None, other: Part | None) -> Part | None:
    if one is None or (other is not None and other.word and not one.word):
        return other
    return one


def _key(part: Part) -> bytes:
    return part.word or part.initial


def _note(numbers: list[int], number: int) -> None:
    if number not in numbers:
        numbers.append(number)
