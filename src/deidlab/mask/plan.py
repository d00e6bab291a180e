"""What all notes of a patient share, settled once: names, places, the offset of dates."""

from __future__ import annotations

import functools

from deidlab import languages
from deidlab.mask.dates import FIRST_YEAR, LAST_YEAR
from deidlab.mask.facts import mention_digest, year_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.names_plan import NamePlan
from deidlab.mask.places import PlacePlan
from deidlab.mask.state import PatientState

LEAST_WEEKS, MOST_WEEKS = 26, 260


def offset_days(keyring: Keyring, patient: str) -> int:
    """The patient's offset: whole weeks, 26 to 260 of them, back or forth."""
    number = keyring.number("dates", "offset", patient)
    weeks = LEAST_WEEKS + (number >> 1) % (MOST_WEEKS - LEAST_WEEKS + 1)
    return 7 * (weeks if number & 1 else -weeks)


class PatientPlan:
    """Names and places are settled when the first of them is asked for."""

    def __init__(
        self,
        keyring: Keyring,
        patient: str,
        state: PatientState,
        keep_regions: bool = False,
        language: str = "",
    ) -> None:
        self._keep_regions = keep_regions
        self.language = language
        self.keyring, self.patient, self._state = keyring, patient, state
        self.days = offset_days(keyring, patient)
        self.is_old = state.is_old
        self._names: NamePlan | None = None
        self._places: PlacePlan | None = None

    @property
    def names(self) -> NamePlan:
        if self._names is None:
            self._names = NamePlan(self.keyring, self.patient, self._state, self.language)
        return self._names

    @property
    def places(self) -> PlacePlan:
        if self._places is None:
            language = languages.of(self.language)
            self._places = PlacePlan(self.keyring, self.patient, self._state, language, self._keep_regions)
        return self._places

    def mention(self, text: str) -> bytes:
        return mention_digest(self.keyring, self.patient, text)

    @functools.cached_property
    def _latest(self) -> int:
        """The latest year that the notes name, found again by its digest; 0 where they name none."""
        known = frozenset(self._state.years)
        every = range(LAST_YEAR, FIRST_YEAR - 1, -1) if known else ()
        return next((y for y in every if year_digest(self.keyring, self.patient, y) in known), 0)

    def cap_birth(self, year: int) -> int:
        """A year of birth as it may be told: of an age over 89 that of an age of 90."""
        return self._latest - 90 if self.tells_old_age(year, short=False) else year

    def tells_old_age(self, year: int, short: bool) -> bool:
        """Whether the year lies 90 years or more before the latest year of the patient's notes."""
        if short and self._latest:
            year = self._latest - self._latest % 100 + year % 100
            year -= 100 if year > self._latest else 0
        return self._latest - year > 89
