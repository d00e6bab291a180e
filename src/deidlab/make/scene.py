"""Slots that write of whom, which day and which town a rule is about: names, figures of a date, a postcode.

A rule's first line sets the scene (`deidlab.make.headers`); from these pieces a language's grammar puts
names, dates and addresses together in its own ways.
"""

from __future__ import annotations

from collections.abc import Callable

from deidlab.languages.calendar import Calendar
from deidlab.make.grammar import Slot
from deidlab.make.names import first_family, without_accents
from deidlab.make.pen import Pen
from deidlab.make.subjects import Person
from deidlab.make.world import World


def scene_slots(calendar: Calendar, world: World) -> dict[str, Slot]:
    """All of them, by name."""
    return {**_NAMES, **_DATES, **_calendar_slots(calendar), **_PLACES, **_others(world)}


def _of_person(part: Callable[[Person], str]) -> Slot:
    return lambda pen: pen.put(part(pen.person))


def _ascii(name: str) -> str:
    return "".join(
        letter for letter in without_accents(name).lower() if letter.isascii() and letter.isalpha()
    )


def _initials(person: Person) -> str:
    return "".join(word[0] for word in f"{person.given} {person.family}".split() if word[0].isupper())


_NAMES: dict[str, Slot] = {
    "given": _of_person(lambda person: person.given),
    "middle": _of_person(lambda person: person.middle or person.given),
    "family": _of_person(lambda person: person.family),
    "family.first": _of_person(lambda person: first_family(person.family)),
    "given.upper": _of_person(lambda person: person.given.upper()),
    "family.upper": _of_person(lambda person: person.family.upper()),
    "given.initial": _of_person(lambda person: person.given[:1]),
    "family.initial": _of_person(lambda person: person.family[:1]),
    "initials": _of_person(_initials),
    "given.ascii": _of_person(lambda person: _ascii(person.given.split(" ")[0]) or "a"),
    "family.ascii": _of_person(lambda person: _ascii(first_family(person.family)) or "b"),
}


def _figures(form: str) -> Slot:
    def write(pen: Pen) -> None:
        day = pen.day
        pen.put(form.format(d=day.day, m=day.month, y=day.year, yy=day.year % 100))

    return write


_DATES: dict[str, Slot] = {
    "d": _figures("{d}"),
    "dd": _figures("{d:02d}"),
    "m": _figures("{m}"),
    "mm": _figures("{m:02d}"),
    "y": _figures("{y}"),
    "yy": _figures("{yy:02d}"),
    "years": lambda pen: pen.put(str(pen.cast.age)),
}


def _calendar_slots(calendar: Calendar) -> dict[str, Slot]:
    weekdays = tuple(dict.fromkeys(map(without_accents, calendar.weekdays)))
    accented = {without_accents(name): name for name in reversed(calendar.weekdays)}
    return {
        "month": lambda pen: pen.put(calendar.months[pen.day.month - 1]),
        "mon": lambda pen: pen.put(calendar.short_months[pen.day.month - 1]),
        "weekday": lambda pen: pen.put(accented[weekdays[pen.day.weekday()]]),
        "season": lambda pen: pen.put(pen.pick(calendar.seasons)),
        "feast": lambda pen: pen.put(pen.pick(calendar.feasts)),
    }


_PLACES: dict[str, Slot] = {
    "town": lambda pen: pen.put(pen.town.name),
    "region": lambda pen: pen.put(pen.town.region_name),
    "region.short": lambda pen: pen.put(pen.town.region),
    "postcode": lambda pen: pen.put(pen.fill(pen.town.postcode)),
    "area": lambda pen: pen.put(pen.town.area_code),
}


def _others(world: World) -> dict[str, Slot]:
    """Names that things are called after."""
    return {
        "any.family": lambda pen: pen.put(first_family(world.person(pen, "", "").family)),
        "any.family.ascii": lambda pen: pen.put(
            _ascii(first_family(world.person(pen, "", "").family)) or "c"
        ),
        "any.given": lambda pen: pen.put(world.person(pen, "", "").given),
        "any.town": lambda pen: pen.put(world.town(pen, pen.cast.country).name),
        "digit": lambda pen: pen.put(str(pen.number(0, 9))),
        "letter": lambda pen: pen.put(pen.letters(1)),
    }
