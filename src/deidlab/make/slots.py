"""The slots that grammars call by name: each writes one thing about the cast with the pen."""

from __future__ import annotations

from collections.abc import Callable
from string import capwords

from deidlab.make.codes import CODES
from deidlab.make.composed import compose
from deidlab.make.grammar import Slot
from deidlab.make.lists import professions, words
from deidlab.make.numbers import (
    make_email,
    make_handle,
    make_id,
    make_ip,
    make_login,
    make_pager,
    make_phone,
    make_url,
    make_vanity_plate,
)
from deidlab.make.organisations import (
    COMPOSED,
    first_letters,
    make_hospital,
    make_law_firm,
    make_organisation,
    shorten_hospital,
)
from deidlab.make.pen import Pen
from deidlab.make.people import PEOPLE
from deidlab.make.places import (
    make_landmark,
    make_postcode,
    make_street,
    make_town,
    write_country,
    write_state,
    write_town,
)
from deidlab.make.staff import STAFF
from deidlab.make.subjects import Person
from deidlab.make.times import TIMES
from deidlab.make.trades import make_trade
from deidlab.make.values import VALUES

_RANKS = words("slots_ranks")
_PLANS = ("Select", "Plus", "Choice", "Advantage", "Gold", "Family", "Basic", "Premier", "Complete", "Direct")
_AROUND_LETTERS = ((" (", ")"), (' ("', '")'), (", ", ","), (" [", "]"), (' (the "', '")'))
_IDS = ("MEDICALRECORD", "SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM")


def _hospital(pen: Pen) -> None:
    kind = pen.draw()
    if kind < 0.35:
        pen.put(pen.cast.fact("hospital"), "HOSPITAL")
    elif kind < 0.6:
        pen.put(shorten_hospital(pen, pen.cast.fact(pen.pick(("hospital", "hospital 2")))), "HOSPITAL")
    elif kind < 0.8:
        pen.put(pen.cast.fact(pen.pick(("hospital 2", "hospital 3"))), "HOSPITAL")
    else:
        pen.put(_cased(pen, make_hospital(pen, pen.cast.country)), "HOSPITAL")


def _own_hospital(pen: Pen) -> None:
    name = pen.cast.fact("hospital")
    pen.put(name.upper() if pen.often(0.12) else name, "HOSPITAL")


def _cased(pen: Pen, name: str) -> str:
    """A name as it stands, or as those write it who use one case alone."""
    case = pen.draw()
    return name.upper() if case < 0.04 else name.lower() if case < 0.08 else name


def _organisation(kind: str = "") -> Slot:
    return lambda pen: pen.put(_cased(pen, make_organisation(pen, kind)), "ORGANIZATION")


def _composed(rule: str, label: str) -> Slot:
    return lambda pen: pen.put(compose(pen, rule), label)


def _with_letters(make: Callable[[Pen], str], label: str) -> Slot:
    """A name and, behind it, the letters that the rest of a document calls it by."""

    def write(pen: Pen) -> None:
        name = make(pen)
        pen.put(name, label)
        if letters := first_letters(name):
            opens, closes = pen.pick(
                ((" (", ")"), (' ("', '")'), (", ", ","), (" [", "]"), (' (the "', '")'))
            )
            pen.put(opens)
            pen.put(letters, label)
            pen.put(closes)

    return write


def _capitals(make: Callable[[Pen], str], label: str) -> Slot:
    return lambda pen: pen.put(make(pen).upper(), label)


def _id(label: str) -> Slot:
    return lambda pen: pen.put(pen.cast.fact(label) if pen.draw() < 0.7 else make_id(pen, label), label)


def _fact(what: str, label: str) -> Slot:
    return lambda pen: pen.put(pen.cast.fact(what), label)


def _new(make: Callable[[Pen], str], label: str) -> Slot:
    return lambda pen: pen.put(make(pen), label)


def _street(pen: Pen) -> None:
    pen.put(pen.cast.fact("street") if pen.draw() < 0.6 else make_street(pen, pen.cast.country), "STREET")


def _profession(pen: Pen) -> None:
    trade = make_trade(pen) if pen.draw() < 0.75 else pen.pick(professions())
    pen.put(pen.pick((trade.upper(), capwords(trade))) if pen.often(0.06) else trade, "PROFESSION")


def _insurer_plus(pen: Pen) -> str:
    name = make_organisation(pen, "insurer")
    return f"{name} {pen.pick(_PLANS)}"


def _soldier(pen: Pen) -> str:
    force = pen.pick(
        ("Army", "Navy", "Air Force", "Marine", "Coast Guard", "RAF", "Royal Navy", "National Guard")
    )
    return f"{force} {pen.pick(_RANKS)}"


def _route(pen: Pen) -> str:
    return pen.pick(
        (
            "Route {}",
            "Highway {}",
            "Hwy {}",
            "US-{}",
            "SR {}",
            "A{}",
            "County Road {}",
        )
    ).format(pen.number(1, 99))


def _address(pen: Pen) -> None:
    """Street, town, region and postcode, on one line or several."""
    cast, gap = pen.cast, pen.pick((", ", ", ", ", ", "\n", " "))
    own = pen.draw() < 0.7
    town = cast.town if own else make_town(pen, cast.country)
    pen.put(cast.fact("street") if own else make_street(pen, cast.country), "STREET")
    pen.put(gap)
    pen.put(town.name, "CITY")
    if cast.country != "UK" or pen.draw() < 0.4:
        pen.put(pen.pick((", ", ", ", " ")))
        pen.put(town.region if pen.draw() < 0.85 else town.region_name, "STATE")
    if pen.draw() < 0.9:
        pen.put(pen.pick((" ", " ", "  ", ", ")) if cast.country != "IN" else pen.pick((" - ", " ", "-")))
        pen.put(cast.fact("postcode") if own else make_postcode(pen, cast.country, town.postcode), "ZIP")
    if pen.draw() < 0.04:
        pen.put(", ")
        pen.put(
            {
                "US": "USA",
                "UK": "United Kingdom",
                "CA": "Canada",
                "IE": "Ireland",
                "AU": "Australia",
                "NZ": "New Zealand",
                "IN": "India",
            }[cast.country],
            "COUNTRY",
        )


def _hl7_address(pen: Pen) -> None:
    cast = pen.cast
    fields = (
        (cast.fact("street"), "STREET"),
        (cast.town.name, "CITY"),
        (cast.town.region, "STATE"),
        (cast.fact("postcode"), "ZIP"),
    )
    for number, (text, label) in enumerate(fields):
        pen.put(("", "^^", "^", "^")[number])
        pen.put(text, label)


def _hl7_name(pen: Pen, person: Person, label: str) -> None:
    name = f"{person.family}^{person.given}" + (f"^{person.middle[0]}" if person.middle else "")
    pen.put(name.upper() if pen.draw() < 0.7 else name, label)


def _town_and_state(pen: Pen) -> None:
    town = make_town(pen, pen.cast.country)
    pen.put(town.name, "CITY")
    pen.put(", ")
    pen.put(town.region if pen.draw() < 0.6 else town.region_name, "STATE")


SLOTS: dict[str, Slot] = {
    "an": Pen.begin_article,
    "hosp": _hospital,
    "hosp.own": _own_hospital,
    "hosp.new": _new(lambda pen: make_hospital(pen, pen.cast.country), "HOSPITAL"),
    "hosp.the": _composed("hospital.the", "HOSPITAL"),
    "hosp.passing": _composed("hospital.passing", "HOSPITAL"),
    "hosp.letters": _with_letters(lambda pen: make_hospital(pen, pen.cast.country), "HOSPITAL"),
    "hosp.caps": _capitals(lambda pen: make_hospital(pen, pen.cast.country), "HOSPITAL"),
    "org": _organisation(),
    **{f"org.{kind}": _organisation(kind) for kind in COMPOSED},
    "org.letters": _with_letters(make_organisation, "ORGANIZATION"),
    "org.caps": _capitals(make_organisation, "ORGANIZATION"),
    "org.employer": _organisation("employer"),
    "org.school": _organisation("school"),
    "org.pharmacy": _organisation("pharmacy"),
    "org.insurer": _organisation("insurer"),
    "org.insurer.plus": _new(_insurer_plus, "ORGANIZATION"),
    "org.law": _new(make_law_firm, "ORGANIZATION"),
    "org.agency": _organisation("agency"),
    "city": write_town,
    "city.own": lambda pen: pen.put(pen.cast.town.name, "CITY"),
    "state": write_state,
    "country": write_country,
    "street": _street,
    "address": _address,
    "citystate": _town_and_state,
    "address.hl7": _hl7_address,
    "kin.hl7": lambda pen: _hl7_name(pen, pen.cast.relative("spouse", ""), "PATIENT"),
    "pt.hl7": lambda pen: _hl7_name(pen, pen.cast.patient, "PATIENT"),
    "doc.hl7": lambda pen: _hl7_name(pen, pen.cast.staff("attending"), "DOCTOR"),
    "pt.comma": lambda pen: pen.put(f"{pen.cast.patient.family}, {pen.cast.patient.given}", "PATIENT"),
    "zip": _fact("postcode", "ZIP"),
    "state.own": lambda pen: pen.put(pen.cast.town.region, "STATE"),
    "landmark": _new(make_landmark, "LOCATION-OTHER"),
    "landmark.lower": _new(lambda pen: make_landmark(pen).lower(), "LOCATION-OTHER"),
    "job": _profession,
    "job.new": _composed("trade", "PROFESSION"),
    "job.caps": _capitals(make_trade, "PROFESSION"),
    "job.title": _new(lambda pen: capwords(make_trade(pen)), "PROFESSION"),
    "street.odd": _composed("street", "STREET"),
    "street.lower": _new(lambda pen: make_street(pen, pen.cast.country).lower(), "STREET"),
    "vanity": _new(make_vanity_plate, "VEHICLE"),
    "id.badge": _new(lambda pen: pen.pick(("", "", "#")) + pen.digits(pen.number(3, 6)), "IDNUM"),
    "phone": lambda pen: pen.put(
        pen.cast.fact("phone") if pen.draw() < 0.3 else make_phone(pen, pen.cast.town.area_code), "PHONE"
    ),
    "fax": _new(lambda pen: make_phone(pen, pen.cast.town.area_code), "FAX"),
    "pager": _new(make_pager, "PHONE"),
    "ext": _new(lambda pen: pen.digits(pen.number(3, 5)), "PHONE"),
    "email": _new(lambda pen: make_email(pen, pen.cast.patient), "EMAIL"),
    "email.staff": _new(lambda pen: make_email(pen, pen.cast.some_staff(pen)), "EMAIL"),
    "url": _new(make_url, "URL"),
    "ip": _new(make_ip, "IPADDR"),
    "login": _new(lambda pen: make_login(pen, pen.cast.some_staff(pen)), "USERNAME"),
    "handle": _new(lambda pen: make_handle(pen, pen.cast.patient), "USERNAME"),
    "id.suffix": lambda pen: pen.put(
        pen.pick((pen.digits(2), f"{pen.letters(1)}{pen.number(1, 9)}", pen.letters(1))), "BIOID"
    ),
    "id.last4": _new(lambda pen: pen.digits(4), "ACCOUNT"),
    "id.irn": _new(lambda pen: pen.digits(1), "HEALTHPLAN"),
    "id.barcode": _new(lambda pen: f"{pen.letters(2)}{pen.digits(9)}{pen.digits(3)}", "IDNUM"),
    "job.forces": _new(_soldier, "PROFESSION"),
    "street.route": _new(_route, "STREET"),
    **{f"id.{label.lower()}": _id(label) for label in _IDS},
    **CODES,
    **PEOPLE,
    **STAFF,
    **TIMES,
    **VALUES,
}
"""Every slot by the name that grammars call it."""
