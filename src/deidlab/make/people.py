"""Slots that write patients and those close to them, in the ways in which notes name them."""

from __future__ import annotations

from collections.abc import Callable

from deidlab.make.grammar import Slot
from deidlab.make.lists import table, words
from deidlab.make.names import make_given_name, make_person
from deidlab.make.pen import Pen
from deidlab.make.subjects import Person

_RELATIONS = table("people", "relations")
_TITLES = table("people", "titles")
_ONES = words("numbers_ones")
_TENS = words("numbers_tens")


def say_number(pen: Pen, age: int) -> None:
    """An age, in digits or, seldom, in words."""
    if pen.draw() < 0.93 or age > 99:
        pen.put(str(age), "AGE")
        return
    words = _ONES[age] if age < 20 else _TENS[age // 10 - 2] + (f"-{_ONES[age % 10]}" if age % 10 else "")
    pen.put(words, "AGE")


def family_of(person: Person) -> str:
    """The family name, or the only one."""
    return person.family or person.given


def _patient_full(pen: Pen) -> None:
    pen.put(full_name(pen, pen.cast.patient), "PATIENT")


def full_name(pen: Pen, person: Person) -> str:
    """Given and family name, with what people put between them at times."""
    kind = pen.draw()
    if person.middle and kind < 0.5:
        return f"{person.given} {person.middle[0]}{pen.pick(('.', '', '.'))} {person.family}"
    if person.middle and kind < 0.6:
        return f"{person.given} {person.middle} {person.family}"
    if person.nickname and kind < 0.8:
        left, right = pen.pick((('"', '"'), ("(", ")"), ("\u201c", "\u201d")))
        return f"{person.given} {left}{person.nickname}{right} {person.family}"
    if kind > 0.97:
        return (
            f"{person.full()}{pen.pick((' Jr.', ', Jr.', ' Sr.', ' III', ' Jr', ' II'))}"
            if person.sex == "m"
            else person.full()
        )
    return f"{person.given[0]}. {person.family}" if kind > 0.95 else person.full()


def comma_name(pen: Pen, person: Person) -> str:
    """Family name first, as in lists and headers."""
    given = person.given
    if person.middle and pen.draw() < 0.6:
        given += f" {person.middle[0]}{pen.pick(('.', ''))}" if pen.draw() < 0.7 else f" {person.middle}"
    gap = pen.pick((", ", ", ", ", ", ",", " , ", "^", " "))
    family = person.family.upper() if pen.draw() < 0.25 else person.family
    return f"{family}{gap}{given}"


def _patient_list(pen: Pen) -> None:
    pen.put(comma_name(pen, pen.cast.patient), "PATIENT")


def _patient_any(pen: Pen) -> None:
    """As headers and first sentences have it: in either order."""
    (_patient_list if pen.draw() < 0.4 else _patient_full)(pen)


def _patient_titled(pen: Pen) -> None:
    person = pen.cast.patient
    pen.put(pen.pick(_TITLES[person.sex]))
    pen.put(" ")
    pen.put(family_of(person) if pen.draw() < 0.85 else full_name(pen, person), "PATIENT")


def _patient_first(pen: Pen) -> None:
    person = pen.cast.patient
    pen.put(person.nickname or person.given, "PATIENT")


def _patient_family(pen: Pen) -> None:
    pen.put(family_of(pen.cast.patient), "PATIENT")


def _patient_talked(pen: Pen) -> None:
    """How a note speaks of the patient: mostly 'the patient', at times by name."""
    kind = pen.draw()
    if kind < 0.45:
        _patient_titled(pen)
    elif kind < 0.65:
        _patient_first(pen)
    elif kind < 0.8:
        _patient_full(pen)
    else:
        pen.put(pen.pick(("the patient", "pt", "he" if pen.cast.sex == "m" else "she", "patient")))


def initials_of(person: Person) -> str:
    """First letters of given and family name."""
    return (person.given[:1] + family_of(person)[:1]).upper()


def _patient_initials(pen: Pen) -> None:
    text = initials_of(pen.cast.patient)
    pen.put(pen.pick((text, f"{text[0]}.{text[-1]}.")), "PATIENT")


def _relation(pen: Pen, named: bool) -> None:
    """A relation and, where it is `named`, the name, in one of the usual orders."""
    sex = pen.pick("mf")
    relation = pen.pick(_RELATIONS[sex])
    if not named:
        pen.put(relation)
        return
    name = _lay_name(pen, pen.cast.relative(relation, sex))
    kind = pen.draw()
    if kind < 0.4:
        pen.put(f"{relation} ")
        pen.put(name, "PATIENT")
    elif kind < 0.6:
        pen.put(f"{relation}, ")
        pen.put(name, "PATIENT")
        pen.put(",")
    elif kind < 0.8:
        pen.put(f"{relation} (")
        pen.put(name, "PATIENT")
        pen.put(")")
    else:
        pen.put(name, "PATIENT")
        pen.put(f" ({relation})")


def _lay_name(pen: Pen, person: Person) -> str:
    kind = pen.draw()
    if kind < 0.55:
        return person.nickname or person.given
    return person.full() if kind < 0.9 else full_name(pen, person)


def _kin_name(pen: Pen) -> None:
    sex = pen.pick("mf")
    pen.put(_lay_name(pen, pen.cast.relative(pen.pick(_RELATIONS[sex]), sex)), "PATIENT")


def _kin_full(pen: Pen) -> None:
    sex = pen.pick("mf")
    pen.put(full_name(pen, pen.cast.relative(pen.pick(_RELATIONS[sex]), sex)), "PATIENT")


def _child(pen: Pen) -> None:
    pen.put(make_given_name(pen), "PATIENT")


def _lay_titled(pen: Pen) -> None:
    """A lay person with a title who is not the patient."""
    person = make_person(pen)
    pen.put(pen.pick(_TITLES[person.sex]) + " ")
    pen.put(person.family, "PATIENT")


def _other(how: Callable[[Pen, Person], str]) -> Slot:
    """Somebody who is in this note alone: the next patient of a list, say."""
    return lambda pen: pen.put(how(pen, make_person(pen)), "PATIENT")


def spell(text: str, gap: str) -> str:
    """A text letter by letter, as it is dictated."""
    return gap.join(character for character in text if character.isalnum())


def _patient_spelled(pen: Pen) -> None:
    person = pen.cast.patient
    pen.put(person.full(), "PATIENT")
    pen.put(pen.pick((", ", " ", ", last name ", ", spelled ")))
    pen.put(spell(person.family or person.given, pen.pick(("-", "-", " "))), "PATIENT")


def _record_spoken(pen: Pen) -> None:
    pen.put(spell(pen.cast.fact("MEDICALRECORD"), " "), "MEDICALRECORD")


def _pronoun(male: str, female: str) -> Slot:
    return lambda pen: pen.put(male if pen.cast.sex == "m" else female)


def _sex_word(pen: Pen) -> None:
    young = pen.cast.age < 16
    words = {
        "m": ("boy", "male") if young else ("man", "male", "man", "gentleman", "male"),
        "f": ("girl", "female") if young else ("woman", "female", "woman", "lady", "female"),
    }
    pen.put(pen.pick(words[pen.cast.sex]))


PEOPLE: dict[str, Slot] = {
    "pt.full": _patient_full,
    "pt.list": _patient_list,
    "pt.any": _patient_any,
    "pt.titled": _patient_titled,
    "pt.first": _patient_first,
    "pt.family": _patient_family,
    "pt": _patient_talked,
    "pt.initials": _patient_initials,
    "kin": lambda pen: _relation(pen, True),
    "kin.word": lambda pen: _relation(pen, False),
    "kin.name": _kin_name,
    "other.full": _other(full_name),
    "other.list": _other(comma_name),
    "other.family": _other(lambda pen, person: family_of(person)),
    "other.initials": _other(lambda pen, person: initials_of(person)),
    "kin.full": _kin_full,
    "child": _child,
    "lay.titled": _lay_titled,
    "pt.spelled": _patient_spelled,
    "mrn.spoken": _record_spoken,
    "pt.lower": lambda pen: pen.put(
        f"{pen.cast.patient.given[0]}. {family_of(pen.cast.patient)}".lower(), "PATIENT"
    ),
    "title": lambda pen: pen.put(pen.pick(_TITLES[pen.cast.sex])),
    "he": _pronoun("he", "she"),
    "his": _pronoun("his", "her"),
    "him": _pronoun("him", "her"),
    "man": _sex_word,
    "sexletter": _pronoun("M", "F"),
    "sex": _pronoun("male", "female"),
}
"""The slots of people, by name."""
