"""Places of the countries where notes are written in French, as data beside this file."""

from __future__ import annotations

import functools
from dataclasses import replace
from importlib import resources

from deidlab.banks import Place, PlaceBank, fold, make_bank

_FOLDER = "deidlab.languages.fr"
# Letters that the postcodes of a Canadian province begin with, beside those of its listed towns.
_LETTERS = {"A": "NL", "B": "NS", "C": "PE", "E": "NB", "G": "QC", "H": "QC", "J": "QC", "K": "ON", "L": "ON",
            "M": "ON", "N": "ON", "P": "ON", "R": "MB", "S": "SK", "T": "AB", "V": "BC"}  # fmt: skip


@functools.cache
def rows() -> tuple[tuple[str, ...], ...]:
    """Country, code and name of a region, start of its postcodes, area code, and its towns."""
    text = resources.files(_FOLDER).joinpath("places.tsv").read_text("utf-8")
    return tuple(tuple(line.split("\t")) for line in text.splitlines() if line and line[0] != "#")


def _places(country: str) -> list[Place]:
    return [
        Place(town, code, name, postcode, area)
        for where, code, name, postcode, area, towns in rows()
        if where == country
        for town in towns.split(", ")
    ]


def _bank(country: str, code_digits: int) -> PlaceBank:
    """Number plates of departments are no names: `01` is not the region of anything else."""
    places = _places(country)
    postcodes = {place.postcode[:code_digits]: place.region for place in places if place.postcode}
    areas = {place.area_code: place.region for place in places if place.area_code}
    return replace(make_bank(country, places, postcodes, areas), code_digits=code_digits)


@functools.cache
def france() -> PlaceBank:
    return _bank("FR", 2)


@functools.cache
def canada() -> PlaceBank:
    bank = _bank("CA", 1)
    known = {letter: region for letter, region in _LETTERS.items() if region in bank.regions}
    written = {fold(short): "QC" for short in ("Qc", "P.Q.", "PQ", "Que", "Québec")}
    return replace(bank, postcodes={**bank.postcodes, **known}, names={**bank.names, **written})


@functools.cache
def belgium() -> PlaceBank:
    return _bank("BE", 1)


@functools.cache
def switzerland() -> PlaceBank:
    return _bank("CH", 2)


@functools.cache
def luxembourg() -> PlaceBank:
    return _bank("LU", 2)


@functools.cache
def maghreb() -> PlaceBank:
    return _bank("MA", 2)


@functools.cache
def west_africa() -> PlaceBank:
    return _bank("SN", 2)
