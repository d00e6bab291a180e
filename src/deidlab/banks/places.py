"""Places whose parts agree: town, region, start of its postcodes, area code.

A `PlaceBank` a country knows in which region a town, a region's name, a postcode or an area code lies, and
lists the places of a region to draw from.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    """The places of one country, by region in a fixed order.

    `code_digits` of a postcode tell its region. Where `regions_are_states` is false a region is no STATE but
    a LOCATION-OTHER, and goes where that goes. Regions of fewer places than `smallest_region` are not drawn.
    """

    country: str
    regions: dict[str, tuple[Place, ...]] = field(repr=False)
    towns: dict[str, str] = field(repr=False)
    names: dict[str, str] = field(repr=False)
    postcodes: dict[str, str] = field(repr=False)
    area_codes: dict[str, str] = field(repr=False)
    code_digits: int = 3
    regions_are_states: bool = True
    smallest_region: int = 1


@functools.cache
def united_states() -> PlaceBank:
    names = pairs("us_states.tsv")
    places = [
        Place(town, state, names[state], zip3, area) for town, state, zip3, area in rows("us_places.tsv")
    ]
    zips, areas = pairs("us_zip3.tsv"), pairs("us_area_codes.tsv")
    return replace(make_bank("US", places, zips, areas), smallest_region=8)


@functools.cache
def canada() -> PlaceBank:
    places = [Place(*row) for row in rows("ca_places.tsv")]
    areas = {place.area_code: place.region for place in places}
    return make_bank("CA", places, {place.postcode: place.region for place in places}, areas)


@functools.cache
def spain() -> PlaceBank:
    places = [Place(town, province, province, code, "") for town, province, code in rows("es_places.tsv")]
    postcodes = {place.postcode: place.region for place in places}
    bank = make_bank("ES", places, postcodes, {})
    return replace(bank, code_digits=2, regions_are_states=False)


def make_bank(
    country: str, places: Sequence[Place], postcodes: dict[str, str], areas: dict[str, str]
) -> PlaceBank:
    """A bank of these places; `postcodes` and `areas` tell the region by how a number starts.

    What else is the country's own is put in its place in the bank.
    """
    regions: dict[str, list[Place]] = {}
    towns: dict[str, str] = {}
    names: dict[str, str] = {}
    for place in places:
        regions.setdefault(place.region, []).append(place)
        towns.setdefault(fold(place.town), place.region)
        names[fold(place.region)] = names[fold(place.region_name)] = place.region
    by_region = {region: tuple(own) for region, own in regions.items()}
    return PlaceBank(country, by_region, towns, names, postcodes, areas)
