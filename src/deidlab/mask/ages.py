"""An age as written in, the age as a number and its reduced forms out."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_OTHER_UNIT = re.compile(
    r"\b(?:m(?:o|os|onths?)?|weeks?|wks?|w|d(?:ays?)?|h(?:ours?|rs?)?|meses|mes|semanas?|días?)\b", re.I
)
_YEAR_UNIT = re.compile(r"y(?:ea)?r|\by\b|y/?o|años?|ans|jahre", re.I)
_WORDS = {"ninety": 90, "nineties": 90, "noventa": 90, "hundred": 100, "cien": 100, "centenarian": 100,
          "nonagenarian": 90, "centenaria": 100, "nonagenaria": 90, "nonagenario": 90}  # fmt: skip
_YOUNG = frozenset({
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty",
    "forty", "fifty", "sixty", "seventy", "eighty", "teens", "twenties", "thirties", "forties", "fifties",
    "sixties", "seventies", "eighties", "newborn", "infant", "treinta", "cuarenta", "cincuenta",
    "sesenta", "setenta", "ochenta", "veinte",
})  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
OLDEST = 89


def ages_in(text: str) -> list[int]:
    """Every age in years that the text names, in whole years; ages in months or days are none."""
    if _OTHER_UNIT.search(text) and not _YEAR_UNIT.search(text):
        return []
    found = [int(float(match.replace(",", "."))) for match in _NUMBER.findall(text)]
    spoken = [_WORDS[word.lower()] for word in _WORD.findall(text) if word.lower() in _WORDS]
    return found + spoken


def is_over_89(text: str) -> bool:
    return any(age > OLDEST for age in ages_in(text))


def is_young(text: str) -> bool:
    """An age in months, weeks or days, or one spelled out below ninety."""
    spelled = {word.lower() for word in _WORD.findall(text)}
    return bool(_OTHER_UNIT.search(text)) or (bool(spelled & _YOUNG) and not is_over_89(text))


def cap_age(text: str, capped: str) -> str:
    """The age, with every number over 89 written as `capped`; a spoken one becomes it altogether."""
    if not is_over_89(text):
        return text
    if not _NUMBER.search(text):
        return capped
    pattern = re.compile(_NUMBER.pattern + r"(?:'?s\b)?")
    return pattern.sub(lambda m: capped if int(float(_digits(m.group()))) > OLDEST else m.group(), text)


def band_age(text: str, years: int = 5) -> str | None:
    """Every age as its band (47 -> 45-49, over 89 -> 90+); None where no age in years can be read."""
    if not ages_in(text) or not _NUMBER.search(text):
        return None
    return _NUMBER.sub(lambda m: _band(int(float(_digits(m.group()))), years), text)


def _band(age: int, years: int) -> str:
    if age > OLDEST:
        return "90+"
    low = age - age % years
    return f"{low}-{low + years - 1}"


def _digits(text: str) -> str:
    match = _NUMBER.match(text)
    return match.group().replace(",", ".") if match else "0"
