"""An age as written in, the age as a number and its reduced forms out.

Only what is read as an age altogether (numbers, their units, numbers in words) counts as plain; a span with
any other word in it is none, and nothing of it is to stay.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from deidlab import languages
from deidlab.languages.language import Language

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|[^\W\d_]+|\S")
_YEARS = ("jahre",)
_MARKS = frozenset(".,;:-–—/'’()~<>+½¼¾")
_WORD = re.compile(r"[^\W\d_]+")
OLDEST = 89
_MOST_NUMBERS = 3
_LONGEST = 6


class _AgeWords(NamedTuple):
    """How ages are written in all known languages; `units` has how many of a unit make a year."""

    units: dict[str, int]
    other_unit: re.Pattern[str]
    year_unit: re.Pattern[str]
    unit_behind: re.Pattern[str]
    old: dict[str, int]
    spoken: re.Pattern[str]
    young: frozenset[str]
    beside: frozenset[str]


@functools.lru_cache(maxsize=4)
def _age_words(everyone: tuple[Language, ...]) -> _AgeWords:
    ages = [language.ages for language in everyone]
    # A letter alone is no unit: 97 M is a man.
    units = {word: number for each in ages for word, number in each.units.items()}
    old = {word: number for each in ages for word, number in each.old.items()}
    young = frozenset[str]().union(*(each.young for each in ages))
    others, years, to = (
        "|".join(word for each in ages for word in getattr(each, name)) for name in ("others", "years", "to")
    )
    return _AgeWords(
        units,
        re.compile(rf"\b(?:{others})\b", re.I),
        re.compile("|".join((years, *_YEARS)), re.I),
        re.compile(rf"\s*(?:(?:[-–]|{to})\s*{_NUMBER.pattern})?[\s-]*([^\W\d_]+)", re.I),
        old,
        re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_long_first(old))})(?![^\W\d_])", re.I),
        young,
        frozenset({*units, *old, *young, *_YEARS}).union(*(each.beside for each in ages)),
    )


def _known() -> _AgeWords:
    return _age_words(languages.everyone())


def is_plain_age(text: str) -> bool:
    """Whether the text is one age or a range of them, with its unit, and holds nothing else."""
    n_numbers, n_words, known = 0, 0, _known()
    for match in _TOKEN.finditer(unicodedata.normalize("NFC", text)):
        token = match.group().lower()
        if token[0].isdecimal():
            n_numbers += 1
        elif token in known.old or token in known.young:
            n_words += 1
        elif token not in known.beside and token not in _MARKS:
            return False
    return n_numbers + n_words > 0 and n_numbers <= _MOST_NUMBERS


def ages_in(text: str) -> list[int]:
    """Every age in years that the text names, in whole years; ages in months or days are none."""
    if _known().other_unit.search(text) and not _known().year_unit.search(text):
        return []
    return [_whole(match.group()) for match in _NUMBER.finditer(text)] + _spoken(text)


def is_over_89(text: str) -> bool:
    """Whether some age in the text is over 89, by the unit behind its number; without one it is in years."""
    return any(_years(match) > OLDEST for match in _NUMBER.finditer(text)) or bool(_spoken(text))


def cap_age(text: str, capped: str) -> str:
    """The age, with every number over 89 written as `capped`; a spoken one becomes it altogether."""
    if not is_over_89(text):
        return text
    if _spoken(text):
        return capped
    pattern = re.compile(_NUMBER.pattern + r"(?:'?s\b)?")
    return pattern.sub(lambda match: capped if _years(match) > OLDEST else match.group(), text)


def band_age(text: str, years: int = 5) -> str | None:
    """Every age as its band (47 -> 45-49, over 89 -> 90+); None where no age in years can be read."""
    if not ages_in(text) or not _NUMBER.search(text) or not is_plain_age(text):
        return None
    return _NUMBER.sub(lambda match: _band(_whole(match.group()), years), text)


def _band(age: int, years: int) -> str:
    if age > OLDEST:
        return "90+"
    low = age - age % years
    return f"{low}-{low + years - 1}"


def _spoken(text: str) -> list[int]:
    """The ages over 89 that are written in words; a number may have several."""
    old = _known().old
    words = ("-".join(_WORD.findall(match.group().lower())) for match in _known().spoken.finditer(text))
    return [old[word] for word in words if word in old]


def _long_first(words: Iterable[str]) -> list[str]:
    """The words as patterns, the longest first; those of one number have hyphens or blanks between them."""
    return [re.escape(word).replace(r"\-", r"[-\s]{1,2}") for word in sorted(words, key=len, reverse=True)]


def _years(number: re.Match[str]) -> int:
    """What a number amounts to in whole years, by the unit behind it."""
    unit = _known().unit_behind.match(number.string, number.start() + len(_leading(number.group())))
    return _whole(number.group()) // _known().units.get(unit.group(1).lower() if unit else "", 1)


def _leading(text: str) -> str:
    match = _NUMBER.match(text)
    return match.group() if match else ""


def _whole(number: str) -> int:
    """The number without its fraction; one too long to be an age is just far too old."""
    whole = re.split(r"[.,]", _leading(number))[0]
    return int(whole) if len(whole) <= _LONGEST else 10**_LONGEST
