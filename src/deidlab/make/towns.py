"""A country in, its towns out: those of the lists, with region, postcode and area code."""

from __future__ import annotations

import functools

from deidlab.banks import united_states
from deidlab.make.reading import gazetteer, own_text
from deidlab.make.subjects import Town


@functools.cache
def city_names() -> tuple[str, ...]:
    """Cities of the whole world by name alone."""
    return tuple(
        sorted(
            word.title() for word in gazetteer("cities") if len(word) > 3 and word.replace(" ", "").isalpha()
        )
    )


@functools.cache
def listed_towns(country: str) -> tuple[Town, ...]:
    """All towns of a country that there are lists of."""
    if country == "US":
        regions = united_states().regions.values()
        return tuple(
            Town(place.town, place.region, place.region_name, place.postcode, place.area_code)
            for places in regions
            for place in places
        )
    text = own_text("places.tsv")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(
        Town(town, region, _FULL.get(region, region), postcode, area)
        for own, region, postcode, area, towns in rows
        if own == country
        for town in towns.split(",")
    )


_FULL = {
    "ON": "Ontario",
    "QC": "Quebec",
    "BC": "British Columbia",
    "AB": "Alberta",
    "SK": "Saskatchewan",
    "MB": "Manitoba",
    "NS": "Nova Scotia",
    "NB": "New Brunswick",
    "NL": "Newfoundland",
    "PE": "Prince Edward Island",
    "NSW": "New South Wales",
    "VIC": "Victoria",
    "QLD": "Queensland",
    "SA": "South Australia",
    "WA": "Western Australia",
    "TAS": "Tasmania",
    "NT": "Northern Territory",
}
