"""Slots of dates and ages: the note's own, those before and after it, and what is told of a life."""

from __future__ import annotations

from datetime import timedelta

from deidlab.make.dates import (
    days_away,
    write_date,
    write_day_of_month,
    write_holiday,
    write_month,
    write_part,
    write_range,
    write_season,
    write_weekday,
    write_weekday_only,
    write_year,
)
from deidlab.make.dates_words import write_foreign, write_spoken
from deidlab.make.grammar import Slot
from deidlab.make.pen import Pen
from deidlab.make.people import say_number


def _on(low: int, high: int) -> Slot:
    return lambda pen: write_date(pen, days_away(pen, low, high))


def _part_on(low: int, high: int) -> Slot:
    return lambda pen: write_part(pen, days_away(pen, low, high))


def _visit(pen: Pen) -> None:
    write_date(pen, pen.cast.day)


def _born(pen: Pen) -> None:
    write_date(pen, pen.cast.born)


def _past(pen: Pen) -> None:
    (write_date if pen.draw() < 0.55 else write_part)(
        pen, days_away(pen, *pen.pick(((-30, -1), (-400, -20), (-5000, -300))))
    )


def _next(pen: Pen) -> None:
    (write_date if pen.draw() < 0.55 else write_part)(pen, pen.cast.day + timedelta(days=pen.number(1, 200)))


def _age(pen: Pen) -> None:
    say_number(pen, pen.cast.age)


def _any_age(pen: Pen) -> None:
    say_number(pen, pen.number(1, 96))


def _adult_age(pen: Pen) -> None:
    say_number(pen, pen.number(35, 97))


def _child_age(pen: Pen) -> None:
    pen.put(str(pen.number(1, 19)), "AGE")


def _months_age(pen: Pen) -> None:
    pen.put(str(pen.pick((2, 3, 4, 6, 9, 12, 13, 14, 15, 16, 18, 20, 22, 24, 30, 36))), "AGE")


def _decade(pen: Pen) -> None:
    kind = pen.pick(
        (
            "30s",
            "40s",
            "50s",
            "60s",
            "70s",
            "80s",
            "90s",
            "fifties",
            "sixties",
            "seventies",
            "eighties",
            "twenties",
            "20s",
            "teens",
        )
    )
    pen.put(kind, "AGE")


def _month_day(pen: Pen) -> None:
    """`3/21`, or `21/3` where the day comes first."""
    when = days_away(pen, -60, 0)
    us = pen.cast.country in ("US", "CA")
    pen.put(f"{when.month}/{when.day}" if us else f"{when.day}/{when.month}", "DATE")


def _month_year(pen: Pen) -> None:
    """`2/62`: a month of a year, in lists of treatments."""
    when = days_away(pen, -3000, 0)
    pen.put(f"{when.month}/{when.year % 100:02d}", "DATE")


TIMES: dict[str, Slot] = {
    "dt.md": _month_day,
    "dt.my": _month_year,
    "dt.visit": _visit,
    "dt.born": _born,
    "dt": _past,
    "dt.next": _next,
    "dt.recent": _on(-14, 0),
    "dt.soon": _on(1, 60),
    "dt.old": _part_on(-9000, -200),
    "dt.part": _part_on(-60, 0),
    "dt.partnext": _part_on(1, 90),
    "dt.year": write_year,
    "dt.day": write_weekday,
    "dt.weekday": write_weekday_only,
    "dt.month": write_month,
    "dt.season": write_season,
    "dt.nth": write_day_of_month,
    "dt.spoken": write_spoken,
    "dt.foreign": write_foreign,
    "dt.holiday": write_holiday,
    "dt.range": write_range,
    "dt.yesterday": _on(-1, 0),
    "age": _age,
    "age.any": _any_age,
    "age.adult": _adult_age,
    "age.child": _child_age,
    "age.decade": _decade,
    "age.months": _months_age,
    "dt.hl7": lambda pen: write_date(pen, pen.cast.day, "compact"),
    "dt.bornhl7": lambda pen: write_date(pen, pen.cast.born, "compact"),
    "age.padded": lambda pen: pen.put(f"{pen.cast.age:03d}", "AGE"),
    "dt.iso": lambda pen: write_date(pen, pen.cast.day, "iso"),
}
"""The slots of dates and ages, by name."""
