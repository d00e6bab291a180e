"""A pen in, places out whose parts agree: street, town, region, postcode, area code."""

from __future__ import annotations

import functools

from deidlab.banks import countries
from deidlab.make.composed import compose
from deidlab.make.lists import stems, table, words
from deidlab.make.names import make_family_name
from deidlab.make.pen import Pen
from deidlab.make.subjects import Town
from deidlab.make.towns import city_names, listed_towns

_STREETS = table("places", "streets")
_BEFORE = ("North", "South", "East", "West", "New", "Fort", "Port", "Mount", "Lake", "St.", "Upper", "Glen")
_TREES = words("places_trees")
_REGIONS_US_OLD = {"MA": "Mass.", "CA": "Calif.", "PA": "Penn.", "CT": "Conn.", "FL": "Fla.", "IL": "Ill."}
_LANDMARKS = words("places_landmarks")


def make_town(pen: Pen, country: str) -> Town:
    """A town of the country; some are made up, so that a list does not tell a town."""
    town = pen.pick(listed_towns(country))
    odd = pen.draw()
    if odd < 0.12:
        name = compose(pen, "town")
    elif odd < 0.19:
        name = pen.pick(stems())
    elif odd < 0.29:
        name = pen.pick(city_names())
    elif odd < 0.33:
        name = f"{pen.pick(_BEFORE)} {pen.pick(stems())}"
    elif odd < 0.36:
        name = make_family_name(pen).split()[-1] + pen.pick(
            ("ville", "ton", "burg", " Springs", " Falls", " City", " Heights")
        )
    else:
        return town
    return Town(name, town.region, town.region_name, town.postcode, town.area_code)


def write_town(pen: Pen) -> None:
    """Any town, mostly of the note's country."""
    pen.put(make_town(pen, pen.cast.country).name if pen.draw() < 0.7 else pen.pick(city_names()), "CITY")


def write_country(pen: Pen) -> None:
    pen.put(pen.pick(_country_names()), "COUNTRY")


def write_state(pen: Pen) -> None:
    """A region's name in full or in short."""
    town = pen.pick(listed_towns(pen.cast.country if pen.draw() < 0.7 else "US"))
    pen.put(town.region_name if pen.draw() < 0.8 else town.region, "STATE")


def make_street(pen: Pen, country: str) -> str:
    """Number and street, and at times a flat or box; some in odd forms, or without capitals."""
    street = compose(pen, "street") if pen.often(0.1) else _usual_street(pen, country)
    return street.lower() if pen.often(0.03) else street


def _usual_street(pen: Pen, country: str) -> str:
    kinds = _street_kinds(country)
    kind = pen.draw()
    if kind < 0.5:
        name = pen.pick(_TREES)
    elif kind < 0.7:
        name = pen.pick(stems())
    elif kind < 0.92:
        name = make_family_name(pen)
    else:
        name = _numbered(pen.number(1, 120))
    number = str(
        pen.number(1, 99) if pen.draw() < 0.4 else pen.number(100, 15000 if country == "US" else 400)
    )
    if pen.draw() < 0.05:
        number += pen.pick("ABCD")
    way = ""
    if country in ("US", "CA") and pen.draw() < 0.2:
        way = pen.pick(("N", "S", "E", "W", "N.", "S.", "E.", "W.", "North", "South", "NE", "SW", "NW")) + " "
    street = f"{number} {way}{name} {pen.pick(kinds)}"
    if pen.draw() < 0.15:
        street += pen.pick((", Apt ", " Apt. ", ", Unit ", " #", ", Apt #", ", Flat ", ", Suite ", " Ste "))
        street += f"{pen.number(1, 40)}{pen.pick(('', '', 'A', 'B', 'C'))}"
    elif country == "IN" and pen.draw() < 0.5:
        street = _indian_street(pen, name)
    elif pen.draw() < 0.05:
        street = _country_street(pen, name, number)
    elif pen.draw() < 0.04:
        street = f"{pen.pick(('PO Box', 'P.O. Box', 'P O Box', 'RR', 'GPO Box'))} {pen.number(1, 9999)}"
    elif country not in ("US", "CA") and pen.draw() < 0.15:
        flat = f"{pen.pick(('Flat', 'Unit', 'Apartment'))} {pen.number(1, 60)}{pen.pick(('', 'A', 'B'))}"
        street = f"{flat}, {street}"
    elif country in ("UK", "IE") and pen.draw() < 0.08:
        house = f"{pen.pick(_TREES)} {pen.pick(('Cottage', 'House', 'Farm', 'Lodge', 'View'))}"
        street = f"{house}, {name} {pen.pick(kinds)}"
    return street


def _indian_street(pen: Pen, name: str) -> str:
    start = pen.pick(
        (
            f"Plot {pen.number(1, 99)}-{pen.pick('ABCD')}",
            f"Plot No. {pen.number(1, 300)}",
            f"H.No. {pen.number(1, 20)}-{pen.number(1, 99)}",
            f"Flat {pen.number(1, 900)}",
            f"No. {pen.number(1, 99)}/{pen.number(1, 9)}",
        )
    )
    middle = pen.pick(
        (
            f", {pen.number(1, 12)}{pen.pick(('th', 'nd', 'rd'))} Cross, {name} Nagar",
            f", {name} Colony",
            f", Opp. {name} Cinema, {name} Road",
            f", Near {name} Temple",
            f", {pen.number(1, 9)}th Main, {name} Layout",
        )
    )
    return start + middle


def _country_street(pen: Pen, name: str, number: str) -> str:
    """A road with a number for a name, a lot, or a corner."""
    street = pen.pick(
        (
            f"Route {pen.number(1, 99)}",
            f"Lot {pen.number(1, 200)} {name} Road",
            f"{number} County Road {pen.number(1, 99)}",
            f"Highway {pen.number(1, 400)}",
            f"{number} Hwy {pen.number(1, 400)} {pen.pick('NSEW')}",
            f"{name} Track",
            f"{number} State Route {pen.number(1, 200)}",
            f"Lot {pen.number(1, 99)} {name} Track",
            f"Rural Route {pen.number(1, 9)}",
            f"{pen.pick(_TREES)} and {name}",
            f"corner of {name} and {pen.pick(_TREES)}",
        )
    )
    return street.removeprefix("corner of ")


def make_postcode(pen: Pen, country: str, start: str) -> str:
    if country == "US":
        code = start + f"{pen.number(0, 99):02d}"
        return f"{code}-{pen.digits(4)}" if pen.draw() < 0.1 else code
    if country == "UK":
        return f"{start}{pen.number(1, 29)} {pen.number(1, 9)}{pen.letters(2)}"
    if country == "CA":
        gap = pen.pick((" ", " ", " ", "", "-"))
        first = f"{start}{pen.number(1, 9)}{pen.letters(1)}"
        return f"{first}{gap}{pen.number(1, 9)}{pen.letters(1)}{pen.number(1, 9)}"
    if country == "IE":
        return f"{start}{pen.digits(2)} {pen.letters(2)}{pen.digits(2)}"
    if country == "IN":
        return start + "".join(str(pen.number(0, 9)) for _ in range(6 - len(start)))
    return start + f"{pen.number(0, 999):03d}"


def make_landmark(pen: Pen) -> str:
    """A county, park, lake, motorway or another place that is no town."""
    if pen.often(0.6):
        place = compose(pen, "landmark")
        return pen.pick((place.lower(), place.upper())) if pen.often(0.08) else place
    name = pen.pick(stems()) if pen.draw() < 0.4 else make_family_name(pen)
    if pen.draw() < 0.35:
        county = pen.pick(
            (
                "{} County",
                "{} County",
                "{} County",
                "County {}",
                "{} Parish",
                "{} Shire",
                "{} Valley",
                "the {} Reservation",
            )
        )
        return county.format(name).removeprefix("the ")
    place = pen.pick(_LANDMARKS).replace("_", " ")
    if place in ("Lake", "Mountain") and pen.draw() < 0.5:
        return f"{'Mount' if place == 'Mountain' else place} {name}"
    return f"{name} {place}"


def _numbered(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@functools.cache
def _street_kinds(country: str) -> tuple[str, ...]:
    kinds: tuple[str, ...] = _STREETS[{"CA": "US", "IE": "UK", "NZ": "AU"}.get(country, country)]
    return kinds


@functools.cache
def _country_names() -> tuple[str, ...]:
    usual = "Mexico,India,China,Canada,Ireland,England,Scotland,Wales,Germany,Italy,Poland,Vietnam,Korea,Japan,Brazil,Haiti,Cuba,Jamaica,Nigeria,Ghana,Kenya,Ethiopia,Somalia,Iran,Iraq,Syria,Afghanistan,Pakistan,Bangladesh,Nepal,Philippines,Thailand,Ukraine,Russia,Greece,Turkey,Egypt,Morocco,Peru,Colombia,Ecuador,Guatemala,El Salvador,Honduras,Puerto Rico,Dominican Republic,South Africa,Australia,New Zealand,the US,the UK,USA,UK,United States,U.S.,America"  # noqa: E501
    names = [name.removeprefix("the ") for name in usual.split(",")]
    return (*names, *names, *(name for name in countries() if "," not in name))
