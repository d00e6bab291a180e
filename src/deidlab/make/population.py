"""Who lives where a language's notes are from in, a world to draw casts from out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate

from deidlab.errors import ConfigError
from deidlab.languages.language import Population
from deidlab.make.names import draw_family, draw_given, first_family, has_names, without_accents
from deidlab.make.pen import Pen
from deidlab.make.subjects import Person, Town
from deidlab.make.world import World

_OWN_NAMES = 0.5
"""So often a name is one of the language's own list, not of the bank's, where both know the origin."""


def make_world(population: Population) -> World:
    """The world of these people."""
    countries = tuple(code for code, weight in population.countries.items() for _ in range(weight))
    return World(countries, _people(population), _towns(population))


def _people(population: Population) -> Callable[[Pen, str, str], Person]:
    drawn = {country: _draw(weights) for country, weights in population.origins.items()}
    usual = drawn.get("") or (lambda pen: "wide")

    def name(pen: Pen, origin: str, kind: str) -> str:
        own = population.names.get((origin, kind), ())
        if own and (not has_names(origin, kind) or pen.often(_OWN_NAMES)):
            return pen.pick(own)
        return draw_family(pen, origin) if kind == "family" else draw_given(pen, origin, kind)

    def make(pen: Pen, sex: str, family: str) -> Person:
        sex = sex or pen.pick("mf")
        country = pen.cast.country
        origin = drawn.get(country, usual)(pen)
        given = name(pen, origin, sex)
        middle = name(pen, origin, sex) if pen.often(0.3) else ""
        own = first_family(family) if family and pen.often(0.85) else name(pen, origin, "family")
        if pen.often(population.two_families.get(country, population.two_families.get("", 0.0))):
            own += f" {name(pen, origin, 'family')}"
        if not pen.often(population.accents):
            given, middle, own = map(without_accents, (given, middle, own))
        return Person(given, middle, own, sex, "")

    return make


def _draw(weights: Mapping[str, int]) -> Callable[[Pen], str]:
    names, bounds = tuple(weights), tuple(accumulate(weights.values()))
    return lambda pen: names[bisect_right(bounds, pen.draw() * bounds[-1])]


def _towns(population: Population) -> Callable[[Pen, str], Town]:
    by_country: dict[str, list[Town]] = {}
    for country, region, short, name, postcode, area in population.towns:
        by_country.setdefault(country, []).append(Town(name, short, region, postcode, area))

    def make(pen: Pen, country: str) -> Town:
        towns = by_country.get(country)
        if towns is None:
            raise ConfigError(f"no town of {country or 'any country'} is known to make notes with")
        return pen.pick(towns)

    return make
