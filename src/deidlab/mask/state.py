"""The facts of all notes of one patient in, what must be settled once a patient out.

A `PatientState` numbers the tags, tells which person each mention means, and lists the digests of real name
words and of places, all in the order of the notes. It holds keyed digests only, so it can be stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from deidlab.mask.facts import Fact, Part, pack_facts, unpack_facts
from deidlab.mask.persons import Person, find_persons


@dataclass(frozen=True, slots=True)
class PatientState:
    """Built by `from_facts`; `facts` are what it was built from, each once, and all that needs storing."""

    facts: tuple[Fact, ...] = field(repr=False)
    numbers: dict[tuple[str, bytes], int] = field(repr=False, compare=False)
    persons: tuple[Person, ...] = field(repr=False, compare=False)
    meant: dict[tuple[str, bytes], int] = field(repr=False, compare=False)
    real_words: frozenset[bytes] = field(repr=False, compare=False)
    years: tuple[bytes, ...] = field(repr=False, compare=False)
    is_old: bool = field(repr=False, compare=False)
    language: str = field(default="", repr=False, compare=False)
    """That of the first note that told one, where notes tell theirs."""

    @classmethod
    def from_facts(cls, facts: Iterable[Fact | tuple[Fact, ...]]) -> PatientState:
        """The state of a patient from the facts of its notes, in the order of the notes' ids.

        The facts may come note by note (a sequence of tuples) or all in a row.
        """
        kept = tuple(dict.fromkeys(_flat(facts)))
        named = [fact for fact in kept if fact.kind == "name"]
        persons, meant = find_persons(named)
        return cls(
            kept,
            _number(kept, persons, meant),
            tuple(persons),
            meant,
            frozenset(part.word for part in name_parts(named) if part.word),
            tuple(fact.mention for fact in kept if fact.kind == "year"),
            any(fact.kind == "old" for fact in kept),
            next((fact.label for fact in kept if fact.kind == "language"), ""),
        )

    def to_bytes(self) -> bytes:
        return pack_facts(self.facts)

    @classmethod
    def from_bytes(cls, data: bytes) -> PatientState:
        return cls.from_facts(unpack_facts(data))

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return PatientState.from_bytes, (self.to_bytes(),)


def name_parts(facts: Iterable[Fact]) -> Iterable[Part]:
    return (part for fact in facts for part in fact.parts)


def _flat(facts: Iterable[Fact | tuple[Fact, ...]]) -> Iterable[Fact]:
    for item in facts:
        if isinstance(item, Fact):
            yield item
        else:
            yield from item


def _number(
    facts: Iterable[Fact], persons: list[Person], meant: dict[tuple[str, bytes], int]
) -> dict[tuple[str, bytes], int]:
    """Numbers from 1 on for each label, in the order of first mention."""
    numbers: dict[tuple[str, bytes], int] = {}
    given: dict[tuple[str, object], int] = {}
    counts: dict[str, int] = {}
    for fact in facts:
        if fact.kind in ("year", "old", "seat", "gender", "language"):
            continue
        key = (fact.label, fact.mention)
        thing = (fact.label, meant[key] if fact.kind == "name" else fact.mention)
        if thing not in given:
            counts[fact.label] = counts.get(fact.label, 0) + 1
            given[thing] = counts[fact.label]
        numbers[key] = given[thing]
    return numbers
