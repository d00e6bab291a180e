"""Typed fields of FHIR records as pieces: dates, ages, names, keys and references."""

from __future__ import annotations

import datetime as dt
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from deidlab.carriers.carrier import KEY, Piece, Removed, Slot
from deidlab.carriers.fhir_place import Place
from deidlab.carriers.fhir_table import is_well_known, resource_types, table
from deidlab.carriers.json_text import Number, number_text, to_number

OURS = "https://deidentified.invalid/"
"""Stands for the servers and systems of one house: a host that no name can ever have."""

_DATE = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(T\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z|[+-]\d\d:\d\d)?)?"
)
_NEW_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
NEW_AGE = re.compile(r"(\d{1,3}(?:\.\d+)?)(\+?)(?:\s+[a-z]+)?")
_REFERENCE = re.compile(r"(https?://[^?#\s]*/)?([A-Z][A-Za-z]+)/([^/?#\s|]{1,128})(?:/_history/[^/?#\s]*)?")
_URN = re.compile(r"urn:(uuid|oid):([0-9A-Za-z.-]{1,128})")


def date_slots(place: Place, removed: Removed, needs_day: bool, caption: str) -> Iterator[Slot]:
    """The day alone is a piece: its time of day and zone go with it, or not at all."""
    match = _DATE.fullmatch(place.value)
    if match is None or not _is_day(match[1]):
        removed["dates that are none"] += 1
        place.leave_out()
        return
    day, time = match[1], match[2] or ""

    def put(new: str) -> None:
        if new == day:
            return
        is_date = _NEW_DATE.fullmatch(new) is not None and len(new) <= len(day)
        if is_date and len(new) == len(day):
            place.put(new + time)
        elif is_date and not needs_day:
            place.put(new)
        else:
            place.leave_out()

    yield Slot(Piece(day, "DATE", caption), put)


def _is_day(written: str) -> bool:
    try:
        dt.date.fromisoformat(written + "-01-01"[len(written) - 4 :])
    except ValueError:
        return False
    return True


def age_slots(quantity: dict[str, Any], removed: Removed) -> Iterator[Slot]:
    """Number and unit as one age; one whose unit is not known is removed."""
    units, value = table()["ages"]["units"], quantity.get("value")
    unit = age_unit(quantity)
    for name in quantity.keys() - {"value", "code", "system", "unit", "comparator"}:
        Place(quantity, name).remove()
    if not isinstance(value, Number) or unit not in units:
        removed["ages without a unit"] += 1
        for name in quantity:
            Place(quantity, name).remove()
        return
    if not is_well_known(str(quantity.get("system", ""))):
        quantity.pop("system", None)
    if "unit" in quantity:
        quantity["unit"] = units[unit]
    digits, place = number_text(value), Place(quantity, "value")
    text = f"{digits} {units[unit]}"

    def put(new: str) -> None:
        if new == text:
            return
        match = NEW_AGE.fullmatch(new)
        if match is None:
            place.leave_out()
            return
        place.put(to_number(match[1]))
        if match[2]:
            quantity["comparator"] = ">="

    yield Slot(Piece(text, "AGE"), put)


def is_age(text: str) -> bool:
    """Whether it is a number, or two, and at most words of age."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    known = {*table()["ages"]["units"], "old", "of", "age", "yo", "y", "o", "to"}
    return len(text) < 40 and set(words) <= known and 1 <= len(re.findall(r"\d+", text)) <= 2


def age_unit(quantity: dict[str, Any]) -> str:
    """The unit of a quantity, as the list of those of ages would have it."""
    for name in ("code", "unit"):
        found = quantity.get(name)
        if isinstance(found, str) and found.strip().lower() in table()["ages"]["units"]:
            return found.strip().lower()
    return ""


def name_slots(name: dict[str, Any], label: str, caption: str, removed: Removed) -> Iterator[Slot]:
    """Family name and given names as one piece, so that they are one person; the whole name as another."""
    for each in ("prefix", "suffix"):
        kept = [title for title in _strings(name, each) if title.rstrip(".") in table()["titles"]]
        if len(kept) < len(_strings(name, each)):
            removed[f"HumanName.{each}"] += 1
        name[each] = kept
    if isinstance(name.get("text"), str) and name["text"].strip():
        yield Place(name, "text").slot(label, caption)
    elif "text" in name:
        Place(name, "text").remove()
    family = name.get("family")
    given = _strings(name, "given")
    has_family = isinstance(family, str) and bool(family.strip())
    parts = ([str(family)] if has_family else []) + given
    for each in ("family", "given"):
        if each in name and not (has_family if each == "family" else given):
            Place(name, each).remove()
    if not parts:
        return
    old = "^".join(parts)

    def put(new: str) -> None:
        if new == old:
            return
        news = [part.strip() for part in new.split("^", len(parts) - 1)]
        news = [part.replace("^", " ") for part in news if part]
        if has_family:
            name["family"] = news[0] if news else ""
            news = news[1:]
        name["given"] = news
        for each in ("family", "given"):
            if each in name and not name[each]:
                Place(name, each).remove()

    yield Slot(Piece(old, label, caption), put)


def _strings(holder: dict[str, Any], name: str) -> list[str]:
    found = holder.get(name)
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, str) and each.strip()]


def uri_slots(place: Place) -> Iterator[Slot]:
    """A name of a system or definition that is one house's own becomes a pseudonym."""
    if not is_well_known(place.value):
        yield place.slot_of(place.value, lambda new: place.put(OURS + new), KEY)


def reference_slots(place: Place, removed: Removed) -> Iterator[Slot]:
    """The id in a reference; one of no known form is removed."""
    found = split_reference(place.value)
    if found is not None:
        _, key, build = found
        if key:
            yield Slot(Piece(key, KEY), lambda new: None if new == key else place.put(build(new)))
        return
    removed["references of another form"] += 1
    place.leave_out()


def split_reference(text: str) -> tuple[str, str, Callable[[str], str]] | None:
    """The type that a reference names, the id in it, and how it is built around another id."""
    if text.startswith("#"):
        return "", text[1:], lambda new: f"#{new}"
    if urn := _URN.fullmatch(text):
        return "", urn[2], _new_uuid if urn[1] == "uuid" else _new_oid
    if text in resource_types():
        return text, "", str
    match = _REFERENCE.fullmatch(text)
    if match is None or match[2] not in resource_types():
        return None
    before = f"{OURS}{match[2]}/" if match[1] else f"{match[2]}/"
    return match[2], match[3], lambda new: before + new


def _new_uuid(pseudonym: str) -> str:
    return f"urn:uuid:{uuid_of(pseudonym)}"


def _new_oid(pseudonym: str) -> str:
    return f"urn:oid:2.25.{uuid_of(pseudonym).int}"


def uuid_of(pseudonym: str) -> uuid.UUID:
    """A UUID of the pseudonym, which is already keyed."""
    return uuid.uuid5(uuid.NAMESPACE_URL, OURS + pseudonym)


def display_label(element: str, reference: object, said_type: object, types: dict[str, str]) -> str:
    """The PHI type of a reference's display; empty where it is to be searched."""
    labels = table()["displays"]
    named = types.get(reference, "") if isinstance(reference, str) else ""
    if not named and isinstance(reference, str) and (found := split_reference(reference)):
        named = found[0]
    if not named and isinstance(said_type, str):
        named = said_type
    return str(labels.get(named, "") if named else labels.get(element, ""))
