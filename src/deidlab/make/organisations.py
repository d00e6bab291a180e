"""A pen in, names of hospitals, practices, employers, schools, pharmacies, insurers and agencies out."""

from __future__ import annotations

from deidlab.make.composed import compose
from deidlab.make.lists import stems, words
from deidlab.make.names import make_family_name, make_given_name
from deidlab.make.pen import Pen
from deidlab.make.places import make_town

_SAINTS = words("organisations_saints")
_VIRTUES = words("organisations_virtues")
_US_KINDS = words("organisations_us_kinds")
_UK_KINDS = words("organisations_uk_kinds")
_IN_KINDS = words("organisations_in_kinds")
_TRADES = words("organisations_trades")
_SCHOOLS = words("organisations_schools")
_AGENCIES = words("organisations_agencies")
_BUREAUS = words("organisations_bureaus")
_PHARMACIES = words("organisations_pharmacies")
_EMPLOYERS = words("organisations_employers")
_INSURERS = words("organisations_insurers")

_FORMS = (", P.C.", ", PC", ", LLC", " LLP", ", Inc.", ", P.A.", " PLLC", " Pty Ltd", " Ltd", ", S.C.")
_SHOPS = ("Pharmacy", "Pharmacy", "Drugs", "Drug Store", "Chemist", "Apothecary", "Pharmacy & Gifts")
_PLANS = words("organisations_plans")
_SHAPES = words("organisations_shapes")
_KNOWN = words("organisations_known")
_CAMPUSES = (
    "North",
    "South",
    "East",
    "West",
    "Main",
    "Downtown",
    "Midtown",
    "University",
    "Lakeside",
    "Riverside",
)
_GENERAL = frozenset(words("organisations_general"))
"""First words that do not name a house when they stand alone."""
COMPOSED = ("church", "club", "union", "police", "fire", "ems", "shelter", "sponsor", "vendor")
"""Kinds of organisation that have no lists of their own."""
_WAYS = ("North", "South", "East", "West", "Greater", "Mid", "Upper", "Great")

_AROUND_A_NAME = (
    "University of {}",
    "University Hospital of {}",
    "Children's Hospital of {}",
    "Royal {} Hospital",
    "The {} Clinic",
    "Queen Elizabeth Hospital {}",
    "Hospital of St. {}",
    "{} University Hospital",
    "Royal Hospital for Sick Children, {}",
    "{} and District Hospital",
    "{} University Medical Center",
    "Princess Margaret Hospital {}",
    "Hospital for Women of {}",
)
_HONOURS = (
    "Smt. ",
    "Shri ",
    "Dr. ",
    "Lady ",
    "Lord ",
    "Sir ",
    "Mother ",
    "Sister ",
    "King ",
    "Queen ",
    "Princess ",
    "Prince ",
)


def make_hospital(pen: Pen, country: str) -> str:
    """Where people are cared for: hospital, practice, nursing home."""
    if pen.often(0.5):
        return compose(pen, "hospital")
    shaped = pen.draw()
    if shaped < 0.06:
        return pen.pick(_KNOWN)
    if shaped < 0.3:
        return _of_shape(pen, country)
    kinds = _IN_KINDS if country == "IN" else _US_KINDS if country in ("US", "CA") else _UK_KINDS
    kind = pen.pick(kinds).replace("_", " ")
    odd = pen.draw()
    if odd < 0.06:
        return pen.pick(_AROUND_A_NAME).format(_stem(pen, country).removeprefix("St. "))
    if odd < 0.10:
        return _foreign(pen, country)
    if odd < 0.13:
        return f"{_stem(pen, country)} {kind}{pen.pick(_FORMS)}"
    if odd < 0.16:
        return f"{_honoured(pen)}{kind}"
    if odd < 0.26:
        form = pen.pick(("St. {}", "St. {}'s", "Saint {}", "St {}'s", "St {}", "Saint {}'s"))
        return f"{form.format(pen.pick(_SAINTS))} {kind}"
    if odd < 0.36:
        return f"{pen.pick(_VIRTUES).replace('_', ' ')} {kind}"
    if odd < 0.40:
        return f"{pen.pick(_VIRTUES).replace('_', ' ')} {_stem(pen, country)}"
    return f"{_stem(pen, country)} {kind}"


def _honoured(pen: Pen) -> str:
    """The person that a house was given by, or in memory of whom, up to what kind of house it is."""
    named = f"{pen.pick(_HONOURS)}{make_given_name(pen)} "
    if pen.draw() < 0.6:
        named += f"{make_family_name(pen)} "
    return named + pen.pick(("Memorial ", "Charitable ", "", ""))


def _of_shape(pen: Pen, country: str) -> str:
    """A name whose tail says what it is part of, where it stands, or who owns it."""
    stem = _stem(pen, country).removeprefix("St. ")
    parts = {
        "s": stem,
        "f": make_family_name(pen),
        "g": make_family_name(pen),
        "t": make_town(pen, country).name,
        "u": pen.pick(_SAINTS),
        "w": pen.pick(_CAMPUSES),
    }
    return pen.pick(_SHAPES).format(**parts)


def _foreign(pen: Pen, country: str) -> str:
    """A hospital whose name is in another language."""
    saint = pen.pick(
        (
            "Sainte-Anne",
            "Saint-Luc",
            "Sainte-Justine",
            "Saint-Sacrement",
            "Notre-Dame",
            "Saint-Michel",
            "Sainte-Marie",
            "Saint-Eustache",
        )
    )
    town = make_town(pen, country).name
    return pen.pick(
        (
            f"Centre hospitalier {saint}",
            f"Hôpital {saint}",
            f"CHU {saint}",
            f"CLSC {town}",
            f"Hôpital général de {town}",
            f"Hospital General de {town}",
            f"Clínica {make_family_name(pen)}",
            f"Hospital San {pen.pick(('Juan', 'Rafael', 'Jorge', 'Vicente', 'Lucas'))}",
            f"Clinique {make_family_name(pen)}",
            f"Pavillon {make_family_name(pen)}",
            f"Klinikum {town}",
            f"Ospedale {town}",
            f"Ospidéal {town}",
            f"Hopital {saint}",
        )
    )


def shorten_hospital(pen: Pen, name: str) -> str:
    """How staff speak of it: its first words, or initials; or of another house that all of them know."""
    if pen.often(0.2):
        return compose(pen, "hospital.passing")
    words = _telling_words(name)
    letters = first_letters(name)
    if len(letters) > 2 and pen.often(0.55):
        return letters
    if words[0] in (
        "St.",
        "St",
        "Saint",
        "Mount",
        "Our",
        "Royal",
        "Good",
        "Holy",
        "Sacred",
        "University",
        "Children's",
    ):
        return " ".join(words[:2])
    if words[0] in _GENERAL:
        return name
    return words[0] if len(words[0]) > 3 else " ".join(words[:2])


def first_letters(name: str) -> str:
    """The capitals that a name of three words or more is known by; of fewer, nothing."""
    words = _telling_words(name)
    return "".join(word[0] for word in words if word[0].isalpha()).upper() if len(words) > 2 else ""


def _telling_words(name: str) -> list[str]:
    words = name.replace(",", " ").replace("(", " ").replace("#", " ").replace("-", " ").split()
    return [word for word in words if word not in ("of", "and", "the", "The", "&", "for")]


def make_organisation(pen: Pen, kind: str = "") -> str:
    """An employer, school, agency, pharmacy or insurer, or what else is asked for."""
    if kind in COMPOSED or pen.often(0.55):
        return compose(pen, kind or "organisation")
    kind = kind or pen.pick(("employer", "employer", "school", "agency", "pharmacy", "insurer"))
    if kind == "pharmacy":
        if pen.draw() < 0.45:
            return pen.pick(_PHARMACIES).replace("_", " ")
        if pen.draw() < 0.25:
            owner = make_family_name(pen)
            return pen.pick(
                (
                    f"{owner}'s",
                    f"{owner} & Sons",
                    f"{owner} & Niece Chemists",
                    f"{owner} Bros. Drug",
                    f"{owner}'s Pharmacy #{pen.number(1, 90)}",
                )
            )
        return f"{_stem(pen)} {pen.pick(_SHOPS)}"
    if kind == "insurer":
        if pen.draw() < 0.65:
            return pen.pick(_INSURERS).replace("_", " ")
        return f"{_stem(pen)} {pen.pick(_PLANS)}"
    if kind == "school":
        return f"{_stem(pen)} {pen.pick(_SCHOOLS).replace('_', ' ')}"
    if kind == "agency" and pen.draw() < 0.25:
        return pen.pick(_BUREAUS).replace("_", " ") if pen.draw() < 0.6 else pen.letters(pen.number(3, 4))
    if kind == "agency":
        return f"{_stem(pen)} {pen.pick(_AGENCIES).replace('_', ' ')}"
    if pen.draw() < 0.2:
        return pen.pick(_EMPLOYERS).replace("_", " ")
    return f"{_stem(pen)} {pen.pick(_TRADES).replace('_', ' ')}"


def make_law_firm(pen: Pen) -> str:
    """Lawyers under the names of their partners."""
    if pen.often(0.3):
        return compose(pen, "law")
    names = [make_family_name(pen) for _ in range(pen.number(2, 3))]
    firm = f"{', '.join(names[:-1])} & {names[-1]}"
    return firm + pen.pick((", LLP", ", LLP", " LLP", ", P.C.", ", PLLC", " Solicitors", " Law Group", ""))


def _stem(pen: Pen, country: str = "") -> str:
    kind = pen.draw()
    if kind < 0.42:
        return pen.pick(stems())
    if kind < 0.72:
        return make_town(pen, country or pen.cast.country).name
    if kind < 0.93:
        return make_family_name(pen)
    return f"{pen.pick(_WAYS)} {pen.pick(stems())}"
