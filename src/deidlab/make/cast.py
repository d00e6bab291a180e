"""Who and what a patient's notes are about: people, places and numbers that stay the same in all of them."""

from __future__ import annotations

import random
from datetime import date, timedelta

from deidlab.make.dates import styles_of
from deidlab.make.names import Person, make_person
from deidlab.make.numbers import make_id, make_phone
from deidlab.make.organisations import make_hospital
from deidlab.make.pen import Pen
from deidlab.make.places import Town, make_postcode, make_street, make_town

_COUNTRIES = (
    ("US",) * 58 + ("UK",) * 13 + ("CA",) * 10 + ("AU",) * 7 + ("IE",) * 5 + ("IN",) * 5 + ("NZ",) * 2
)
_STAFF_ROLES = ("attending", "pcp", "referrer", "consultant", "second", "nurse", "therapist", "resident")
_FIRST_DAY = date(1990, 1, 1).toordinal()
_LAST_DAY = date(2090, 12, 31).toordinal()


class Cast:
    """One patient and all that belongs to him or her.

    What is asked for the first time is made then, from the patient's own chance: so a note that asks for
    less changes nothing for the others. `day` is the day of the note that is being written.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self.country = "US"
        start = self._pen("start")
        self.country = start.pick(_COUNTRIES)
        self.sex = start.pick("mf")
        self.age = _make_age(start)
        self.day = date.fromordinal(start.number(_FIRST_DAY, _LAST_DAY))
        self.first_day = self.day
        self.born = self.day - timedelta(days=int(self.age * 365.25) + start.number(1, 360))
        self.date_style = start.pick(styles_of(self.country))
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
            self._people[role] = make_person(self._pen(role), sex, family)
        return self._people[role]

    @property
    def town(self) -> Town:
        if "home" not in self._towns:
            self._towns["home"] = make_town(self._pen("town"), self.country)
        return self._towns["home"]

    def fact(self, what: str) -> str:
        """One of the patient's own: hospital, street, postcode, phone, or an id by its label."""
        if what not in self._facts:
            self._facts[what] = self._make_fact(what)
        return self._facts[what]

    def _make_fact(self, what: str) -> str:
        pen = self._pen(what)
        if what.startswith("hospital"):
            return make_hospital(pen, self.country)
        if what == "street":
            return make_street(pen, self.country)
        if what == "postcode":
            return make_postcode(pen, self.country, self.town.postcode)
        if what.startswith("phone"):
            return make_phone(pen, self.town.area_code)
        return make_id(pen, what)


def _make_age(pen: Pen) -> int:
    kind = pen.draw()
    if kind < 0.08:
        return pen.number(0, 12)
    if kind < 0.14:
        return pen.number(13, 19)
    if kind < 0.55:
        return pen.number(20, 64)
    return pen.number(65, 89) if kind < 0.95 else pen.number(90, 103)
