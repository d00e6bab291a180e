"""A place in a FHIR record: what stands there is changed, removed, or left out in the standard's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from deidlab.carriers.carrier import Piece, Slot

GONE = object()
"""Stands where something was removed, until the record is swept."""
ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"


@dataclass(frozen=True, slots=True)
class Place:
    """A member of an object, or an item of a list."""

    holder: Any = field(repr=False)
    key: str | int

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, new: Any) -> None:
        self.holder[self.key] = new

    def remove(self) -> None:
        self.holder[self.key] = GONE

    def leave_out(self) -> None:
        """Say that the value is masked; an item of a list is just gone."""
        self.remove()
        if isinstance(self.key, str):
            self.holder[f"_{self.key}"] = {"extension": [{"url": ABSENT, "valueCode": "masked"}]}

    def slot(self, label: str = "", caption: str = "") -> Slot:
        """The string that stands here as a piece."""
        return self.slot_of(self.value, self.put, label, caption)

    def slot_of(self, text: str, write: Callable[[str], None], label: str = "", caption: str = "") -> Slot:
        """A piece of what stands here; what is unchanged stays, and what is blank is left out."""

        def put(new: str) -> None:
            if not new.strip():
                self.leave_out()
            elif new != text:
                write(new)

        return Slot(Piece(text, label, caption), put)


def sweep(value: Any) -> Any:
    """The record without what is gone, and without objects and lists that are empty for that."""
    if isinstance(value, dict):
        kept = {name: swept for name, each in value.items() if (swept := sweep(each)) is not GONE}
        return kept if kept else GONE
    if isinstance(value, list):
        items = [swept for each in value if (swept := sweep(each)) is not GONE]
        return items if items else GONE
    return value
