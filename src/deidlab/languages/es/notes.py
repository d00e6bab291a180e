"""What Spanish notes are made with, for `corpus make`: a small grammar, and slots of their own.

Far fewer kinds of note and ways to say things than in English: enough to try a pipeline, not to train a
model that is to replace one trained on real notes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from importlib import resources
from typing import TYPE_CHECKING

from deidlab.banks import countries, name_pool, professions, spain, stems
from deidlab.languages.es.calendar import CALENDAR
from deidlab.languages.language import MadeNotes
from deidlab.rules.wordlists import read_table

if TYPE_CHECKING:
    from deidlab.make.pen import Pen

    Slot = Callable[[Pen], None]

_FOLDER = "deidlab.languages.es"
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"


def made_notes() -> MadeNotes:
    """Its labels and slots, and the grammar that they stand in."""
    table = read_table(_FOLDER, "notes.toml")
    grammar = resources.files(_FOLDER).joinpath("notes.txt").read_text("utf-8")
    return MadeNotes(table["labels"], table["prefix"], grammar, SLOTS)


def _words(name: str) -> tuple[str, ...]:
    return tuple(read_table(_FOLDER, "notes.toml")[name])


def _given(pen: Pen) -> str:
    return pen.pick(name_pool("hispanic", pen.cast.sex))


def _family(pen: Pen) -> str:
    names = name_pool("hispanic", "family")
    return f"{pen.pick(names)} {pen.pick(names)}" if pen.often(0.75) else pen.pick(names)


def _street(pen: Pen) -> str:
    name = pen.pick(stems("es")) if pen.often(0.4) else pen.pick(name_pool("hispanic", "family"))
    text = f"{pen.pick(_words('ways'))} {pen.pick(('', 'de ', 'del ', ''))}{name}, {pen.number(1, 180)}"
    return text + (f", {pen.number(1, 9)}{pen.pick(('º A', 'º B', 'º C', 'º'))}" if pen.often(0.3) else "")


def _town(pen: Pen) -> tuple[str, str]:
    places = spain().regions
    region = pen.pick(tuple(places))
    place = pen.pick(places[region])
    return place.town, f"{place.postcode}{pen.number(0, 999):03d}"


def _date(pen: Pen) -> str:
    when: date = pen.cast.day - timedelta(days=pen.number(0, 400))
    return _format(pen, when)


def _format(pen: Pen, when: date) -> str:
    kind = pen.draw()
    if kind < 0.6:
        return f"{when.day:02d}/{when.month:02d}/{when.year}"
    if kind < 0.85:
        return f"{when.day} de {CALENDAR.months[when.month - 1]} de {when.year}"
    return f"{when.day:02d}-{when.month:02d}-{when.year}"


def _hospital(pen: Pen) -> str:
    name = pen.pick(_words("hospitals"))
    return f"{pen.pick(_words('hospital_kinds'))} {name if pen.often(0.4) else 'de ' + _town(pen)[0]}"


def _firm(pen: Pen) -> str:
    return f"{pen.pick(_words('firms'))} {pen.pick(stems('es'))}"


def _dni(pen: Pen) -> str:
    number = pen.number(10_000_000, 79_999_999)
    return f"{number}{pen.pick(('', '-'))}{_DNI[number % 23]}"


def _phone(pen: Pen) -> str:
    return f"{pen.pick(('6', '9', '7'))}{pen.digits(2)} {pen.digits(3)} {pen.digits(3)}"


def _email(pen: Pen) -> str:
    name = "".join(c for c in _given(pen).lower() if "a" <= c <= "z") or "info"
    return f"{name}{pen.digits(2)}@{pen.pick(_words('domains'))}"


def _marked(make: Callable[[Pen], str], label: str) -> Slot:
    return lambda pen: pen.put(make(pen), label)


SLOTS: dict[str, Slot] = {
    "e.given": _marked(_given, "NOMBRE_SUJETO_ASISTENCIA"),
    "e.family": _marked(_family, "NOMBRE_SUJETO_ASISTENCIA"),
    "e.full": _marked(lambda pen: f"{_given(pen)} {_family(pen)}", "NOMBRE_SUJETO_ASISTENCIA"),
    "e.doctor": _marked(lambda pen: f"{_given(pen)} {_family(pen)}", "NOMBRE_PERSONAL_SANITARIO"),
    "e.nhc": _marked(lambda pen: pen.digits(pen.number(6, 8)), "ID_SUJETO_ASISTENCIA"),
    "e.dni": _marked(_dni, "ID_SUJETO_ASISTENCIA"),
    "e.nass": _marked(lambda pen: pen.fill("## ######## ##"), "ID_ASEGURAMIENTO"),
    "e.episode": _marked(lambda pen: pen.digits(8), "ID_CONTACTO_ASISTENCIAL"),
    "e.licence": _marked(lambda pen: pen.fill("## ## #####"), "ID_TITULACION_PERSONAL_SANITARIO"),
    "e.street": _marked(_street, "CALLE"),
    "e.town": _marked(lambda pen: _town(pen)[0], "TERRITORIO"),
    "e.cp": _marked(lambda pen: _town(pen)[1], "TERRITORIO"),
    "e.country": _marked(lambda pen: "España" if pen.often(0.7) else pen.pick(countries()), "PAIS"),
    "e.born": _marked(lambda pen: _format(pen, pen.cast.born), "FECHAS"),
    "e.date": _marked(_date, "FECHAS"),
    "e.year": _marked(lambda pen: str(pen.cast.day.year - pen.number(1, 30)), "FECHAS"),
    "e.age": _marked(lambda pen: f"{pen.cast.age} años", "EDAD_SUJETO_ASISTENCIA"),
    "e.agebare": lambda pen: pen.put(f"{pen.number(40, 95)} años"),
    "e.sex": _marked(
        lambda pen: pen.pick(("H", "V", "varón", "hombre") if pen.cast.sex == "m" else ("M", "mujer")),
        "SEXO_SUJETO_ASISTENCIA",
    ),
    "e.sexword": _marked(lambda pen: "Varón" if pen.cast.sex == "m" else "Mujer", "SEXO_SUJETO_ASISTENCIA"),
    "e.kin": _marked(lambda pen: pen.pick(_words("kin")), "FAMILIARES_SUJETO_ASISTENCIA"),
    "e.job": _marked(lambda pen: pen.pick(professions("es")), "PROFESION"),
    "e.org": _marked(_firm, "INSTITUCION"),
    "e.hospital": _marked(_hospital, "HOSPITAL"),
    "e.phone": _marked(_phone, "NUMERO_TELEFONO"),
    "e.fax": _marked(_phone, "NUMERO_FAX"),
    "e.email": _marked(_email, "CORREO_ELECTRONICO"),
}
