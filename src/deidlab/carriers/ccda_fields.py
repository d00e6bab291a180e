"""Typed fields of CDA documents as pieces: attributes by their rules, names, addresses, ages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from xml.etree.ElementTree import Element

from deidlab.carriers.addresses import address_slot
from deidlab.carriers.anchors import Anchors
from deidlab.carriers.carrier import KEY, Piece, Removed, Slot
from deidlab.carriers.ccda_place import flat_text, mask_attribute, mask_text, put_attribute, runs_of, take_out
from deidlab.carriers.ccda_table import (
    fits,
    is_known_system,
    is_oid,
    is_own_root,
    is_uuid,
    rule_of,
    words,
)
from deidlab.carriers.fhir_fields import NEW_AGE, uuid_of
from deidlab.carriers.fhir_table import table as fhir_table
from deidlab.carriers.hl7_date import hl7_date_slots

_YEARS = ("a", "yr", "yrs", "year", "years")


@dataclass(slots=True)
class Attributes:
    """The attributes of elements, by the rules of the table; what has no rule, or breaks it, is removed."""

    removed: Removed = field(repr=False)
    _anchors: Anchors = field(default_factory=Anchors, repr=False)

    def slots(self, element: Element, kind: str, caption: str) -> Iterator[Slot]:
        for key, value in list(element.items()):
            rule = rule_of(kind, key)
            if rule and not value.strip():
                del element.attrib[key]
            elif rule == "date":
                yield from hl7_date_slots(value, partial(put_attribute, element, key), self.removed, caption)
            elif rule == "text" or rule.isupper():
                yield _attribute_slot(element, key, "" if rule == "text" else rule)
            elif rule == "key":
                yield _attribute_slot(element, key, KEY)
            elif rule in ("root", "system"):
                yield from self._oid(element, key, rule)
            elif rule in ("contact", "link"):
                yield from self._contact(element, key, rule)
            elif not rule or not self._stays(element, key, rule):
                self._remove(element, key)

    def _remove(self, element: Element, key: str) -> None:
        del element.attrib[key]
        self.removed["attributes"] += 1

    def _stays(self, element: Element, key: str, rule: str) -> bool:
        """Whether a value may stay, or be told in another way."""
        value = element.get(key, "")
        if rule == "type":
            value = value.rpartition(":")[2]
            element.set(key, value)
            return value in words("types")
        if rule in ("name", "refers"):
            element.set(key, self._anchors.each_of(value))
        elif rule == "anchor":
            element.set(key, f"#{self._anchors.of(value[1:])}")
            return value.startswith("#")
        else:
            return fits(rule, value)
        return True

    def _oid(self, element: Element, key: str, rule: str) -> Iterator[Slot]:
        """What everybody uses stays; what is one house's own, or alone, becomes a pseudonym."""
        value = element.get(key, "")
        alone = rule == "root" and not element.get("extension") and not element.get("nullFlavor")
        if is_known_system(value) and not alone:
            return
        if not (is_uuid(value) or is_oid(value) or (rule == "root" and is_own_root(value))):
            self._remove(element, key)
            return
        # A UUID means the same in capitals, which other standards do not allow.
        old = value.lower()

        def put(new: str) -> None:
            if new != old:
                made = uuid_of(new)
                element.set(key, str(made) if is_uuid(value) else f"2.25.{made.int}")

        yield Slot(Piece(old, KEY), put)

    def _contact(self, element: Element, key: str, rule: str) -> Iterator[Slot]:
        value = element.get(key, "")
        if rule == "link" and value.startswith("#"):
            element.set(key, f"#{self._anchors.of(value[1:])}")
            return

        def put(new: str) -> None:
            if new:
                element.set(key, new)
            elif rule == "link":
                del element.attrib[key]
            else:
                mask_attribute(element, key)

        yield address_slot(value, "URL" if rule == "link" else "PHONE", put)


def _attribute_slot(element: Element, key: str, label: str) -> Slot:
    old = element.get(key, "")

    def put(new: str) -> None:
        if new != old:
            if new.strip():
                element.set(key, new)
            else:
                del element.attrib[key]

    return Slot(Piece(old, label), put)


def field_slots(element: Element, label: str) -> Iterator[Slot]:
    """All text that stands in an element as fields of a type."""
    for run in runs_of(element, flat=True):
        if run.text.strip():
            run_put, old = run.put, run.text
            yield Slot(Piece(old, label), lambda new, old=old, put=run_put: None if new == old else put(new))


def age_slots(element: Element, removed: Removed) -> Iterator[Slot]:
    """A quantity of years is an age; its unit stays."""
    unit, digits = element.get("unit", "").lower(), element.get("value", "")
    if unit not in _YEARS or not fits("number", digits):
        return
    text = f"{digits} years"

    def put(new: str) -> None:
        match = NEW_AGE.fullmatch(new)
        if new == text:
            return
        if match is None:
            mask_attribute(element, "value", "unit")
        else:
            element.set("value", match[1])

    yield Slot(Piece(text, "AGE"), put)


def name_slots(element: Element, label: str, caption: str, removed: Removed) -> Iterator[Slot]:
    """Family name and given names as one piece, so that they are one person; all else as others."""
    families, givens = ([each for each in element if each.tag == tag] for tag in ("family", "given"))
    titles = fhir_table()["titles"]
    others = [
        each
        for each in element
        if each.tag in ("prefix", "suffix") and (each.text or "").replace(".", "").strip() not in titles
    ]
    removed.update(f"name/{each.tag}" for each in others)
    take_out(element, others)
    parts = [each for each in (*families[:1], *givens) if _text_of(each)]
    if parts:
        yield _one_person(element, parts, label, caption)
    for each in families[1:]:
        yield from field_slots(each, label)
    yield from field_slots(element, label)


def _one_person(element: Element, parts: list[Element], label: str, caption: str) -> Slot:
    old = "^".join(map(_text_of, parts))

    def put(new: str) -> None:
        if new == old:
            return
        news = [part.strip() for part in new.split("^", len(parts) - 1)]
        news = [part.replace("^", " ") for part in news if part]
        for each, text in zip(parts, news, strict=False):
            each.text = text
        for each in parts[len(news) :]:
            mask_text(each)

    return Slot(Piece(old, label, caption), put)


def _text_of(element: Element) -> str:
    return flat_text(element.text or "").strip()
