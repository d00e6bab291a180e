"""A pen in, dates out, as clinicians of a country write them.

Offsets are days from the day of the note. Numbers are never zero-padded by the system's locale, so that a
seed writes the same on every machine.
"""

from __future__ import annotations

from datetime import date, timedelta

from deidlab.make.lists import words
from deidlab.make.pen import Pen

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_SHORT = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_SHORT = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAYS_ODD = ("Mon", "Tues", "Weds", "Thurs", "Fri", "Sat", "Sun")
_SEASONS = ("spring", "summer", "autumn", "fall", "winter", "Spring", "Summer", "Fall", "Winter")
_HOLIDAYS = words("dates_holidays")


def write_date(pen: Pen, when: date, style: str = "") -> None:
    """A whole date; the note's usual style, unless one is given or chance has it otherwise."""
    text = format_date(pen, when, style or usual_style(pen))
    pen.put(_with_weekday(pen, when, text) if pen.draw() < 0.05 else text, "DATE")


def usual_style(pen: Pen) -> str:
    if pen.draw() < 0.65:
        return pen.cast.date_style
    return pen.pick(styles_of(pen.cast.country))


def styles_of(country: str) -> tuple[str, ...]:
    if country == "US":
        return (
            "us",
            "us",
            "us2",
            "us2",
            "us_short",
            "iso",
            "long_us",
            "long_us",
            "short_us",
            "dash_month",
            "ordinal_us",
            "dots",
            "dashes",
            "compact",
            "glued",
            "slash_iso",
            "short_uk",
        )
    return (
        "uk",
        "uk",
        "uk",
        "uk2",
        "uk2",
        "iso",
        "long_uk",
        "long_uk",
        "short_uk",
        "short_uk",
        "dots",
        "ordinal_uk",
        "of_uk",
        "dash_month",
        "glued",
        "dashes",
        "long_us",
    )


def format_date(pen: Pen, when: date, style: str) -> str:
    """A date in one style; what the style leaves open (two digits or four) chance decides."""
    y, m, d = when.year, when.month, when.day
    yy = f"{y % 100:02d}"
    if style == "us":
        return f"{m:02d}/{d:02d}/{y}"
    if style == "us2":
        return f"{m}/{d}/{yy}"
    if style == "us_short":
        return f"{m}/{d}/{y}" if pen.draw() < 0.6 else f"{m:02d}/{d:02d}/{yy}"
    if style == "iso":
        return f"{y}-{m:02d}-{d:02d}"
    if style == "slash_iso":
        return f"{y}/{m:02d}/{d:02d}"
    if style == "uk":
        return f"{d:02d}/{m:02d}/{y}"
    if style == "uk2":
        return f"{d}/{m}/{yy}"
    if style == "dots":
        return f"{d:02d}.{m:02d}.{y if pen.draw() < 0.5 else yy}"
    if style == "dashes":
        return f"{m:02d}-{d:02d}-{y if pen.draw() < 0.5 else yy}"
    if style == "compact":
        return f"{y}{m:02d}{d:02d}"
    return _in_words(pen, when, style)


def _in_words(pen: Pen, when: date, style: str) -> str:
    d, y, yy = when.day, when.year, f"{when.year % 100:02d}"
    month, short = MONTHS[when.month - 1], _SHORT[when.month - 1]
    if style == "long_us":
        return f"{month} {d}, {y}"
    if style == "short_us":
        return f"{short}{pen.pick(('', '.', ''))} {d}, {y}"
    if style == "long_uk":
        return f"{d} {month} {y}"
    if style == "short_uk":
        return f"{d:02d} {short} {y}" if pen.draw() < 0.7 else f"{d} {short} {yy}"
    if style == "dash_month":
        name = short.upper() if pen.draw() < 0.4 else short
        return f"{d:02d}-{name}-{y if pen.draw() < 0.6 else yy}"
    if style == "glued":
        return f"{d:02d}{short if pen.draw() < 0.5 else short.upper()}{y if pen.draw() < 0.6 else yy}"
    if style == "ordinal_us":
        return f"{month} {_ordinal(d)}, {y}"
    if style == "of_uk":
        return f"{_ordinal(d)} of {month} {y}"
    return f"{_ordinal(d)} {month} {y}"


def write_part(pen: Pen, when: date) -> None:
    """A date that leaves something out: the year, the day, or both."""
    kind = pen.draw()
    us = pen.cast.country in ("US", "CA")
    m, d, y = when.month, when.day, when.year
    month = MONTHS[m - 1] if pen.draw() < 0.6 else _SHORT[m - 1]
    if kind < 0.3:
        text = f"{m}/{d}" if us else f"{d}/{m}"
        if pen.draw() < 0.2:
            text = f"{m:02d}/{d:02d}" if us else f"{d:02d}/{m:02d}"
    elif kind < 0.5:
        text = f"{month} {d if pen.draw() < 0.6 else _ordinal(d)}" if us else f"{_ordinal(d)} {month}"
        if not us and pen.draw() < 0.4:
            text = f"{d} {month}"
    elif kind < 0.66:
        text = f"{month} {y}" if pen.draw() < 0.75 else f"{month} of {y}"
    elif kind < 0.72:
        text = f"{m:02d}/{y}" if pen.draw() < 0.6 else f"{m}/{y % 100:02d}"
    elif kind < 0.9:
        text = str(y) if pen.draw() < 0.85 else f"'{y % 100:02d}"
    elif kind < 0.97:
        text = month if month != "May" or pen.draw() < 0.5 else "June"
    else:
        text = f"{MONTHS[m - 1]}, {y}"
    if kind < 0.5 and pen.draw() < 0.15:
        text = _with_weekday(pen, when, text)
    pen.put(text, "DATE")


def write_year(pen: Pen, low: int = -40, high: int = 0) -> None:
    year = pen.cast.day.year + pen.number(low, high)
    kind = pen.draw()
    if kind < 0.84:
        text = str(year)
    elif kind < 0.93:
        text = f"{year // 10 * 10}s"
    else:
        text = f"'{year % 100:02d}"
    pen.put(text, "DATE")


def write_weekday(pen: Pen) -> None:
    text = pen.pick(_DAYS)
    if pen.draw() < 0.35:
        text = pen.pick(_DAYS_ODD)
    pen.put(text, "DATE")


def write_day_of_month(pen: Pen) -> None:
    """`the 12th`: a day whose month is understood."""
    pen.put(_ordinal(pen.number(1, 31)), "DATE")


def write_weekday_only(pen: Pen) -> None:
    """A weekday in full, as it stands at the end of a sentence."""
    pen.put(pen.pick(_DAYS), "DATE")


def write_month(pen: Pen) -> None:
    pen.put(pen.pick(MONTHS) if pen.draw() < 0.8 else pen.pick(_SHORT), "DATE")


def write_season(pen: Pen) -> None:
    season = pen.pick(_SEASONS)
    if pen.draw() < 0.3:
        season += f"{pen.pick((' ', ' of '))}{pen.cast.day.year - pen.number(0, 12)}"
    pen.put(season, "DATE")


def write_holiday(pen: Pen) -> None:
    holiday = pen.pick(_HOLIDAYS)
    if holiday.startswith("the "):
        pen.put("the ")
        holiday = holiday[4:]
    if pen.draw() < 0.1:
        holiday += f" {pen.cast.day.year - pen.number(0, 6)}"
    pen.put(holiday, "DATE")


def write_range(pen: Pen) -> None:
    """From one day to another, in one span where the first is not whole, in two otherwise."""
    first = days_away(pen, -400, -5)
    last = first + timedelta(days=pen.number(1, 12))
    if pen.draw() < 0.5:
        style = usual_style(pen)
        pen.put(format_date(pen, first, style), "DATE")
        pen.put(pen.pick((" to ", " - ", "-", " through ", " until ", " – ", "–")))
        pen.put(format_date(pen, last, style), "DATE")
        return
    us = pen.cast.country in ("US", "CA")
    parts = [f"{when.month}/{when.day}" if us else f"{when.day}/{when.month}" for when in (first, last)]
    pen.put(parts[0], "DATE")
    pen.put(pen.pick((" to ", " - ", " through ", "–")))
    pen.put(parts[1], "DATE")


def days_away(pen: Pen, low: int, high: int) -> date:
    """A day between so many days from the note's."""
    return pen.cast.day + timedelta(days=pen.number(low, high))


def _with_weekday(pen: Pen, when: date, text: str) -> str:
    if pen.draw() < 0.6:
        return f"{_DAYS[when.weekday()]}{pen.pick((', ', ' '))}{text}"
    return f"{_DAYS_SHORT[when.weekday()]}{pen.pick((' ', ', ', '. '))}{text}"


def _ordinal(day: int) -> str:
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
