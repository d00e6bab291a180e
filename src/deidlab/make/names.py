"""A pen in, made-up people out: names of many origins, with particles, hyphens, nicknames and odd ones.

The pools are the shipped banks, further lists of `data/make/names.tsv`, the gazetteers that the rules know,
and syllables: a tagger that has learned lists by heart would fail on the first name outside them.
"""

from __future__ import annotations

import functools
import unicodedata
from bisect import bisect_right
from itertools import accumulate

from deidlab.banks import name_pool, origins
from deidlab.make.lists import table, words
from deidlab.make.pen import Pen
from deidlab.make.reading import gazetteer, own_text
from deidlab.make.subjects import Person

# How often an origin is drawn; those not named here have weight 1, scripts other than Latin none.
_WEIGHTS = table("names", "weights")
_STARTS = words("names_starts")
_VOWELS = words("names_vowels")
_ENDS = words("names_ends")
_SHORT_ENDS = words("names_short_ends")


def make_person(pen: Pen, sex: str = "", family: str = "") -> Person:
    """A person of the sex ('m', 'f' or either), and of the family where one is given."""
    sex = sex or ("f" if pen.draw() < 0.53 else "m")
    origin = _origin(pen)
    given = draw_given(pen, origin, sex)
    if pen.draw() < 0.05:
        given = f"{given}{pen.pick(('-', ' '))}{draw_given(pen, origin, sex)}"
    middle = ""
    if pen.draw() < 0.3:
        middle = draw_given(pen, origin, sex)
    own = family if family and pen.draw() < 0.85 else draw_family(pen, origin)
    if not family and pen.draw() < 0.05:
        own = f"{own}{pen.pick(('-', '-', ' '))}{draw_family(pen, origin)}"
    nickname = pen.pick(_pool("nickname", sex)) if pen.draw() < 0.15 else ""
    if pen.draw() < 0.6:  # most systems keep no accents
        given, middle, own, nickname = map(without_accents, (given, middle, own, nickname))
    return Person(given, middle, own, sex, nickname)


def make_family_name(pen: Pen) -> str:
    return draw_family(pen, _origin(pen))


def make_given_name(pen: Pen, sex: str = "") -> str:
    return draw_given(pen, _origin(pen), sex or pen.pick("mf"))


def draw_given(pen: Pen, origin: str, sex: str) -> str:
    """A given name of the origin; `made` and `wide` are names that few have, or any."""
    if origin in ("made", "wide"):
        if pen.draw() < 0.25:
            return _syllables(pen, short=True)
        return pen.pick(_wide("given"))
    return pen.pick(_pool(origin, sex))


def draw_family(pen: Pen, origin: str) -> str:
    """A family name of the origin."""
    if origin == "made":
        return _syllables(pen)
    if origin == "wide":
        return pen.pick(_wide("family"))
    return pen.pick(_pool(origin, "family"))


def has_names(origin: str, kind: str) -> bool:
    """Whether there is a list of such names here."""
    return origin in ("made", "wide") or bool(_pool(origin, kind))


def first_family(family: str) -> str:
    """The first of two family names, with the particles before it."""
    words = family.split(" ")
    end = next((n for n, word in enumerate(words, 1) if word[:1].isupper()), len(words))
    return " ".join(words[:end])


def _syllables(pen: Pen, short: bool = False) -> str:
    """A name that nobody has, or few."""
    n = 1 if short else pen.number(1, 2)
    letters = "".join(pen.pick(_STARTS) + pen.pick(_VOWELS) for _ in range(n))
    ending = pen.pick(_SHORT_ENDS if short else _ENDS)
    if letters[-1] in "aeiouy" and ending[0] in "aeiouy":
        letters += pen.pick("bdgklmnprstvz")
    name = (letters + ending).capitalize()
    if not short and pen.draw() < 0.06:
        name = pen.pick(("Mc", "Mac", "O'", "D'", "Fitz", "Al-", "Abu-", "Ben-")) + name
    return name


def _origin(pen: Pen) -> str:
    names, bounds = _origins()
    return names[bisect_right(bounds, pen.draw() * bounds[-1])]


@functools.cache
def _origins() -> tuple[tuple[str, ...], tuple[int, ...]]:
    banks = [origin for origin in origins() if not origin.endswith("-script")]
    names = tuple(dict.fromkeys((*banks, *(origin for origin, _ in _further()), "wide", "made")))
    return names, tuple(accumulate(_WEIGHTS.get(name, 1) for name in names))


@functools.cache
def _pool(origin: str, kind: str) -> tuple[str, ...]:
    further = _further().get((origin, kind), ())
    return (*(name_pool(origin, kind) if origin in origins() else ()), *further)


@functools.cache
def _further() -> dict[tuple[str, str], tuple[str, ...]]:
    text = own_text("names.tsv")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {
        (origin, kind): tuple(name.replace("_", " ") for name in names.split())
        for origin, kind, names in rows
    }


@functools.cache
def _wide(kind: str) -> tuple[str, ...]:
    """The gazetteer's names, which are in lower case, as they are written."""
    return tuple(sorted(_title(name) for name in gazetteer(kind) if len(name) > 2 and name.isalpha()))


def _title(name: str) -> str:
    if name.startswith("mc") and len(name) > 4:
        return "Mc" + name[2:].capitalize()
    return name.capitalize()


@functools.lru_cache(maxsize=65536)
def without_accents(name: str) -> str:
    """The name as systems keep it that know no accents."""
    if name.isascii():
        return name
    plain = unicodedata.normalize("NFKD", name).replace("ł", "l").replace("ø", "o").replace("đ", "d")
    return "".join(c for c in plain if unicodedata.category(c) != "Mn")
