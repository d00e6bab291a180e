"""The words of the calendar in English and Spanish: months, weekdays, seasons, holidays."""

from __future__ import annotations

import datetime as dt

MONTHS = {
    "en": ["January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December"],
    "es": ["enero", "febrero", "marzo", "abril", "mayo", "junio",
           "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"],
}  # fmt: skip
SHORT_MONTHS = {
    "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    "es": ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
}
_OTHER_SPELLINGS = {"sept": (9, "en", "short"), "setiembre": (9, "es", "long")}
WEEKDAYS = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tues", "tue",
    "wednes", "weds", "wed", "thurs", "thur", "thu", "fri", "sat", "sun", "lunes", "martes", "miércoles",
    "miercoles", "jueves", "viernes", "sábado", "sabado", "domingo",
]  # fmt: skip
SEASONS = {
    "en": ("winter", "spring", "summer", "fall"),
    "es": ("invierno", "primavera", "verano", "otoño"),
}
CONNECTORS = frozenset({
    "and", "or", "to", "through", "thru", "until", "till", "since", "from", "between", "of", "the", "on",
    "at", "in", "by", "early", "late", "mid", "middle", "end", "beginning", "start", "week", "weekend",
    "day", "days", "month", "year", "morning", "afternoon", "evening", "night", "noon", "midnight",
    "last", "next", "this", "am", "pm", "a", "p", "m", "t", "z", "hrs", "h", "dated", "y", "e", "o", "de",
    "del", "al", "el", "la", "los", "las", "desde", "hasta", "entre", "día", "dia", "mes", "año",
    "semana", "fecha",
})  # fmt: skip


def month_forms() -> dict[str, tuple[int, str, str]]:
    """Every spelling of a month in lower case -> its number, language and form ('long' or 'short')."""
    forms: dict[str, tuple[int, str, str]] = dict(_OTHER_SPELLINGS)
    for form, table in (("long", MONTHS), ("short", SHORT_MONTHS)):
        for language, names in table.items():
            for number, name in enumerate(names, start=1):
                forms.setdefault(name.lower(), (number, language, form))
    return forms


def season_forms() -> dict[str, tuple[int, str]]:
    """Every season in lower case -> its number from winter on, and its language."""
    forms = {name: (n, language) for language, names in SEASONS.items() for n, name in enumerate(names)}
    return {**forms, "autumn": (3, "en")}


def season_of(date: dt.date) -> int:
    return date.month % 12 // 3


def middle_of_season(season: int, year: int) -> dt.date:
    return dt.date(year, (1, 4, 7, 10)[season], 15)


def holiday_date(name: str, year: int) -> dt.date | None:
    """The day of a holiday in that year; the name is in lower case."""
    fixed = _FIXED.get(name)
    if fixed:
        return dt.date(year, *fixed)
    if name in ("easter", "easter sunday", "pascua"):
        return _easter(year)
    if name in ("good friday", "viernes santo"):
        return _easter(year) - dt.timedelta(2)
    if name in _NTH:
        return _nth_weekday(year, *_NTH[name])
    return None


def holiday_on(date: dt.date, language: str) -> str | None:
    """The usual name of the holiday on that day, in that language."""
    names = _NAMES[language]
    return next((name for name in names if holiday_date(name.lower(), date.year) == date), None)


def holiday_names() -> list[str]:
    return sorted(
        (*_FIXED, *_NTH, "easter", "easter sunday", "pascua", "good friday", "viernes santo"), key=len
    )[::-1]


_FIXED = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24),
    "new year's": (1, 1), "new year's day": (1, 1), "new years": (1, 1), "new year's eve": (12, 31),
    "valentine's day": (2, 14), "st. patrick's day": (3, 17), "fourth of july": (7, 4), "4th of july": (7, 4),
    "independence day": (7, 4), "halloween": (10, 31), "veterans day": (11, 11),
    "juneteenth": (6, 19), "navidad": (12, 25), "nochebuena": (12, 24), "nochevieja": (12, 31),
    "año nuevo": (1, 1),
    "reyes": (1, 6), "boxing day": (12, 26), "canada day": (7, 1),
}  # fmt: skip
# Month, weekday (Monday is 0), and which of them; -1 is the last.
_NTH = {
    "thanksgiving": (11, 3, 4), "thanksgiving day": (11, 3, 4), "labor day": (9, 0, 1),
    "memorial day": (5, 0, -1),
    "mother's day": (5, 6, 2), "father's day": (6, 6, 3), "columbus day": (10, 0, 2),
    "presidents day": (2, 0, 3),
    "martin luther king day": (1, 0, 3),
}  # fmt: skip
_NAMES = {
    "en": ("Christmas", "Christmas Eve", "New Year's Day", "New Year's Eve", "Valentine's Day",
           "St. Patrick's Day",
           "Independence Day", "Halloween", "Veterans Day", "Easter", "Good Friday", "Thanksgiving",
           "Labor Day",
           "Memorial Day", "Mother's Day", "Father's Day", "Columbus Day", "Presidents Day"),
    "es": ("Navidad", "Nochebuena", "Nochevieja", "Año Nuevo", "Reyes", "Pascua", "Viernes Santo"),
}  # fmt: skip


def _nth_weekday(year: int, month: int, weekday: int, which: int) -> dt.date:
    if which > 0:
        first = dt.date(year, month, 1)
        return first + dt.timedelta((weekday - first.weekday()) % 7 + 7 * (which - 1))
    last = dt.date(year, month + 1, 1) - dt.timedelta(1)
    return last - dt.timedelta((last.weekday() - weekday) % 7)


def _easter(year: int) -> dt.date:
    """The Gregorian computus (Meeus, Astronomical Algorithms, chapter 8)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return dt.date(year, f // 31, f % 31 + 1)
