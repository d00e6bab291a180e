"""Places of a patient in, other places whose parts agree out.

Every real region (state, province) of a patient maps to one other region, towns of it to towns of that one,
and postcodes and area codes to those of the town beside them, or of the region's main town. What lies in no
known region goes to the patient's home: the first region that the notes name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from deidlab import languages
from deidlab.banks import Place, PlaceBank, canada, fold
from deidlab.languages.language import Language
from deidlab.mask.facts import Fact, mention_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.state import PatientState

_CANADIAN = re.compile(r"^\s*([ABCEGHJ-NPRSTVXY])\d[A-Z]\s?-?\d[A-Z]\d\s*$", re.IGNORECASE)
_AREA = re.compile(r"^\D*(?:\+?1\D*)?(\d{3})\D*\d{3}\D*\d{4}(?!\d)")
_DIGEST = 16


def region_of(base: str, text: str, language: Language) -> tuple[str, str] | None:
    """Country and region in which a town, region, postcode or phone number lies; None where nobody knows."""
    banks = language.places.banks
    if base in ("PHONE", "FAX"):
        match = _AREA.match(text)
        area = match.group(1) if match else ""
        return _first(banks, lambda bank: bank.area_codes.get(area))
    digits = re.sub(r"\D", "", text)
    canadian = _CANADIAN.match(text)
    if canadian:
        bank = banks.get("CA", canada)()
        region = bank.postcodes.get(canadian.group(1).upper())
        return (bank.country, region) if region else None
    if len(digits) in (5, 9) and base in ("ZIP", "LOCATION-OTHER"):
        country, load = next(iter(banks.items()))
        region = load().postcodes.get(digits[: load().code_digits])
        return (country, region) if region else None
    key = fold(" ".join(text.replace(".", "").split()))
    if base == "STATE":
        return _first(banks, lambda bank: bank.names.get(key))
    return _first(banks, lambda bank: bank.towns.get(key) or (bank.names.get(key) if len(key) > 2 else None))


def place_group(keyring: Keyring, patient: str, base: str, text: str, language: Language) -> bytes:
    """The region of a place as a digest with its country sealed in front; empty where unknown."""
    found = region_of(base, text, language)
    return group_of(keyring, patient, *found) if found else b""


def group_of(keyring: Keyring, patient: str, country: str, region: str) -> bytes:
    digest = region_digest(keyring, patient, country, region)
    return keyring.seal(country.encode(), patient, digest) + digest


def region_digest(keyring: Keyring, patient: str, country: str, region: str) -> bytes:
    return keyring.digest("places", "region", patient, country, region)


class PlacePlan:
    """The other places of one patient, settled from its state alone.

    With `keep_regions` (a policy that lets the state stay) towns move within their region.
    """

    def __init__(
        self,
        keyring: Keyring,
        patient: str,
        state: PatientState,
        language: Language,
        keep_regions: bool = False,
    ) -> None:
        self._keyring, self._patient = keyring, patient
        self._banks = language.places.banks
        facts = [fact for fact in state.facts if fact.kind in ("place", "seat")]
        self.seats = _seats(facts)
        self._real = {fact.group[-_DIGEST:] for fact in facts if fact.group}
        self._mentions = {fact.mention for fact in facts}
        self._keep_regions = keep_regions
        self._home = next((fact.group for fact in facts if fact.group), b"")
        self._regions: dict[bytes, tuple[PlaceBank, str]] = {}
        self._towns: dict[tuple[bytes, bytes], Place] = {}
        self._used: set[str] = set()
        self._main: dict[bytes, Place] = {}
        self._taken: set[tuple[str, str]] = set()
        for fact in facts:
            if fact.group:
                self._region(fact.group)
        for fact in facts:
            if fact.kind == "place" and fact.label not in ("STATE", "ZIP", "PHONE", "FAX"):
                self.town(fact.mention, fact.group, language)

    def group(self, mention: bytes, own: bytes, language: Language) -> bytes:
        """The region that a mention belongs to: beside which state it stood, its own, or home."""
        return self.seats.get(mention) or own or self._home or self._made_up_home(language)

    def town(self, mention: bytes, own: bytes, language: Language) -> Place:
        group = self.group(mention, own, language)
        known = self._towns.get((group, mention))
        if known:
            return known
        bank, region = self._region(group)
        places = bank.regions[region]
        start = self._keyring.number("places", "main", self._patient, group) % len(places)
        order = [places[(start + step) % len(places)] for step in range(len(places))]
        free = (p for p in order if p.town not in self._used and self._of_town(p.town) not in self._mentions)
        place = next(free, None) or next(
            (p for p in order if self._of_town(p.town) not in self._mentions), order[0]
        )
        self._towns[group, mention] = place
        self._used.add(place.town)
        self._main.setdefault(group, place)
        return place

    def main(self, group: bytes) -> Place:
        """The region's first town: that of its first mention, where a town was named."""
        if group in self._main:
            return self._main[group]
        bank, region = self._region(group)
        places = bank.regions[region]
        return places[self._keyring.number("places", "main", self._patient, group) % len(places)]

    def _of_region(self, country: str, region: str) -> bytes:
        return region_digest(self._keyring, self._patient, country, region)

    def _of_town(self, town: str) -> bytes:
        return mention_digest(self._keyring, self._patient, town)

    def _made_up_home(self, language: Language) -> bytes:
        return group_of(self._keyring, self._patient, next(iter(language.places.banks)), "home")

    def _region(self, group: bytes) -> tuple[PlaceBank, str]:
        if group in self._regions:
            return self._regions[group]
        sealed, digest = group[:-_DIGEST], group[-_DIGEST:]
        country = self._keyring.unseal(sealed, self._patient, digest).decode("ascii", "replace")
        bank = _bank_of(country, self._banks)
        if self._keep_regions and bank.regions_are_states:
            region = next((r for r in bank.regions if self._of_region(country, r) == digest), "")
            if region:
                self._regions[group] = (bank, region)
                return bank, region
        large = [
            region for region, places in sorted(bank.regions.items()) if len(places) >= bank.smallest_region
        ]
        start = self._keyring.number("places", "map", self._patient, group) % len(large)
        order = [large[(start + step) % len(large)] for step in range(len(large))]
        unreal = (r for r in order if self._of_region(country, r) not in self._real)
        # Asked one by one: as a rule the first will do, and each costs a digest.
        free = (r for r in order if (country, r) not in self._taken)
        chosen = next((r for r in free if self._of_region(country, r) not in self._real), None)
        region = chosen or next(unreal, order[0])
        self._taken.add((country, region))
        self._regions[group] = (bank, region)
        return bank, region


def _seats(facts: list[Fact]) -> dict[bytes, bytes]:
    seats: dict[bytes, bytes] = {}
    for fact in facts:
        if fact.kind == "seat":
            seats.setdefault(fact.mention, fact.group)
    return seats


def _first(
    banks: Mapping[str, Callable[[], PlaceBank]], find: Callable[[PlaceBank], str | None]
) -> tuple[str, str] | None:
    for country, load in banks.items():
        region = find(load())
        if region:
            return country, region
    return None


def _bank_of(country: str, own: Mapping[str, Callable[[], PlaceBank]]) -> PlaceBank:
    """The bank of a country that the notes' language or some other knows; for any other that of the first."""
    banks = {name: load for each in languages.everyone() for name, load in each.places.banks.items()}
    return (banks | {**own}).get(country, next(iter(banks.values())))()
