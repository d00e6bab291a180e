"""What a note is written with: text goes in piece by piece, marked or not; text and spans come out.

All chance comes from one seeded generator, so that the same seed writes the same note on any machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from deidlab.make.subjects import Person, Town

Item = TypeVar("Item")
Part = tuple[str, str]
"""A piece of text and its label; the label is empty where the piece is no PHI."""

GROWN = 15
"""From this age on a patient is a man or a woman, not a boy or a girl."""
_VOWELS = frozenset("aeiouAEIOU8")


@dataclass(frozen=True, slots=True)
class Scene:
    """Whom, which day and which town the words are about just now; None: the patient, the visit, home."""

    person: Person | None = None
    day: date | None = None
    town: Town | None = None


class Subject(Protocol):
    """Whom a note is about, and all that belongs to them; `Cast` makes it up as notes ask for it."""

    country: str
    sex: str
    age: int
    day: date
    born: date
    date_style: str
    written: dict[str, str]

    @property
    def patient(self) -> Person: ...

    @property
    def town(self) -> Town: ...

    def relative(self, relation: str, sex: str) -> Person: ...

    def staff(self, role: str) -> Person: ...

    def some_staff(self, pen: Pen) -> Person: ...

    def fact(self, what: str) -> str: ...

    def somebody(self, pen: Pen, role: str) -> Person: ...

    def some_day(self, pen: Pen, when: str) -> date: ...

    def some_town(self, pen: Pen, where: str) -> Town: ...


class Pen:
    """Writes one note about one cast; `parts` is what has been written so far."""

    def __init__(self, chance: random.Random, cast: Subject) -> None:
        self.chance, self.cast = chance, cast
        self.draw = chance.random
        self.parts: list[Part] = []
        self.scene = Scene()
        self._capital = False
        self._article = False

    @property
    def person(self) -> Person:
        return self.scene.person or self.cast.patient

    @property
    def day(self) -> date:
        return self.scene.day or self.cast.day

    @property
    def town(self) -> Town:
        return self.scene.town or self.cast.town

    def traits(self) -> frozenset[str]:
        """What ways of a rule may be kept for: the country, the person's sex, and whether that is a child."""
        person = self.person
        young = person is self.cast.patient and self.cast.age < GROWN
        return frozenset({self.cast.country, person.sex, "child" if young else "adult"})

    def aside(self, write: Callable[[Pen], None]) -> str:
        """What is written, as text that does not stand in the note yet."""
        before, self.parts = self.parts, []
        try:
            write(self)
            return "".join(text for text, _ in self.parts)
        finally:
            self.parts = before

    def put(self, text: str, label: str = "") -> None:
        """Write a piece of text, as PHI of a label where one is given."""
        if not text:
            return
        if self._article:
            self._article = False
            article = "an " if text[0] in _VOWELS else "a "
            self.parts.append((article.capitalize() if self._capital else article, ""))
            self._capital = False
        if self._capital:
            text = text[0].upper() + text[1:]
            self._capital = False
        if self.parts and text[0] in " .,;" and self.parts[-1][0].endswith(" "):
            text = self._tidy(text)
        if text:
            self.parts.append((text, label))

    def _tidy(self, text: str) -> str:
        """Empty choices of a grammar leave two spaces, or one before a full stop: the text without."""
        if text[0] == " ":
            return text[1:] if not text.startswith("  ") else text
        before, label = self.parts[-1]
        if not label and not before.endswith("  "):
            self.parts[-1] = (before[:-1], label)
            if before == " ":
                self.parts.pop()
        return text

    def capitalise(self) -> None:
        """Let the next piece start with a capital."""
        self._capital = True

    def begin_article(self) -> None:
        """Write 'a' or 'an' before the next piece, whichever it takes."""
        self._article = True

    def pick(self, items: Sequence[Item]) -> Item:
        return items[int(self.draw() * len(items))]

    def often(self, share: float) -> bool:
        """True in that share of the cases."""
        return self.draw() < share

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.draw() * (high - low + 1))

    def digits(self, n: int) -> str:
        """n digits, the first not 0."""
        return str(self.number(10 ** (n - 1), 10**n - 1)) if n else ""

    def letters(self, n: int) -> str:
        return "".join(self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n))

    def fill(self, shape: str) -> str:
        """A digit for every #, a letter for every @ of the shape."""
        draw = self.draw
        return "".join(
            str(int(draw() * 10)) if sign == "#" else self.letters(1) if sign == "@" else sign
            for sign in shape
        )

    def take(self) -> list[Part]:
        """What has been written since the last time, which is then forgotten."""
        parts, self.parts = self.parts, []
        return parts
