"""The first line of a rule in, what surrounds the rule out: a label, and whom and what its words are about.

    == phone = PHONE shaped own

`= LABEL` makes one span of all that the rule writes. `of ROLE` lets names and endings in it be those of a
person (patient, staff, kin.m, kin.f, other, child), `on WHEN` days those of a day (visit, born, or `-14..0`
days from the note's), `at PLACE` towns those of a place (home or any). In a `shaped` rule # is a digit and @
a letter, and nothing else has a meaning. What is `own` is written once for a patient and then kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from deidlab.errors import ConfigError
from deidlab.make.pen import Pen

Slot = Callable[[Pen], None]
_FLAGS = ("shaped", "own")
_ASKS = ("=", "of", "on", "at")
_DAYS = re.compile(r"(-?\d+)\.\.(-?\d+)")


@dataclass(frozen=True, slots=True)
class Header:
    """What surrounds a rule; an empty field changes nothing."""

    name: str
    label: str = ""
    role: str = ""
    day: str = ""
    place: str = ""
    shaped: bool = False
    own: bool = False

    def wrap(self, write: Slot) -> Slot:
        """The rule with all that its first line asks for."""
        if self.own:
            write = self._kept(write)
        if self.role or self.day or self.place:
            write = self._in_scene(write)
        return self._labelled(write) if self.label else write

    def _labelled(self, write: Slot) -> Slot:
        def labelled(pen: Pen) -> None:
            pen.put(pen.aside(write), self.label)

        return labelled

    def _in_scene(self, write: Slot) -> Slot:
        def in_scene(pen: Pen) -> None:
            before, cast = pen.scene, pen.cast
            pen.scene = replace(
                before,
                person=cast.somebody(pen, self.role) if self.role else before.person,
                day=cast.some_day(pen, self.day) if self.day else before.day,
                town=cast.some_town(pen, self.place) if self.place else before.town,
            )
            try:
                write(pen)
            finally:
                pen.scene = before

        return in_scene

    def _kept(self, write: Slot) -> Slot:
        def kept(pen: Pen) -> None:
            facts = pen.cast.written
            if self.name not in facts:
                facts[self.name] = pen.aside(write)
            pen.put(facts[self.name])

        return kept


def read_header(line: str) -> Header:
    """`== name = LABEL of ROLE …` as a header."""
    name, *rest = line[3:].split()
    found: dict[str, str] = {}
    flags = dict.fromkeys(_FLAGS, False)
    words = iter(rest)
    for word in words:
        if word in flags:
            flags[word] = True
        elif word in _ASKS and (value := next(words, "")):
            found[word] = value
        else:
            raise ConfigError(f"grammar, rule {name}: {word} means nothing in its first line")
    label, role, day, place = (found.get(ask, "") for ask in _ASKS)
    return Header(name, label, role, day, place, flags["shaped"], flags["own"])


def read_days(when: str) -> tuple[int, int] | None:
    """`-14..0` as two numbers of days; None where it is no such thing."""
    match = _DAYS.fullmatch(when)
    return (int(match[1]), int(match[2])) if match else None
