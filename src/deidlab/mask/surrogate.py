"""A span's text in, a realistic other one out.

`PatientPlan` holds what is settled once a patient (names, places, the offset of dates); `NoteSurrogates` what
depends on where in a note a span stands (the date before it, the town beside it).
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from bisect import bisect_left
from collections.abc import Sequence

from deidlab import languages
from deidlab.banks import Place, fold
from deidlab.languages.language import Language
from deidlab.mask import contacts, organisations
from deidlab.mask.ages import cap_age, is_plain_age
from deidlab.mask.apply import settle
from deidlab.mask.collect import NAMES, spoken_in
from deidlab.mask.dates import FIRST_YEAR, LAST_YEAR, anchor_of, shift_text
from deidlab.mask.facts import mention_digest, year_digest
from deidlab.mask.keys import Keyring, Stream
from deidlab.mask.names_plan import NamePlan
from deidlab.mask.places import PlacePlan, place_group
from deidlab.mask.policy import base_label
from deidlab.mask.shapes import another, like_case, new_number, scramble
from deidlab.mask.state import PatientState
from deidlab.mask.styles import tag
from deidlab.types import Span

LEAST_WEEKS, MOST_WEEKS = 26, 260
_BESIDE = 30
_CODE_AND_TOWN = re.compile(r"(\d{5})([\s,.-]+)([^\W\d_][^\d]*)")
_WORD = re.compile(r"[^\W_]{2,}")
_NUMBERS = frozenset({
    "SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM",
    "ROOM",
})  # fmt: skip


def offset_days(keyring: Keyring, patient: str) -> int:
    """The patient's offset: whole weeks, 26 to 260 of them, back or forth."""
    number = keyring.number("dates", "offset", patient)
    weeks = LEAST_WEEKS + (number >> 1) % (MOST_WEEKS - LEAST_WEEKS + 1)
    return 7 * (weeks if number & 1 else -weeks)


class PatientPlan:
    """What all notes of a patient share. Names and places are settled when the first of them is asked for."""

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

    def tells_old_age(self, year: int, short: bool) -> bool:
        """Whether the year lies 90 years or more before the latest year of the patient's notes."""
        if short and self._latest:
            year = self._latest - self._latest % 100 + year % 100
            year -= 100 if year > self._latest else 0
        return self._latest - year > 89


class NoteSurrogates:
    """The surrogates of one note's spans."""

    def __init__(
        self, plan: PatientPlan, text: str, spans: Sequence[Span], day_first: bool, language: str
    ) -> None:
        self._plan, self._text = plan, text
        self.day_first, self.language = day_first, language
        self._spans = spans
        self._starts = [span.start for span in spans]
        self._anchors: list[tuple[int, dt.date]] | None = None

    @property
    def is_old(self) -> bool:
        """Whether the patient is over 89."""
        return self._plan.is_old

    def tells_old_age(self, year: int, short: bool) -> bool:
        return self._plan.tells_old_age(year, short)

    def before(self, span: Span) -> str:
        return self._text[max(0, span.start - 40) : span.start]

    def leaves(self, spans: Sequence[Span], new: str) -> bool:
        """Whether a word of one of the spans stands in the new text."""
        words = {fold(word) for word in _WORD.findall(new)}
        texts = (self._text[span.start : span.end] for span in settle(spans))
        return any(fold(word) in words for text in texts for word in _WORD.findall(text))

    def replace(self, span: Span, text: str) -> str:
        """Another text for the span; the same one only for ages, weekdays and seasons that hold."""
        new = self._replace(span, text)
        stays = base_label(span.label) in ("AGE", "DATE")
        return new if stays or self._plan.mention(new) != self._plan.mention(text) else tag(span.label)

    def _replace(self, span: Span, text: str) -> str:
        base, language = base_label(span.label), spoken_in(span.label, self.language)
        if base in NAMES:
            return self._plan.names.replace(span.label, text, language)
        if not any(c.isalnum() for c in text):
            return tag(span.label)
        if base == "DATE":
            return self._date(span, text)
        if base == "AGE":
            return cap_age(text, "90") if is_plain_age(text) else tag(span.label)
        if base in ("CITY", "STATE", "ZIP", "LOCATION-OTHER"):
            return self._place(span, base, text, language)
        stream = self._stream(base, text)
        if base in ("PHONE", "FAX"):
            group = self._plan.places.group(
                self._plan.mention(text), self._group(base, text, language), language
            )
            area = self._plan.places.main(group).area_code
            return contacts.new_phone(stream, text, area, language.fictional_phones)
        if base in _NUMBERS:
            # A plain word that was taken for a number: other letters would look like nothing at all.
            return tag(span.label) if text.islower() and text.isalpha() else new_number(stream, text, base)
        return self._by_words(span, base, text, language, stream)

    def _by_words(self, span: Span, base: str, text: str, language: Language, stream: Stream) -> str:
        if base == "EMAIL":
            return contacts.new_email(stream, text, self._plan.names)
        if base == "USERNAME":
            return contacts.new_user(stream, text, self._plan.names)
        if base == "URL":
            return contacts.new_url(stream, text)
        if base == "IPADDR":
            return contacts.new_ip(stream, text)
        if base in ("HOSPITAL", "ORGANIZATION"):
            return organisations.new_organisation(stream, text, language)
        if base == "STREET":
            return organisations.new_street(stream, text, language)
        if base == "DEPARTMENT":
            return organisations.new_department(stream, text, language)
        if base == "PROFESSION":
            return organisations.new_profession(stream, text, language)
        if base == "COUNTRY":
            return organisations.new_country(stream, text, language)
        return new_number(stream, text) if any(c.isdecimal() for c in text) else tag(span.label)

    def _date(self, span: Span, text: str) -> str:
        shifted = shift_text(text, self._plan.days, self._anchor(span), self.day_first, self.language)
        if shifted is not None:
            return shifted
        if not any(c.isdecimal() for c in text):
            return tag(span.label)
        # A date that no calendar has keeps its shape and nothing else; words may tell a day, so they go.
        return re.sub(r"[^\W\d_]", "x", another(self._stream("DATE", text), text, letters=False))

    def _anchor(self, span: Span) -> dt.date | None:
        """The last full date before the span, or else the first one after it."""
        if self._anchors is None:
            dates = [s for s in self._spans if base_label(s.label) == "DATE"]
            day_first, language = self.day_first, self.language
            found = ((s.start, anchor_of(self._text[s.start : s.end], day_first, language)) for s in dates)
            self._anchors = [(start, date) for start, date in found if date]
        index = bisect_left(self._anchors, span.start, key=lambda item: item[0])
        if index:
            return self._anchors[index - 1][1]
        return self._anchors[0][1] if self._anchors else None

    def _place(self, span: Span, base: str, text: str, language: Language) -> str:
        places, mention, own = self._plan.places, self._plan.mention(text), self._group(base, text, language)
        coded = sum(c.isdecimal() for c in text) >= 3
        if base == "LOCATION-OTHER" and coded and (parts := _CODE_AND_TOWN.fullmatch(text)):
            return self._code_and_town(span, language, *parts.groups())
        if base == "ZIP" or (base == "LOCATION-OTHER" and coded):
            town = self._town_before(span, language)
            place = town or places.main(places.group(mention, own, language))
            return self._postcode(text, place.postcode, base)
        if base == "STATE":
            town = self._town_before(span, language) if not own else None
            place = town or places.main(places.group(mention, own, language))
            return _region_like(text, place.region, place.region_name)
        if base == "LOCATION-OTHER" and not own and not language.places.territories:
            return organisations.new_organisation(self._stream(base, text), text, language)
        if language.places.territories and own and self._follows_a_place(span):
            return like_words(text, places.main(places.group(mention, own, language)).region_name)
        return like_words(text, places.town(mention, own, language).town)

    def _code_and_town(self, span: Span, language: Language, code: str, gap: str, town: str) -> str:
        """`28046 Madrid`: the town is another one, and the postcode is that one's."""
        own = self._group("LOCATION-OTHER", town, language)
        place = self._plan.places.town(self._plan.mention(town), own, language)
        return self._postcode(code, place.postcode, "LOCATION-OTHER") + gap + like_words(town, place.town)

    def _follows_a_place(self, span: Span) -> bool:
        """Whether a town stands right before, so that this is what it lies in."""
        index = bisect_left(self._starts, span.start) - 1
        near = self._spans[index] if index >= 0 else None
        return (
            near is not None
            and base_label(near.label) in ("CITY", "LOCATION-OTHER")
            and self._text[near.end : span.start].strip() in (",", "(", "/")
        )

    def _town_before(self, span: Span, language: Language) -> Place | None:
        """The new place of the town written right before the span, with no more than a state between them."""
        index = bisect_left(self._starts, span.start) - 1
        while index >= 0 and span.start - self._spans[index].end <= _BESIDE:
            near = self._spans[index]
            if base_label(near.label) == "CITY":
                text = self._text[near.start : near.end]
                return self._plan.places.town(
                    self._plan.mention(text), self._group("CITY", text, language), language
                )
            if base_label(near.label) != "STATE":
                return None
            index -= 1
        return None

    def _postcode(self, text: str, start: str, base: str) -> str:
        """The new place's first characters, then others of the same shape."""
        stream = self._stream(base, text)
        lead = len(text) - len(text.lstrip())
        head = text[lead : lead + len(start)]
        if len(text.strip()) <= len(start) or [c.isalpha() for c in head] != [c.isalpha() for c in start]:
            return another(stream, text)
        body = text[lead + len(start) :]
        new = scramble(stream, body)
        return text[:lead] + start + (new if head != start or new != body else another(stream, body))

    def _group(self, base: str, text: str, language: Language) -> bytes:
        return place_group(self._plan.keyring, self._plan.patient, base, text, language)

    def _stream(self, base: str, text: str) -> Stream:
        return self._plan.keyring.stream("ids", base, self._plan.patient, self._plan.mention(text))


def like_words(old: str, new: str) -> str:
    return new.upper() if old.isupper() and len(old) > 1 else new.lower() if old.islower() else new


def _region_like(old: str, code: str, name: str) -> str:
    """A region's code for a code, its name for a name."""
    bare = old.replace(".", "").strip()
    if len(bare) <= 3 and bare.isupper() and len(code) <= 3:
        return ".".join(code) + "." if "." in old else code
    return like_case(old, name) if " " not in name else like_words(old, name)
