"""Dates: every form shifts by one offset a patient, and all intervals hold."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab.mask.dates import shift_text
from deidlab.mask.keys import Keyring
from deidlab.mask.plan import offset_days
from tests.unit.mask.notes import KEY, masked, one

WEEKS = 37


@pytest.mark.parametrize(
    ("text", "shifted"),
    [
        ("2064-03-14", "2064-11-28"),
        ("3/14/2064", "11/28/2064"),
        ("03/14/64", "11/28/64"),
        ("12/30/2063", "09/14/2064"),
        ("14/3/2064", "28/11/2064"),
        ("14.03.2064", "28.11.2064"),
        ("3/14", "11/28"),
        ("3-14-64", "11-28-64"),
        ("20640314", "20641128"),
        ("3/2064", "11/2064"),
        ("3/64", "11/64"),
        ("2064-03", "2064-11"),
        ("March 14, 2064", "November 28, 2064"),
        ("March 14th, 2064", "November 28th, 2064"),
        ("MARCH 14 2064", "NOVEMBER 28 2064"),
        ("14 March 2064", "28 November 2064"),
        ("14-Mar-2064", "28-Nov-2064"),
        ("14-Mar-64", "28-Nov-64"),
        ("Mar 14", "Nov 28"),
        ("March 2064", "November 2064"),
        ("Mar-64", "Nov-64"),
        ("14 de marzo de 2064", "28 de noviembre de 2064"),
        ("marzo de 2064", "noviembre de 2064"),
        ("Tuesday", "Tuesday"),
        ("Friday, 3/14/2064", "Friday, 11/28/2064"),
        ("Monday, May 5th, 2064", "Monday, January 19th, 2065"),
        ("2064", "2065"),
        ("'64", "'65"),
        ("2060-2064", "2061-2065"),
        ("3/14-3/16", "11/28-11/30"),
        ("3/14/64 - 3/18/64", "11/28/64 - 12/2/64"),
        ("March 14-16, 2064", "November 28-30, 2064"),
        ("March 14-18, 2064", "November 28-December 2, 2064"),
        ("14-18 de marzo", "28 noviembre-2 de diciembre"),
        ("2064-03-14T10:30:00", "2064-11-28T10:30:00"),
        ("01/02/2064 10:30 AM", "09/17/2064 10:30 AM"),
        ("summer of 2064", "spring of 2065"),
        ("Christmas 2064", "September 10, 2065"),
        ("Navidad de 2064", "10 de septiembre de 2065"),
        ("2060s", "2060s"),
    ],
)
def test_forms_are_kept(text, shifted):
    assert shift_text(text, 7 * WEEKS) == shifted


def test_a_holiday_that_falls_on_a_holiday_is_named():
    # Easter 2064 is the 6th of April; 38 weeks and 2 days later comes Christmas Eve, but offsets are whole weeks.
    assert shift_text("Thanksgiving 2063", 7 * 52) == "November 20, 2064"
    assert shift_text("Thanksgiving 2064", 7 * 52) == "Thanksgiving 2065"


@pytest.mark.parametrize(
    "text", ["13/45/2064", "2/30/2064", "2/29/2063", "two weeks ago", "99", "31 de febrero", "3/14/20645"]
)
def test_what_is_no_date_is_not_read(text):
    assert shift_text(text, 7 * WEEKS) is None


def test_an_invalid_date_keeps_its_shape_and_nothing_else():
    new = one("DATE", "13/45/2064")
    assert new != "13/45/2064" and [len(n) for n in new.split("/")] == [2, 2, 4]
    assert one("DATE", "two weeks after Lent") == "[DATE]"


def test_day_first():
    assert shift_text("3/4/2064", 7, day_first=True) == "10/4/2064"
    assert shift_text("3/4/2064", 7) == "3/11/2064"


@given(
    st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)),
    st.integers(-260, 260),
    st.sampled_from(["%Y-%m-%d", "%m/%d/%Y", "%B %d, %Y", "%d-%b-%Y", "%A, %d %B %Y"]),
)
@settings(max_examples=400, deadline=None)
def test_every_full_date_shifts_by_exactly_the_offset(date, weeks, form):
    shifted = shift_text(date.strftime(form), 7 * weeks)
    new = date + dt.timedelta(7 * weeks)
    assert dt.datetime.strptime(shifted, form).date() == new
    # Whole weeks: the weekday that may stand beside a date still holds.
    assert new.weekday() == date.weekday()


@given(
    st.lists(st.dates(dt.date(2050, 1, 1), dt.date(2070, 12, 31)), min_size=2, max_size=6),
    st.binary(min_size=16, max_size=16),
)
@settings(max_examples=100, deadline=None)
def test_two_notes_of_a_patient_keep_every_interval(dates, key):
    notes = [f"on {{DATE:{date:%m/%d/%Y}}} and {{DATE:{date:%B %d, %Y}}}" for date in dates]
    new = [dt.datetime.strptime(text.split()[1], "%m/%d/%Y").date() for text in masked(*notes, key=key)]
    assert [b - a for a, b in itertools.pairwise(new)] == [b - a for a, b in itertools.pairwise(dates)]
    assert 26 * 7 <= abs((new[0] - dates[0]).days) <= 260 * 7


@given(
    st.dates(dt.date(2050, 1, 1), dt.date(2070, 12, 31)),
    st.integers(-180, 180),
    st.binary(min_size=16, max_size=16),
)
@settings(max_examples=200, deadline=None)
def test_dates_without_a_year_keep_their_distance_to_the_date_before(date, days, key):
    other = date + dt.timedelta(days)
    (text,) = masked(f"{{DATE:{date:%Y-%m-%d}}} {{DATE:{other.month}/{other.day}}}", key=key)
    full, partial = text.split()
    new = dt.date.fromisoformat(full) + dt.timedelta(days)
    assert [int(number) for number in partial.split("/")] == [new.month, new.day]


def test_offsets_are_whole_weeks_of_26_to_260_and_both_ways():
    ring = Keyring(KEY)
    days = [offset_days(ring, f"p{number}") for number in range(3000)]
    assert all(day % 7 == 0 and 26 <= abs(day) // 7 <= 260 for day in days)
    assert min(days) < -250 * 7 and max(days) > 250 * 7
    assert len(set(days)) > 400


@given(st.integers(1900, 2098), st.integers(26, 260).flatmap(lambda n: st.sampled_from([n, -n])))
@settings(deadline=None)
def test_the_order_of_years_holds(year, weeks):
    assert shift_text(str(year), 7 * weeks) != str(year)
    assert int(shift_text(str(year), 7 * weeks)) < int(shift_text(str(year + 1), 7 * weeks))


def test_ages_hold_when_all_dates_shift_alike():
    assert one("AGE", "47") == "47"
    assert one("AGE", "91-year-old") == "90-year-old"
