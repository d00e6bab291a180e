"""Who and what a patient's notes are about: people, places and numbers that stay the same in all of them."""

from __future__ import annotations

import random
from datetime import date, timedelta

from deidlab.errors import ConfigError
from deidlab.make.headers import read_days
from deidlab.make.pen import Pen
from deidlab.make.subjects import Person, Town
from deidlab.make.world import ENGLISH, World

_STAFF_ROLES = ("attending", "pcp", "referrer", "consultant", "second", "nurse", "therapist", "resident")
_FIRST_DAY = date(1990, 1, 1).toordinal()
_LAST_DAY = date(2090, 12, 31).toordinal()


class Cast:
    """One patient and all that belongs to him or her.

    What is asked for the first time is made then, from the patient's own chance: so a note that asks for
    less changes nothing for the others. `day` is the day of the note that is being written; `written` is what
    rules have written that is the patient's own.
    """

    def __init__(self, key: str, world: World = ENGLISH, country: str = "") -> None:
        self._key, self._world = key, world
        self.country: str = world.countries[0]
        start = self._pen("start")
        drawn = start.pick(world.countries)
        self.country = country or drawn
        self.sex: str = start.pick("mf")
        self.age: int = _make_age(start)
        self.day: date = date.fromordinal(start.number(_FIRST_DAY, _LAST_DAY))
        self.first_day = self.day
        self.born: date = self.day - timedelta(days=int(self.age * 365.25) + start.number(1, 360))
        self.date_style = start.pick(world.date_styles(self.country))
        self.written: dict[str, str] = {}
        self._people: dict[str, Person] = {}
        self._facts: dict[str, str] = {}
        self._towns: dict[str, Town] = {}

    def _pen(self, what: str) -> Pen:
        return Pen(random.Random(f"{self._key}/{what}"), self)

    @property
    def patient(self) -> Person:
        return self._person("patient", self.sex)

    def relative(self, relation: str, sex: str) -> Person:
        return self._person(f"kin {relation}", sex, self.patient.family)

    def staff(self, role: str) -> Person:
        return self._person(f"staff {role}")

    def some_staff(self, pen: Pen) -> Person:
        return self.staff(pen.pick(_STAFF_ROLES))

    def _person(self, role: str, sex: str = "", family: str = "") -> Person:
        if role not in self._people:
            self._people[role] = self._world.person(self._pen(role), sex, family)
        return self._people[role]

    @property
    def town(self) -> Town:
        if "home" not in self._towns:
            self._towns["home"] = self._world.town(self._pen("town"), self.country)
        return self._towns["home"]

    def fact(self, what: str) -> str:
        """One of the patient's own: hospital, street, postcode, phone, or an id by its label."""
        if what not in self._facts:
            self._facts[what] = self._world.fact(self._pen(what), what)
        return self._facts[what]

    def somebody(self, pen: Pen, role: str) -> Person:
        """A person in a role, as rules name it."""
        kind, _, sex = role.partition(".")
        if kind == "patient":
            return self.patient
        if kind == "staff":
            return self.some_staff(pen)
        if kind == "kin":
            return self.relative(f"{sex}{pen.number(1, 3)}", sex)
        if kind in ("other", "child"):
            return self._world.person(pen, sex, "")
        raise ConfigError(f"grammar: nobody is in the role {role}")

    def some_day(self, pen: Pen, when: str) -> date:
        """A day, as rules name it."""
        if when in ("visit", "born"):
            return self.day if when == "visit" else self.born
        days = read_days(when)
        if days is None:
            raise ConfigError(f"grammar: {when} is no day")
        return self.day + timedelta(days=pen.number(*days))

    def some_town(self, pen: Pen, where: str) -> Town:
        """A town, as rules name it."""
        return self.town if where == "home" else self._world.town(pen, self.country)


def _make_age(pen: Pen) -> int:
    kind = pen.draw()
    if kind < 0.08:
        return pen.number(0, 12)
    if kind < 0.14:
        return pen.number(13, 19)
    if kind < 0.55:
        return pen.number(20, 64)
    return pen.number(65, 89) if kind < 0.95 else pen.number(90, 103)
