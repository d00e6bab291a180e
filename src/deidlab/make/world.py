"""Where a cast comes from: who is born there, which towns there are, what numbers and houses look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deidlab.make.dates import styles_of
from deidlab.make.names import make_person
from deidlab.make.numbers import make_id, make_phone
from deidlab.make.organisations import make_hospital
from deidlab.make.pen import Pen
from deidlab.make.places import make_postcode, make_street, make_town
from deidlab.make.subjects import Person, Town


@dataclass(frozen=True, slots=True)
class World:
    """What is made for a cast. A country is drawn as often as it stands in `countries`.

    `person` takes a sex and a family name, either of which may be empty; `fact` the name of one of the
    patient's own things, which only the first language's slots ask for: others keep what rules wrote.
    """

    countries: tuple[str, ...]
    person: Callable[[Pen, str, str], Person]
    town: Callable[[Pen, str], Town]
    fact: Callable[[Pen, str], str] = lambda pen, what: ""
    date_styles: Callable[[str], tuple[str, ...]] = lambda country: ("",)


def _english_fact(pen: Pen, what: str) -> str:
    """Hospital, street, postcode, phone, or an id by its label."""
    cast = pen.cast
    if what.startswith("hospital"):
        return make_hospital(pen, cast.country)
    if what == "street":
        return make_street(pen, cast.country)
    if what == "postcode":
        return make_postcode(pen, cast.country, cast.town.postcode)
    if what.startswith("phone"):
        return make_phone(pen, cast.town.area_code)
    return make_id(pen, what)


ENGLISH = World(
    ("US",) * 58 + ("UK",) * 13 + ("CA",) * 10 + ("AU",) * 7 + ("IE",) * 5 + ("IN",) * 5 + ("NZ",) * 2,
    make_person,
    make_town,
    _english_fact,
    styles_of,
)
"""The world of the first language's notes."""
