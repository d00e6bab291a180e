"""A date span and an offset in days in, the shifted date in the same form out; or the year alone.

What is written shifts by the same number of days: full dates exactly, so that every interval holds. Where
the year is not written, the year that brings the date nearest to the last full date of the note is meant.
"""

from __future__ import annotations

import datetime as dt
import re

from deidlab.mask import calendar_words as words
from deidlab.mask.date_parts import DatePart, DateWords, parse_dates

DEFAULT_ANCHOR = dt.date(2063, 7, 1)
FIRST_YEAR, LAST_YEAR = 1800, 2199
_ANY_YEAR = re.compile(r"(?<!\d)(?:1[89]|20|21)\d{2}(?!\d)")


def shift_text(
    text: str, days: int, anchor: dt.date | None = None, day_first: bool = False, language: str = ""
) -> str | None:
    """The span's text with every date in it shifted; None where it cannot be read as dates."""
    parts = parse_dates(text, day_first, language)
    if parts is None:
        return None
    near = next((part.full for part in parts if part.full), None) or anchor or DEFAULT_ANCHOR
    out: list[str] = []
    done = 0
    try:
        for part in parts:
            out += (text[done : part.match.start()], _shift_part(part, days, near, day_first))
            done = part.match.end()
    except (OverflowError, ValueError):
        return None
    return "".join(out) + text[done:]


def anchor_of(text: str, day_first: bool = False, language: str = "") -> dt.date | None:
    """The first full date of a span, or None: what dates without a year are near to."""
    return next((part.full for part in parse_dates(text, day_first, language) or () if part.full), None)


def years_in(text: str) -> list[int]:
    """Every year written with four digits."""
    return [int(year) for year in _ANY_YEAR.findall(text)]


def year_texts(text: str, day_first: bool = False, language: str = "") -> list[tuple[str, int]]:
    """Every year of a span as written, without its apostrophe, and as a number."""
    parts = parse_dates(text, day_first, language) or ()
    found = []
    for part in parts:
        if part.year is None:
            continue
        written = part.match.groupdict().get("year") or part.match.groupdict().get("second") or ""
        found.append((written.lstrip("'’"), part.year))
    return found


def _shift_part(part: DatePart, days: int, near: dt.date, day_first: bool) -> str:
    text = part.match.group()
    if part.kind in ("time", "weekday"):
        return text
    if part.kind == "holiday":
        return _shift_holiday(part, days, near)
    if part.kind == "season":
        return _shift_season(part, days, near)
    if part.kind == "year":
        return _shift_year(part, days)
    old = _date_of(part, near)
    new = old + dt.timedelta(days)
    fields = _new_fields(part, new, days, old, day_first)
    return _refill(part.match, fields)


def _date_of(part: DatePart, near: dt.date) -> dt.date:
    """The date meant: a missing day is the 15th, a missing month or year the one that comes nearest."""
    if part.full:
        return part.full
    if part.year is not None:
        return dt.date(part.year, part.month or 7, part.day or 15)
    month, day = part.month or near.month, part.day or 15
    choices = []
    for year in range(near.year - 4, near.year + 5):
        try:
            choices.append(dt.date(year, month, day))
        except ValueError:
            continue
    if not choices:
        raise ValueError
    return min(choices, key=lambda date: (abs((date - near).days), date))


def _new_fields(part: DatePart, new: dt.date, days: int, old: dt.date, day_first: bool) -> dict[str, str]:
    groups = {k: v for k, v in part.match.groupdict().items() if v is not None}
    fields: dict[str, str] = {}
    if "year" in groups:
        fields["year"] = like_year(groups["year"], new.year)
    if "month" in groups:
        # 5-May-2064 has short months, though May is as long as it gets.
        short = "-" in groups.get("gap1", "") and len(groups["month"]) == 3
        fields["month"] = like_month(part.words, groups["month"], new.month, short)
    if "day" in groups:
        fields["day"] = _pad(groups["day"], new.day, groups["day"].startswith("0"))
        if "ordinal" in groups:
            fields["ordinal"] = _like_ordinal(part.words, groups["ordinal"], new.day)
    if "day2" in groups and part.day is not None:
        _fill_second_day(fields, groups, part, old, days)
    if "first" in groups:
        _fill_numbers(fields, groups, part, new, day_first)
    return fields


def _fill_numbers(
    fields: dict[str, str], groups: dict[str, str], part: DatePart, new: dt.date, day_first: bool
) -> None:
    """The two numbers of a date in digits, in their order and with their zeros."""
    written = [groups[name] for name in ("first", "second") if name in groups]
    pad = all(len(number) == 2 for number in written)
    if part.day is None:
        fields["first"] = _pad(groups["first"], new.month, pad and len(groups["first"]) == 2)
        if "second" in groups:
            fields["second"] = f"{new.year % 100:02d}"
        return
    day_leads = part.kind not in ("ymd", "compact") and (
        int(groups["first"]) > 12 or (day_first and int(groups["second"]) <= 12)
    )
    first, second = (new.day, new.month) if day_leads else (new.month, new.day)
    fields["first"] = _pad(groups["first"], first, pad or groups["first"].startswith("0"))
    fields["second"] = _pad(groups["second"], second, pad or groups["second"].startswith("0"))


def _fill_second_day(
    fields: dict[str, str], groups: dict[str, str], part: DatePart, old: dt.date, days: int
) -> None:
    """The end of `March 14-16`: where it falls into another month, that month is written too."""
    end_old = old.replace(day=int(groups["day2"]))
    end = end_old + dt.timedelta(days)
    begin = old + dt.timedelta(days)
    number = _pad(groups["day2"], end.day, groups["day2"].startswith("0"))
    if "ordinal2" in groups:
        fields["ordinal2"] = _like_ordinal(part.words, groups["ordinal2"], end.day)
    if begin.month == end.month or "month" not in groups:
        fields["day2"] = number
    elif part.kind == "month_day":
        fields["day2"] = f"{like_month(part.words, groups['month'], end.month)} {number}"
    else:
        month = like_month(part.words, groups["month"], begin.month)
        fields["day"] = f"{fields['day']}{fields.pop('ordinal', '')} {month}"
        if "ordinal" in groups:
            fields["ordinal"] = ""
        fields["month"] = like_month(part.words, groups["month"], end.month)
        fields["day2"] = number


def _shift_holiday(part: DatePart, days: int, near: dt.date) -> str:
    """The holiday that the shifted day is, or else the day itself: either way the interval holds."""
    known = part.words.holidays
    name = part.match.group("holiday").lower().replace("’", "'")
    if name not in known:
        name = next(each for each in known if each.replace("'", "") == name.replace("'", ""))
    day_of, calendar = known[name]
    years = [part.year] if part.year is not None else range(near.year - 1, near.year + 2)
    dates = [day_of(year) for year in years]
    new = min(dates, key=lambda date: (abs((date - near).days), date)) + dt.timedelta(days)
    day = calendar.plain_day.format(day=new.day, month=calendar.months[new.month - 1])
    shown = calendar.feast_on(new) or day
    if part.year is None:
        return shown
    between = part.match.group()[
        part.match.end("holiday") - part.match.start() : part.match.start("year") - part.match.start()
    ]
    if shown == day and calendar.before_year is not None:
        between = calendar.before_year
    return shown + between + like_year(part.match.group("year"), new.year)


def _shift_season(part: DatePart, days: int, near: dt.date) -> str:
    number, calendar = part.words.seasons[part.match.group("season").lower()]
    year = part.year if part.year is not None else near.year
    new = words.middle_of_season(number, year) + dt.timedelta(days)
    season = calendar.seasons[words.season_of(new)]
    fields = {"season": like_case(part.match.group("season"), season)}
    if part.year is not None:
        fields["year"] = like_year(part.match.group("year"), new.year)
    return _refill(part.match, fields)


def _shift_year(part: DatePart, days: int) -> str:
    """A year alone moves by the whole years nearest to the offset, at least one, so that the order holds."""
    years = round(days / 365.2425) or (1 if days > 0 else -1)
    year = part.year or 0
    if part.match.group("decade"):
        middle = year - year % 10 + 5 + years
        return _refill(part.match, {"year": like_year(part.match.group("year"), middle - middle % 10)})
    return _refill(part.match, {"year": like_year(part.match.group("year"), year + years)})


def like_year(written: str, year: int) -> str:
    """The year in as many digits as were written, with its apostrophe."""
    digits = written.lstrip("'’")
    mark = written[: len(written) - len(digits)]
    return mark + (f"{year:04d}" if len(digits) == 4 else f"{year % 100:02d}")


def like_month(known: DateWords, written: str, month: int, short: bool = False) -> str:
    _, calendar, is_short = known.months[written.lower()]
    names = calendar.short_months if short or is_short else calendar.months
    return like_case(written, names[month - 1])


def like_case(written: str, new: str) -> str:
    if written.isupper():
        return new.upper()
    if written.islower():
        return new.lower()
    return new[:1].upper() + new[1:]


def _like_ordinal(known: DateWords, written: str, day: int) -> str:
    return like_case(written, known.ordinals[written.lower()].ordinal(day))


def _pad(written: str, number: int, pad: bool) -> str:
    return f"{number:02d}" if pad and len(written) == 2 else str(number)


def _refill(match: re.Match[str], fields: dict[str, str]) -> str:
    """The match's text with these groups written anew."""
    out: list[str] = []
    done = match.start()
    for name in sorted(fields, key=match.start):
        out += (match.string[done : match.start(name)], fields[name])
        done = match.end(name)
    return "".join(out) + match.string[done : match.end()]
