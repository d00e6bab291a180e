"""A typed field in, what takes its place out, always of the same type: a date for a date, an age for an age.

Days move by the patient's offset, as the dates in its texts do, or are the first of their year where the
policy leaves only that. Empty is what may not stay at all.
"""

from __future__ import annotations

import datetime as dt
import re

from deidlab.mask.ages import OLDEST
from deidlab.mask.plan import PatientPlan
from deidlab.mask.policy import Action

DAY, BIRTH, AGE = "day", "birth", "age"
BIRTH_PARTS = {"birth-year": 0, "birth-month": 1, "birth-day": 2}
"""A part of a birth date in a column of its own: the field's text is the whole date."""
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DIGIT = re.compile(r"\d")
# No day of anybody's life: what stands for a validity without end.
_ENDLESS = 9000
_BAND = 5


def fill_cell(kind: str, text: str, plan: PatientPlan, action: Action, caps_ages: bool) -> str:
    """What takes the place of a field of that kind under a policy's action."""
    if kind == AGE:
        return _fill_age(text, action)
    match = _DAY.match(text)
    if match is None:
        return ""
    if int(match[1]) >= _ENDLESS:
        return text
    born = kind != DAY
    try:
        day = _day(dt.date(*map(int, match.groups())), plan, action, born and caps_ages)
    except (OverflowError, ValueError):
        return ""
    if kind in BIRTH_PARTS:
        part = BIRTH_PARTS[kind]
        return "" if action == "year" and part else str((day.year, day.month, day.day)[part])
    rest = text[match.end() :]
    return f"{day.isoformat()}{_DIGIT.sub('0', rest) if action == 'year' else rest}"


def _day(day: dt.date, plan: PatientPlan, action: Action, caps: bool) -> dt.date:
    year = plan.cap_birth(day.year) if caps else day.year
    if year != day.year:
        # Over 89: the first of the year in which somebody of 90 was born.
        day = dt.date(year, 1, 1)
    if action == "year":
        return dt.date(day.year, 1, 1)
    return day + dt.timedelta(plan.days)


def _fill_age(text: str, action: Action) -> str:
    try:
        age = int(float(text))
    except (ValueError, OverflowError):
        return ""
    if age > OLDEST:
        return str(OLDEST + 1)
    return str(age - age % _BAND) if action == "age-band" else text
