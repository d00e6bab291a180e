"""Slots that write those who give care: doctors, nurses and all others, by title, degree or initials."""

from __future__ import annotations

from deidlab.make.grammar import Slot
from deidlab.make.lists import words
from deidlab.make.pen import Pen
from deidlab.make.people import comma_name, family_of, full_name, initials_of, spell

_DEGREES = words("people_degrees")
_STAFF_DEGREES = words("people_staff_degrees")
_ROLES = words("people_roles")


def _doctor(pen: Pen) -> None:
    """A doctor as sentences name one."""
    person = pen.cast.some_staff(pen)
    kind = pen.draw()
    if kind < 0.5:
        pen.put(
            pen.pick(
                (
                    "Dr. ",
                    "Dr. ",
                    "Dr. ",
                    "Dr ",
                    "Dr ",
                    "Doctor ",
                    "Dr.",
                    "dr. ",
                    "DR. ",
                    "Prof. ",
                    "Professor ",
                )
            )
        )
        pen.put(family_of(person), "DOCTOR")
    elif kind < 0.68:
        pen.put(pen.pick(("Dr. ", "Dr. ", "Dr ", "Professor ", "Mr ", "Miss ")))
        pen.put(full_name(pen, person), "DOCTOR")
    elif kind < 0.85:
        pen.put(full_name(pen, person), "DOCTOR")
        pen.put(pen.pick((", ", ", ", " ")) + pen.pick(_DEGREES))
    elif kind < 0.93:
        pen.put(pen.pick(("Drs. ", "Drs ", "Doctors ")))
        pen.put(family_of(person), "DOCTOR")
        pen.put(pen.pick((" and ", " & ", "/")))
        pen.put(family_of(pen.cast.staff("other")), "DOCTOR")
    else:
        pen.put(f"{person.given[0]}. {family_of(person)}", "DOCTOR")


def _staff(pen: Pen) -> None:
    """Anybody else who gives care."""
    person = pen.cast.staff(pen.pick(("nurse", "therapist", "worker", "nurse 2")))
    kind = pen.draw()
    if kind < 0.4:
        pen.put(full_name(pen, person), "DOCTOR")
        pen.put(pen.pick((", ", ", ", " ", " (")) + (degree := pen.pick(_STAFF_DEGREES)))
        if pen.parts[-1][0] == f" ({degree}":
            pen.put(")")
    elif kind < 0.7:
        pen.put(pen.pick(_ROLES) + " ")
        pen.put(pen.pick((person.given, person.full(), person.full(), family_of(person))), "DOCTOR")
    elif kind < 0.85:
        pen.put(pen.pick((person.given, person.full())), "DOCTOR")
        pen.put(pen.pick((" (", ", ")) + (role := pen.pick(_ROLES)))
        pen.put(")" if pen.parts[-1][0] == f" ({role}" else ",")
    elif kind < 0.93:
        pen.put(pen.pick(("Nurse ", "RN ", "Sister ", "PA ", "NP ", "EMT ", "Paramedic ")))
        pen.put(family_of(person), "DOCTOR")
    else:
        pen.put(f"{person.given} {family_of(person)[0]}{pen.pick(('.', ''))}", "DOCTOR")
        pen.put(pen.pick((" RN", ", RN", " (RN)", ", CNA", " MA", ", PT")))


def _signature(pen: Pen) -> None:
    """A name with its degree, as it stands under a note."""
    person = pen.cast.staff(pen.pick(("attending", "resident", "nurse")))
    pen.put(full_name(pen, person), "DOCTOR")
    if pen.draw() < 0.94:
        pen.put(pen.pick((", ", ", ", " ")) + pen.pick(_DEGREES if pen.draw() < 0.65 else _STAFF_DEGREES))


def _doctor_full(pen: Pen) -> None:
    pen.put(full_name(pen, pen.cast.some_staff(pen)), "DOCTOR")


def _doctor_list(pen: Pen) -> None:
    pen.put(comma_name(pen, pen.cast.some_staff(pen)), "DOCTOR")


def _doctor_family(pen: Pen) -> None:
    pen.put(family_of(pen.cast.some_staff(pen)), "DOCTOR")


def _doctor_first(pen: Pen) -> None:
    pen.put(pen.cast.some_staff(pen).given, "DOCTOR")


def _doctor_initials(pen: Pen) -> None:
    person = pen.cast.some_staff(pen)
    text = initials_of(person)
    if pen.draw() < 0.3:
        text = text[0] + pen.letters(1) + text[-1]
    dotted = "".join(f"{letter}." for letter in text)
    forms = (
        text,
        text,
        dotted,
        text.lower(),
        dotted.lower(),
        f"{text[0]}. {text[-1]}.",
        f"{text[0]}-{text[-1]}",
    )
    pen.put(pen.pick((*forms, text, text.lower())), "DOCTOR")


def _doctor_spelled(pen: Pen) -> None:
    """A dictating doctor who spells the name."""
    person = pen.cast.staff("attending")
    pen.put(person.full(), "DOCTOR")
    pen.put(pen.pick((", ", ", ", " ", ", that's ", ", spelled ")))
    pen.put(spell(person.family or person.given, pen.pick(("-", "-", " ", ". "))), "DOCTOR")


STAFF: dict[str, Slot] = {
    "doc": _doctor,
    "staff": _staff,
    "sig": _signature,
    "doc.full": _doctor_full,
    "doc.list": _doctor_list,
    "doc.family": _doctor_family,
    "doc.first": _doctor_first,
    "doc.initials": _doctor_initials,
    "doc.spelled": _doctor_spelled,
    "degree": lambda pen: pen.put(pen.pick(_DEGREES)),
    "degree.staff": lambda pen: pen.put(pen.pick(_STAFF_DEGREES)),
    "role": lambda pen: pen.put(pen.pick(_ROLES)),
}
"""The slots of staff, by name."""
