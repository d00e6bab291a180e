"""The words of a language's calendar: months, weekdays, seasons, holidays, and what joins them to dates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Day = Callable[[int], dt.date]
"""The day of a holiday in a year."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calendar:
    """How days are named in a language; names as they are written there, spellings in lower case.

    `spellings` are further ones of a month, with its number and whether it is a short form; those of seasons
    have their number from winter on. `holidays` has every spelling of a holiday and its day, `feasts` the
    usual name of each, the first to be taken for a day coming first. A holiday that moved to a plain day is
    written as `plain_day`, and its year behind `before_year` (None: as it was). The `of_` words stand between
    a day and its month, before the year behind a month, behind a day and month, and behind a month and day;
    the `to` words between two days. `connectors` are all other words that a date may have in it. `ordinals`
    are what may stand right behind the number of a day, `ordinal` what is written behind it (4th, 1er).
    """

    months: tuple[str, ...] = ()
    short_months: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    weekdays: tuple[str, ...] = ()
    seasons: tuple[str, ...] = ()
    season_spellings: Mapping[str, int] = field(default_factory=dict)
    connectors: frozenset[str] = frozenset()
    of_month: tuple[str, ...] = ()
    of_year: tuple[str, ...] = ()
    of_year_after_day_month: tuple[str, ...] = ()
    of_year_after_month_day: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    ordinals: tuple[str, ...] = ()
    ordinal: Callable[[int], str] = lambda day: ""
    holidays: Mapping[str, Day] = field(default_factory=dict)
    feasts: tuple[str, ...] = ()
    plain_day: str = "{day} {month}"
    before_year: str | None = None

    def feast_on(self, date: dt.date) -> str | None:
        """The usual name of the holiday on that day."""
        return next((name for name in self.feasts if self.holidays[name.lower()](date.year) == date), None)


def on(month: int, day: int) -> Day:
    """The same day every year."""
    return lambda year: dt.date(year, month, day)


def nth(month: int, weekday: int, which: int) -> Day:
    """Such as the fourth Thursday of November; Monday is 0, and -1 the last of a month."""

    def find(year: int) -> dt.date:
        if which > 0:
            first = dt.date(year, month, 1)
            return first + dt.timedelta((weekday - first.weekday()) % 7 + 7 * (which - 1))
        last = dt.date(year, month + 1, 1) - dt.timedelta(1)
        return last - dt.timedelta((last.weekday() - weekday) % 7)

    return find


def from_easter(days: int = 0) -> Day:
    """So many days after Easter Sunday."""
    return lambda year: _easter(year) + dt.timedelta(days)


def _easter(year: int) -> dt.date:
    """The Gregorian computus (Meeus, Astronomical Algorithms, chapter 8)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return dt.date(year, f // 31, f % 31 + 1)
