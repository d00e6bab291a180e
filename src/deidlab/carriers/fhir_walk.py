"""A FHIR record gone through once, element by element: its pieces out, what nobody knows removed from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from deidlab.carriers.captions import patient_caption
from deidlab.carriers.carrier import KEY, Removed, Slot
from deidlab.carriers.enclosed import Enclosures, is_media_type, pack_base64
from deidlab.carriers.fhir_fields import (
    age_slots,
    age_unit,
    date_slots,
    display_label,
    is_age,
    name_slots,
    reference_slots,
    uri_slots,
)
from deidlab.carriers.fhir_place import ABSENT, GONE, Place
from deidlab.carriers.fhir_shape import type_of
from deidlab.carriers.fhir_table import (
    counted_as,
    is_code,
    is_read,
    is_well_known,
    kind_of,
    resource_types,
    table,
)
from deidlab.carriers.json_text import Number
from deidlab.carriers.markup import read_markup

# Under some names stand codes in one place and dates in another.
_DAY = re.compile(r"\d{4}-\d\d")
_VERSION = re.compile(r"[0-9][0-9./-]{0,19}")
_SAMPLES = re.compile(r"[-+0-9.eELU ]+")
_CONTACTS = {"email": "EMAIL", "fax": "FAX", "url": "URL", "phone": "PHONE", "sms": "PHONE", "pager": "PHONE"}


@dataclass(slots=True)
class Walk:
    """One way through a record; `types` says what each full URL of a bundle is.

    What must be packed again once all pieces are back in their places waits in `closing`.
    """

    types: dict[str, str] = field(repr=False)
    removed: Removed = field(default_factory=Removed)
    closing: list[Callable[[], None]] = field(default_factory=list, repr=False)
    _gender: str = field(default="", init=False, repr=False)
    _enclosures: Enclosures = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._enclosures = Enclosures(self.removed)

    def resource(self, record: dict[str, Any]) -> Iterator[Slot]:
        """A resource that the table knows."""
        owner = record["resourceType"]
        self._gender = str(record.get("gender", ""))
        if isinstance(record.get("id"), str):
            yield Place(record, "id").slot(KEY)
        elif "id" in record:
            self._remove(Place(record, "id"), owner, "id")
        yield from self._members(record, owner, ("resourceType", "id"))

    def _members(self, record: dict[str, Any], owner: str, done: tuple[str, ...] = ()) -> Iterator[Slot]:
        for name in list(record):
            if name in done:
                continue
            place = Place(record, name)
            if name == "extension":
                yield from self._extensions(place, table()["extensions"]["stays"])
            elif name.startswith("_"):
                self._beside(place)
            elif name in ("id", "modifierExtension"):
                self._remove(place, "", "", "modifier extensions" if name != "id" else "ids of elements")
            else:
                yield from self._element(place, owner, name)

    def _element(self, place: Place, owner: str, name: str) -> Iterator[Slot]:
        kind = kind_of(owner, name)
        if not kind or kind == "removed":
            self._remove(place, owner, name)
            return
        for each in _items(place):
            value = each.value
            if isinstance(value, dict):
                yield from self._object(each, value, kind, owner, name)
            elif isinstance(value, str) and not isinstance(value, Number):
                yield from self._string(each, value, kind, owner, name)
            elif kind != "node" or not isinstance(value, bool | Number):
                self._remove(each, owner, name)

    def _remove(self, place: Place, owner: str, name: str, called: str = "") -> None:
        if place.value is not GONE:
            self.removed[called or counted_as(owner, name)] += 1
        place.remove()

    def _string(self, place: Place, value: str, kind: str, owner: str, name: str) -> Iterator[Slot]:
        caption = table()["captions"].get(f"{owner}.{name}", "")
        if not value.strip() and kind != "narrative":
            self._remove(place, owner, name)
        elif kind in ("date", "instant"):
            yield from date_slots(place, self.removed, kind == "instant", caption)
        elif kind == "text":
            yield place.slot("", caption)
        elif kind == "key":
            yield place.slot(KEY)
        elif kind == "reference":
            yield from reference_slots(place, self.removed)
        elif kind == "uri":
            yield from uri_slots(place)
        elif kind == "narrative":
            yield from self._markup(place, value, owner, name)
        elif kind == "attachment":
            yield from self._data(place, owner)
        elif kind.isupper():
            # Words in the place of an age may say anything, and a policy may let ages stay.
            yield place.slot("" if kind == "AGE" and not is_age(value) else kind, caption)
        elif kind == "node" and _DAY.match(value):
            yield from date_slots(place, self.removed, False, caption)
        elif not self._stays(value, kind):
            self._remove(place, owner, name)

    @staticmethod
    def _stays(value: str, kind: str) -> bool:
        if kind == "node":
            return is_code(value)
        if kind == "version":
            return _VERSION.fullmatch(value) is not None or is_well_known(value)
        if kind == "system":
            return is_well_known(value)
        if kind == "media":
            return is_media_type(value)
        if kind == "type":
            return value in resource_types()
        return kind == "samples" and _SAMPLES.fullmatch(value) is not None

    def _object(
        self, place: Place, value: dict[str, Any], kind: str, owner: str, name: str
    ) -> Iterator[Slot]:
        first, _, label = kind.partition(":")
        if first == "person":
            caption = patient_caption(table()["captions"].get(f"{owner}.{name}", ""), self._gender)
            yield from name_slots(value, label, caption, self.removed)
            yield from self._members(value, "HumanName", ("text", "family", "given", "prefix", "suffix"))
        elif kind == "contact":
            yield from self._contact(value)
        elif kind == "attachment":
            yield from self._attachment(value)
        elif kind == "age":
            yield from age_slots(value, self.removed)
        elif kind == "resource":
            yield from self._nested(place, value)
        elif kind in table()["types"]:
            yield from self._members(value, kind)
        elif kind in ("node", "text"):
            yield from self._node(place, value, name)
        elif kind.isupper():
            yield from self._members(value, "Identifier")
        else:
            self._remove(place, owner, name)

    def _node(self, place: Place, value: dict[str, Any], name: str) -> Iterator[Slot]:
        """An object of a type that its members tell, or else one that is gone through by their names."""
        type_ = type_of(value)
        if name == "entry" and "resource" in value and not _is_read(value["resource"]):
            self._remove(place, "", "", "resources of other types")
        elif type_ == "Quantity" and age_unit(value) in ("a", "yr", "yrs", "year", "years"):
            yield from age_slots(value, self.removed)
        elif type_ == "Reference":
            yield from self._reference(value, name)
        else:
            yield from self._members(value, type_ or name)

    def _reference(self, value: dict[str, Any], name: str) -> Iterator[Slot]:
        label = display_label(name, value.get("reference"), value.get("type"), self.types)
        shown = value.get("display")
        if label and isinstance(shown, str) and shown.strip():
            yield Place(value, "display").slot(label)
            yield from self._members(value, "Reference", ("display",))
        else:
            yield from self._members(value, "Reference")

    def _nested(self, place: Place, value: dict[str, Any]) -> Iterator[Slot]:
        if _is_read(value):
            yield from self.resource(value)
        else:
            self._remove(place, "", "", "resources of other types")

    def _extensions(self, place: Place, allowed: list[str]) -> Iterator[Slot]:
        items = place.value if isinstance(place.value, list) else []
        for index, each in enumerate(items):
            url = each.get("url") if isinstance(each, dict) else None
            if url not in allowed:
                self._remove(Place(items, index), "", "", "extensions")
                continue
            for name in list(each):
                inside = Place(each, name)
                if name == "extension":
                    yield from self._extensions(inside, table()["extensions"]["inner"])
                elif name.startswith("value"):
                    yield from self._element(inside, "Extension", name)
                elif name != "url":
                    self._remove(inside, "Extension", name)
        if not isinstance(place.value, list):
            self._remove(place, "", "", "extensions")

    def _beside(self, place: Place) -> None:
        """What stands beside a primitive value: why there is none may stay, all else goes."""
        value = place.value
        found = value.get("extension") if isinstance(value, dict) else None
        kept = [
            {"url": ABSENT, "valueCode": each["valueCode"]}
            for each in (found if isinstance(found, list) else [])
            if isinstance(each, dict)
            and each.get("url") == ABSENT
            and isinstance(each.get("valueCode"), str)
            and re.fullmatch(r"[a-z-]{1,20}", each["valueCode"])
        ]
        known = isinstance(place.key, str) and kind_of("", place.key[1:])
        if kept and known:
            place.put({"extension": kept})
        else:
            self._remove(place, "", "", "extensions")

    def _contact(self, value: dict[str, Any]) -> Iterator[Slot]:
        if isinstance(value.get("value"), str) and value["value"].strip():
            yield Place(value, "value").slot(_CONTACTS.get(str(value.get("system")), "PHONE"))
        elif "value" in value:
            self._remove(Place(value, "value"), "ContactPoint", "value")
        yield from self._members(value, "ContactPoint", ("value",))

    def _attachment(self, value: dict[str, Any]) -> Iterator[Slot]:
        for name in list(value):
            if name == "data" and isinstance(value[name], str):
                yield from self._data(Place(value, "data"), "Attachment")
            elif name == "creation" and isinstance(value[name], str):
                yield from date_slots(Place(value, name), self.removed, False, "")
            elif name not in ("contentType", "language") or not isinstance(value[name], str):
                self._remove(Place(value, name), "", "", f"Attachment.{name}" if name in _ATTACHED else "")
        if not is_media_type(str(value.get("contentType", "text/plain"))):
            self._remove(Place(value, "contentType"), "Attachment", "contentType")
        if "language" in value and not is_code(str(value["language"])):
            self._remove(Place(value, "language"), "Attachment", "language")

    def _data(self, place: Place, owner: str) -> Iterator[Slot]:
        """What is enclosed is unpacked and searched; of what nobody can unpack nothing stays."""
        enclosed = self._enclosures.unpack_base64(place.value, str(place.holder.get("contentType", "")))
        if enclosed is None:
            place.remove()
            return
        yield from enclosed.slots

        def pack() -> None:
            new = enclosed.written()
            if not new.strip():
                place.leave_out()
            elif new != enclosed.content:
                place.put(pack_base64(new))

        self.closing.append(pack)

    def _markup(self, place: Place, value: str, owner: str, name: str) -> Iterator[Slot]:
        """A narrative in its blocks; one that is not well-formed goes, with what says that it is there."""
        markup = read_markup(value, whole=True) if value.lstrip().startswith("<div") else None
        if markup is None:
            self._remove(place, "", "", "narratives that are not well-formed")
            for each in list(place.holder):
                place.holder[each] = GONE
            return
        yield from markup.slots()
        self.closing.append(lambda: place.put(markup.written()))


def _items(place: Place) -> list[Place]:
    value = place.value
    return [Place(value, index) for index in range(len(value))] if isinstance(value, list) else [place]


_ATTACHED = frozenset({"url", "title", "size", "hash", "height", "width", "frames", "duration", "pages"})


def _is_read(value: object) -> bool:
    return isinstance(value, dict) and is_read(value.get("resourceType"))
