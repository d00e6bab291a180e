"""The text of a date span in, its dates out, each with what was written of it.

`parse_dates` gives None where anything in the span is not understood, so that nothing of it can slip through.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from deidlab import languages
from deidlab.languages.calendar import Calendar, Day
from deidlab.languages.language import Language
from deidlab.mask.calendar_words import MonthForm, holiday_forms, month_forms, season_forms


class DateWords(NamedTuple):
    """What dates of all known languages are read by: a pattern a kind, and the words that these know."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    months: dict[str, MonthForm]
    seasons: dict[str, tuple[int, Calendar]]
    holidays: dict[str, tuple[Day, Calendar]]
    ordinals: dict[str, Calendar]
    connectors: frozenset[str]


def date_words(language: str = "") -> DateWords:
    """A word that several languages have is read as that of the notes."""
    own = languages.of(language)
    return _date_words((own, *(each for each in languages.everyone() if each is not own)))


@functools.lru_cache(maxsize=16)
def _date_words(everyone: tuple[Language, ...]) -> DateWords:
    calendars = [language.calendar for language in everyone]
    months, seasons, holidays = month_forms(calendars), season_forms(calendars), holiday_forms(calendars)
    kinds = _kinds(calendars, _any(months), _any(seasons), _any(holidays))
    return DateWords(
        tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in kinds),
        months, seasons, holidays,
        {mark: calendar for calendar in reversed(calendars) for mark in calendar.ordinals},
        frozenset().union(*(calendar.connectors for calendar in calendars)),
    )  # fmt: skip


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace("'", "['’]?") for word in sorted(words, key=len, reverse=True))


def _kinds(calendars: Sequence[Calendar], months: str, seasons: str, holidays: str) -> list[tuple[str, str]]:
    """A pattern a kind. The first that matches at a place wins, so longer forms come before their parts."""

    def joined(name: str) -> str:
        return _any(dict.fromkeys(word for calendar in calendars for word in getattr(calendar, name)))

    month = rf"(?P<month>{months})\b\.?"
    year = r"(?P<year>\d{4}|['’]\d{2})(?!\d)"
    day = rf"(?P<day>\d{{1,2}})(?P<ordinal>{(ordinal := joined('ordinals'))})?"
    day2 = (
        rf"(?:(?P<dash>\s*(?:[-–]|{joined('to')})\s*)"
        rf"(?P<day2>\d{{1,2}})(?P<ordinal2>{ordinal})?(?![\d/]))?"
    )
    of = rf"(?:\s*,)?\s*(?:\b(?:{joined('of_year')})\b\s*)?"
    day_month = (
        rf"{day}{day2}(?P<gap1>[\s-]*(?:\b(?:{joined('of_month')})\b\s*)?){month}"
        rf"(?:(?P<gap>[\s,-]*(?:\b(?:{joined('of_year_after_day_month')})\b\s*)?)"
        r"(?P<year>\d{4}|['’]?\d{2})(?!\d))?"
    )
    then = joined("of_year_after_month_day")
    return [
        ("time", r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[ap]\.?m\b\.?)?(?:Z|[+-]\d{2}:?\d{2})?"),
        ("ymd", r"(?P<year>\d{4})(?P<sep>[-/.])(?P<first>\d{1,2})(?P=sep)(?P<second>\d{1,2})(?!\d)"),
        ("dmy", r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?!\d)"),
        ("compact",
         r"(?P<year>(?:19|20|21)\d{2})(?P<first>0[1-9]|1[0-2])(?P<second>0[1-9]|[12]\d|3[01])(?!\d)"),
        ("holiday", rf"(?P<holiday>{holidays})\b(?:{of}{year})?"),
        ("month_day", rf"{month}\s*{day}(?!\d|/\d){day2}(?:(?P<gap>\s*,?\s*|\s+(?:{then})\s+){year})?"),
        ("day_month", day_month),
        ("month_year",
         rf"{month}(?P<gap>{of}|[-/\s]\s*)(?P<year>\d{{4}}|['’]\d{{2}}|(?<=[-/])\d{{2}})(?!\d)"),
        ("month", month),
        ("season", rf"(?P<season>{seasons})\b(?:{of}{year})?"),
        ("weekday", rf"(?:{joined('weekdays')})s?(?:day)?\b\.?"),
        ("year_num", r"(?P<year>\d{4})(?P<sep>[-/])(?P<first>\d{1,2})(?![\d/-])"),
        ("num_year", r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<year>\d{4})(?!\d)"),
        ("num_day", r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?!\d|(?P=sep)\d)"),
        ("year", r"(?P<year>(?:1[89]|20|21)\d{2}|['’]\d{2})(?!\d)(?P<decade>['’]?s\b)?"),
        ("day", rf"(?P<day>\d{{1,2}})(?P<ordinal>{ordinal})\b"),
    ]  # fmt: skip


_WORD = re.compile(r"[^\W\d_]+")
# Patterns take these for i, s and k in any case, but they are none in small letters.
_POSERS = re.compile("[ıſİ\u212a]")


@dataclass(frozen=True, slots=True)
class DatePart:
    """One date as written: its kind, its match, the words that it was read by, and its numbers (None where
    not written)."""

    kind: str
    match: re.Match[str] = field(repr=False)
    words: DateWords = field(repr=False)
    year: int | None = field(default=None, repr=False)
    month: int | None = field(default=None, repr=False)
    day: int | None = field(default=None, repr=False)

    @property
    def full(self) -> dt.date | None:
        if self.year is None or self.month is None or self.day is None:
            return None
        return dt.date(self.year, self.month, self.day)


def parse_dates(text: str, day_first: bool = False, language: str = "") -> list[DatePart] | None:
    """Every date of a span in order; None where some word or digit of it is no part of a date."""
    if _POSERS.search(text):
        return None
    known = date_words(language)
    parts: list[DatePart] = []
    at = 0
    while at < len(text):
        if not text[at].isalnum() and text[at] not in "'’":
            at += 1
            continue
        if at and text[at].isdigit() and text[at - 1].isdigit():
            return None
        part = _part_at(known, text, at, day_first)
        if part is not None:
            parts.append(part)
            at = part.match.end()
            continue
        word = _WORD.match(text, at)
        if text[at] in "'’":
            at += 1
        elif word and word.group().lower() in known.connectors:
            at = word.end()
        else:
            return None
    return parts if any(part.kind != "time" for part in parts) else None


def _part_at(known: DateWords, text: str, at: int, day_first: bool) -> DatePart | None:
    for kind, pattern in known.patterns:
        match = pattern.match(text, at)
        # A month is a word of its own: 'mar' does not begin 'marked'.
        if match is None or (at and text[at].isalpha() and text[at - 1].isalpha()):
            continue
        try:
            return _read(known, kind, match, day_first)
        except ValueError:
            continue
    return None


def _read(known: DateWords, kind: str, match: re.Match[str], day_first: bool) -> DatePart:
    groups = match.groupdict()
    year = _year(groups.get("year"))
    month = known.months[groups["month"].lower()][0] if groups.get("month") else None
    day = int(groups["day"]) if groups.get("day") else None
    if kind in ("ymd", "compact"):
        month, day = int(groups["first"]), int(groups["second"])
    elif kind in ("dmy", "num_day"):
        first, second = int(groups["first"]), int(groups["second"])
        # What cannot be a month is the day, whichever order was asked for.
        day_leads = (day_first and second <= 12) or first > 12
        month, day = (second, first) if day_leads else (first, second)
    elif kind in ("num_year", "year_num"):
        month = int(groups["first"])
    if kind == "num_day" and (day or 0) > 31 and groups["second"] == str(day):
        # 3/64 is a month and a year.
        year, day = 2000 + (day or 0), None
    _check(year, month, day, groups.get("day2"))
    return DatePart(kind, match, known, year, month, day)


def _check(year: int | None, month: int | None, day: int | None, day2: str | None) -> None:
    """Raise ValueError for a day that no calendar has."""
    if month is not None and not 1 <= month <= 12:
        raise ValueError
    for written in (day, int(day2) if day2 else None):
        if written is not None:
            # 2064 is a leap year: the 29th of February is a day where no year is written.
            dt.date(year if year is not None else 2064, month or 1, written)


def _year(text: str | None) -> int | None:
    if not text:
        return None
    digits = text.lstrip("'’")
    year = int(digits) if len(digits) == 4 else 2000 + int(digits)
    if not 1600 <= year <= 2999:
        raise ValueError
    return year
