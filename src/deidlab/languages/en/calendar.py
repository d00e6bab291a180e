"""The English calendar."""

from __future__ import annotations

from deidlab.languages.calendar import Calendar, from_easter, nth, on


def _ordinal(day: int) -> str:
    return "th" if 11 <= day % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


CALENDAR = Calendar(
    months=("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December"),
    short_months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    spellings={"sept": (9, True)},
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tues",
              "tue", "wednes", "weds", "wed", "thurs", "thur", "thu", "fri", "sat", "sun"),
    seasons=("winter", "spring", "summer", "fall"),
    season_spellings={"autumn": 3},
    connectors=frozenset({
        "and", "or", "to", "through", "thru", "until", "till", "since", "from", "between", "of", "the", "on",
        "at", "in", "by", "early", "late", "mid", "middle", "end", "beginning", "start", "week", "weekend",
        "day", "days", "month", "year", "morning", "afternoon", "evening", "night", "noon", "midnight",
        "last", "next", "this", "am", "pm", "a", "p", "m", "t", "z", "hrs", "h", "dated",
    }),
    of_month=("of",),
    of_year=("of", "in"),
    of_year_after_month_day=("of",),
    to=("to", "through"),
    ordinals=("st", "nd", "rd", "th"),
    ordinal=_ordinal,
    holidays={
        "christmas": on(12, 25), "christmas day": on(12, 25), "xmas": on(12, 25),
        "christmas eve": on(12, 24), "new year's": on(1, 1), "new year's day": on(1, 1),
        "new years": on(1, 1), "new year's eve": on(12, 31), "valentine's day": on(2, 14),
        "st. patrick's day": on(3, 17), "fourth of july": on(7, 4), "4th of july": on(7, 4),
        "independence day": on(7, 4), "halloween": on(10, 31), "veterans day": on(11, 11),
        "juneteenth": on(6, 19), "boxing day": on(12, 26), "canada day": on(7, 1),
        "thanksgiving": nth(11, 3, 4), "thanksgiving day": nth(11, 3, 4), "labor day": nth(9, 0, 1),
        "memorial day": nth(5, 0, -1), "mother's day": nth(5, 6, 2), "father's day": nth(6, 6, 3),
        "columbus day": nth(10, 0, 2), "presidents day": nth(2, 0, 3), "martin luther king day": nth(1, 0, 3),
        "easter": from_easter(), "easter sunday": from_easter(), "good friday": from_easter(-2),
    },
    feasts=("Christmas", "Christmas Eve", "New Year's Day", "New Year's Eve", "Valentine's Day",
            "St. Patrick's Day", "Independence Day", "Halloween", "Veterans Day", "Easter", "Good Friday",
            "Thanksgiving", "Labor Day", "Memorial Day", "Mother's Day", "Father's Day", "Columbus Day",
            "Presidents Day"),
    plain_day="{month} {day}",
    before_year=", ",
)  # fmt: skip
