"""The words of the calendar in all known languages: those of one stand in notes of another too."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from deidlab.languages.calendar import Calendar, Day

MonthForm = tuple[int, Calendar, bool]
"""The number of a month, the calendar that it is written by, and whether its form is a short one."""


def month_forms(calendars: Sequence[Calendar]) -> dict[str, MonthForm]:
    """Every spelling of a month in lower case; the first calendar that has it decides, long forms first."""
    forms: dict[str, MonthForm] = {}
    for short in (False, True):
        for calendar in calendars:
            names = calendar.short_months if short else calendar.months
            for number, name in enumerate(names, start=1):
                forms.setdefault(name.lower(), (number, calendar, short))
            for spelling, (number, is_short) in calendar.spellings.items():
                if is_short == short:
                    forms.setdefault(spelling, (number, calendar, short))
    return forms


def season_forms(calendars: Sequence[Calendar]) -> dict[str, tuple[int, Calendar]]:
    """Every season in lower case -> its number from winter on, and its calendar."""
    forms: dict[str, tuple[int, Calendar]] = {}
    for calendar in calendars:
        for number, name in enumerate(calendar.seasons):
            forms.setdefault(name.lower(), (number, calendar))
        for name, number in calendar.season_spellings.items():
            forms.setdefault(name, (number, calendar))
    return forms


def holiday_forms(calendars: Sequence[Calendar]) -> dict[str, tuple[Day, Calendar]]:
    """Every holiday in lower case -> its day in a year, and its calendar; long names first."""
    forms: dict[str, tuple[Day, Calendar]] = {}
    for calendar in calendars:
        for name, day in calendar.holidays.items():
            forms.setdefault(name, (day, calendar))
    return dict(sorted(forms.items(), key=lambda item: -len(item[0])))


def season_of(date: dt.date) -> int:
    return date.month % 12 // 3


def middle_of_season(season: int, year: int) -> dt.date:
    return dt.date(year, (1, 4, 7, 10)[season], 15)
