"""Places whose parts agree: town, region, start of its postcodes, area code.

A `PlaceBank` a country knows in which region a town, a region's name, a postcode or an area code lies, and
lists the places of a region to draw from.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from deidlab.banks.names import fold
from deidlab.banks.reading import pairs, rows


@dataclass(frozen=True, slots=True)
class Place:
    """A town, the code and name of its region, how its postcodes start, and its area code ('' if unknown)."""

    town: str
    region: str
    region_name: str
    postcode: str
    area_code: str


@dataclass(frozen=True, slots=True)
class PlaceBank:
    """The places of one country, by region in a fixed order."""

    country: str
    regions: dict[str, tuple[Place, ...]] = field(repr=False)
    towns: dict[str, str] = field(repr=False)
    names: dict[str, str] = field(repr=False)
    postcodes: dict[str, str] = field(repr=False)
    area_codes: dict[str, str] = field(repr=False)


@functools.cache
def united_states() -> PlaceBank:
    names = pairs("us_states.tsv")
    places = [
        Place(town, state, names[state], zip3, area) for town, state, zip3, area in rows("us_places.tsv")
    ]
    zips, areas = pairs("us_zip3.tsv"), pairs("us_area_codes.tsv")
    return _bank("US", places, zips, areas)


@functools.cache
def canada() -> PlaceBank:
    places = [Place(*row) for row in rows("ca_places.tsv")]
    areas = {place.area_code: place.region for place in places}
    return _bank("CA", places, {place.postcode: place.region for place in places}, areas)


@functools.cache
def spain() -> PlaceBank:
    places = [Place(town, province, province, code, "") for town, province, code in rows("es_places.tsv")]
    return _bank("ES", places, {place.postcode: place.region for place in places}, {})


def _bank(country: str, places: list[Place], postcodes: dict[str, str], areas: dict[str, str]) -> PlaceBank:
    regions: dict[str, list[Place]] = {}
    towns: dict[str, str] = {}
    names: dict[str, str] = {}
    for place in places:
        regions.setdefault(place.region, []).append(place)
        towns.setdefault(fold(place.town), place.region)
        names[fold(place.region)] = names[fold(place.region_name)] = place.region
    return PlaceBank(country, {k: tuple(v) for k, v in regions.items()}, towns, names, postcodes, areas)
