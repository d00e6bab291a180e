"""Dates in words alone, as they are dictated, and in another language, as bilingual places write them."""

from __future__ import annotations

from deidlab.make.dates import MONTHS, days_away
from deidlab.make.lists import words
from deidlab.make.pen import Pen

_ONES = words("numbers_ones")
_TENS = words("numbers_tens")
_DAY_WORDS = words("dates_day_words")
_GALLIC = words("dates_gallic")
_CASTILIAN = words("dates_castilian")


def write_spoken(pen: Pen) -> None:
    """A date as it is dictated, in words alone."""
    when = days_away(pen, -900, 60)
    month = MONTHS[when.month - 1]
    day = _DAY_WORDS[when.day - 1]
    text = pen.pick((f"{month} {day}", f"{month} the {day}", f"the {day} of {month}", f"{month} {day}"))
    if pen.draw() < 0.6:
        year = _year_words(pen, when.year)
        text += pen.pick((" ", ", ", " ")) + year
    if text.startswith("the "):
        pen.put("the ")
        text = text[4:]
    pen.put(text, "DATE")


def _year_words(pen: Pen, year: int) -> str:
    last = _number_words(year % 100)
    if year >= 2000:
        start = pen.pick(("two thousand", "two thousand and", "twenty"))
        return f"{start} {last}" if year % 100 > 9 or start != "twenty" else f"two thousand {last}"
    return f"nineteen {last}"


def _number_words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10 - 2] + (f" {_ONES[number % 10]}" if number % 10 else "")


def write_foreign(pen: Pen) -> None:
    """A date in another language, as bilingual places have it."""
    when = days_away(pen, -2000, 60)
    if pen.draw() < 0.6:
        text = f"{when.day} {_GALLIC[when.month - 1]} {when.year}"
    else:
        text = f"{when.day} de {_CASTILIAN[when.month - 1]} {pen.pick(('de', 'del'))} {when.year}"
    pen.put(text, "DATE")
