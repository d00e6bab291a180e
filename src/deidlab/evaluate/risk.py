"""What is known of each patient in, how alone the values leave them out: equivalence classes, and linkage.

A value may be coarse: an age can be a band (45-49, 90+), a postcode its first digits. A value has a form,
and another value is brought to that form before the two are compared. What is not known is a value of its own
among the patients, and fits anybody in a population.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial as bind

from deidlab.evaluate.binomial import believable_share
from deidlab.evaluate.intervals import Interval

SMALL, SMALLER = 11, 5
_BAND = re.compile(r"(\d+)\s*[-–]\s*(\d+)")
_OLDEST = 89

Row = tuple[str, ...]
Change = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Profiles:
    """Of each patient a value of every attribute, empty where nothing is known."""

    attributes: tuple[str, ...]
    rows: tuple[Row, ...] = field(repr=False)

    def only(self, names: Iterable[str]) -> Profiles:
        """The same with these attributes alone."""
        wanted = set(names)
        kept = [name for name in self.attributes if name in wanted]
        places = [self.attributes.index(name) for name in kept]
        return Profiles(tuple(kept), tuple(tuple(row[at] for at in places) for row in self.rows))

    def without(self, *names: str) -> Profiles:
        return self.only(name for name in self.attributes if name not in names)

    def changed(self, name: str, change: Change) -> Profiles:
        """The same with each known value of an attribute made another."""
        at = self.attributes.index(name)
        rows = ((*row[:at], change(row[at]) if row[at] else "", *row[at + 1 :]) for row in self.rows)
        return Profiles(self.attributes, tuple(rows))


@dataclass(frozen=True, slots=True)
class Classes:
    """Patients with the same values are a class; `alone`, `smaller` and `small` count patients in classes of
    one, of fewer than 5 and of fewer than 11."""

    n_patients: int
    n_classes: int
    k: int
    alone: int
    smaller: int
    small: int

    def share(self, n: int) -> float | None:
        return n / self.n_patients if self.n_patients else None


def count_classes(profiles: Profiles) -> Classes:
    sizes = Counter(profiles.rows).values()

    def below(most: int) -> int:
        return sum(size for size in sizes if size < most)

    k = min(sizes, default=0)
    return Classes(len(profiles.rows), len(sizes), k, below(2), below(SMALLER), below(SMALL))


@dataclass(frozen=True, slots=True)
class Linkage:
    """How many people of a population fit each patient, by the attributes that both know.

    `found` are patients whom exactly one person fits, `fitting` those whom anybody fits; `expected` is the
    share of right guesses of somebody who takes any that fits.
    """

    attributes: tuple[str, ...]
    n_patients: int
    n_population: int
    fitting: int
    found: int
    expected: float | None

    @property
    def found_share(self) -> Interval:
        return share_between(self.found, self.n_patients)


def link(profiles: Profiles, population: Profiles) -> Linkage:
    """Every patient looked up in a population that is taken to hold everybody."""
    common = [name for name in profiles.attributes if name in population.attributes]
    mine, theirs = profiles.only(common), population.only(common)
    order = [theirs.attributes.index(name) for name in mine.attributes]
    people = [tuple(row[at] for at in order) for row in theirs.rows]
    counted: dict[Row, Counter[Row]] = {}
    fits: list[int] = []
    for row in mine.rows:
        forms = tuple(map(form_of, mine.attributes, row))
        if forms not in counted:
            counted[forms] = Counter(_in_forms(mine.attributes, person, forms) for person in people)
        fits.append(counted[forms][_in_forms(mine.attributes, row, forms)])
    right = sum(1 / n for n in fits if n)
    expected = right / len(fits) if fits else None
    fitting, found = sum(n > 0 for n in fits), sum(n == 1 for n in fits)
    return Linkage(mine.attributes, len(fits), len(people), fitting, found, expected)


def _in_forms(attributes: Row, row: Row, forms: Row) -> Row:
    return tuple(map(coarsen, attributes, row, forms))


def form_of(attribute: str, value: str) -> str:
    """How coarse a value is, such that others can be made as coarse; empty where it is not known."""
    if not value:
        return ""
    if attribute == "age":
        band = _BAND.fullmatch(value)
        return str(int(band[2]) - int(band[1]) + 1) if band else "1"
    return str(len(value)) if attribute == "zip" else "same"


def coarsen(attribute: str, value: str, form: str) -> str:
    """A value in that form; empty where it is not known, or the form is that of nothing known."""
    if not form or not value:
        return ""
    if attribute == "age":
        return band_of(value, int(form))
    return value[: int(form)] if attribute == "zip" else value.casefold()


def band_of(value: str, years: int) -> str:
    """An age, or a narrower band, as a band of so many years: 90+ over 89; what is no age stays as it is."""
    digits = re.match(r"\d{1,3}", value)
    if digits is None:
        return value
    low = int(digits[0])
    if low > _OLDEST:
        return "90+"
    low -= low % years
    return str(low) if years == 1 else f"{low}-{low + years - 1}"


def possible_changes(profiles: Profiles) -> Mapping[str, Profiles]:
    """What a stricter policy would make of the same patients, by what it does."""
    found: dict[str, Profiles] = {}
    if "age" in profiles.attributes:
        for years in (5, 10):
            banded = profiles.changed("age", bind(band_of, years=years))
            if banded.rows != profiles.rows:
                found[f"age in bands of {years} years"] = banded
    if "zip" in profiles.attributes:
        cut = profiles.changed("zip", lambda value: value[:3])
        if cut.rows != profiles.rows:
            found["zip to three digits"] = cut
    for name in profiles.attributes:
        found[f"without {name}"] = profiles.without(name)
    return found


def share_between(n: int, of: int, confidence: float = 0.95) -> Interval:
    """A share with the two-sided interval of Clopper and Pearson."""
    if not of:
        return Interval(None)
    one_side = 1 - (1 - confidence) / 2
    low = 1 - believable_share(of - n, of, one_side)
    return Interval(n / of, max(low, 0.0), believable_share(n, of, one_side))
