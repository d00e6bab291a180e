"""A span's text in, less of it out: the year of a date, a capped age, three characters of a postcode.

Each gives None where the text cannot be read, or where nothing of it may stay: a plain mark takes its place.
"""

from __future__ import annotations

import functools
import re

from deidlab import languages
from deidlab.languages.language import Language
from deidlab.mask.ages import band_age, cap_age, is_plain_age
from deidlab.mask.dates import year_texts
from deidlab.mask.mention import NoteContext
from deidlab.mask.policy import Action

# Three-digit ZIPs whose areas had 20,000 people or fewer in the 2000 census (OCR guidance on 164.514(b)).
SMALL_ZIP3 = frozenset({
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879",
    "884", "890", "893",
})  # fmt: skip
_ZIP = re.compile(r"\s*([0-9]{3})[0-9]{2}(?:[-\s]?[0-9]{4})?\s*")
_POSTAL = re.compile(r"\s*([A-Z]\d[A-Z])[\s-]?\d[A-Z]\d\s*", re.IGNORECASE)


def reduce_span(action: Action, text: str, before: str, note: NoteContext) -> str | None:
    """What the action leaves of a span; `before` is the text right before it."""
    if action == "year":
        return _year_of(text, before, note)
    if action == "over-89":
        return cap_age(text, "90+") if is_plain_age(text) else None
    if action == "age-band":
        return band_age(text)
    if action == "zip3":
        return zip3(text)
    match = _POSTAL.fullmatch(text)
    return match.group(1) if match else None


def zip3(text: str) -> str | None:
    match = _ZIP.fullmatch(text)
    if match is None:
        return None
    return "000" if match.group(1) in SMALL_ZIP3 else match.group(1)


@functools.lru_cache(maxsize=4)
def _born(everyone: tuple[Language, ...]) -> re.Pattern[str]:
    words = "|".join(word for language in everyone for word in language.ages.born)
    return re.compile(rf"(?:{words})\W*(?:\w+\W+){{0,3}}$", re.IGNORECASE)


def _year_of(text: str, before: str, note: NoteContext) -> str | None:
    born = note.plan.is_old and _born(languages.everyone()).search(before) is not None
    years = year_texts(text, note.day_first, note.language)
    if not years or born or any(note.plan.tells_old_age(year, len(written) == 2) for written, year in years):
        return None
    return "-".join(dict.fromkeys(written for written, _ in years))
