"""A CDA document gone through once, element by element: its pieces out, what nobody knows removed from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from xml.etree.ElementTree import Element

from deidlab.carriers.captions import caption_of, patient_caption
from deidlab.carriers.carrier import Removed, Run, Slot, join_runs
from deidlab.carriers.ccda_fields import Attributes, age_slots, field_slots, name_slots
from deidlab.carriers.ccda_place import flat_text, mask_text, put_tail, put_text, runs_of, take_out
from deidlab.carriers.ccda_table import counted_as, is_known_template, kind_of, table
from deidlab.carriers.enclosed import Enclosures, pack_base64


@dataclass(slots=True)
class DocumentWalk:
    """One way through a document; what must be packed again once all is in place waits in `closing`."""

    removed: Removed = field(default_factory=Removed)
    closing: list[Callable[[], None]] = field(default_factory=list, repr=False)
    _attributes: Attributes = field(init=False, repr=False)
    _enclosures: Enclosures = field(init=False, repr=False)
    _caption: str = field(default="", init=False, repr=False)
    _gender: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        self._attributes = Attributes(self.removed)
        self._enclosures = Enclosures(self.removed)

    def element(self, element: Element, kind: str, owner: str = "") -> Iterator[Slot]:
        """An element of a kind that the table knows, with all that stands in it."""
        caption = patient_caption(table()["captions"].get(f"{owner}/{element.tag}", ""), self._gender)
        first, _, label = kind.partition(":")
        if first == "narrative":
            yield from self._narrative(element)
            return
        if first == "number":
            yield from age_slots(element, self.removed)
        yield from self._attributes.slots(element, first, caption)
        if first == "text":
            yield from self._text(element, flat=owner != "nonXMLBody")
            return
        yield from self._children(element, kind)
        if first == "person":
            yield from name_slots(element, label, caption, self.removed)
        if first.isupper() or first == "address":
            yield from field_slots(element, "LOCATION-OTHER" if first == "address" else first)
        elif first not in ("person", "part"):
            self._no_text(element)

    def _children(self, element: Element, kind: str) -> Iterator[Slot]:
        if element.tag == "patient":
            told = element.find("administrativeGenderCode")
            self._gender = "" if told is None else told.get("code", "")
        kinds = [(child, self._kind_in(element, kind, child)) for child in element]
        self._remove(element, [child for child, found in kinds if not found])
        for child, found in kinds:
            if found:
                yield from self.element(child, found, element.tag)

    def _kind_in(self, owner: Element, kind: str, child: Element) -> str:
        """The kind of an element, also of one that says itself what it is; empty where it goes."""
        found = kind_of(kind, owner.tag, child.tag)
        if found == "value":
            found = table()["values"].get(child.get("xsi:type", "").rpartition(":")[2], "")
        elif found == "entity":
            found = table()["entities"].get(owner.get("classCode", ""), "person:PATIENT")
        elif found == "template" and not is_known_template(child.get("root", "")):
            return ""
        return "" if found == "removed" else found

    def _remove(self, owner: Element, children: Collection[Element]) -> None:
        self.removed.update(counted_as(owner.tag, child.tag) for child in children)
        if children:
            take_out(owner, children)

    def _no_text(self, element: Element) -> None:
        """White space may stand between elements; other text has no place there."""
        if element.text and element.text.strip():
            self.removed["text outside of texts"] += 1
            element.text = None
        for child in element:
            if child.tail and child.tail.strip():
                self.removed["text outside of texts"] += 1
                child.tail = None

    def _text(self, element: Element, flat: bool) -> Iterator[Slot]:
        """Text as it stands, or packed; of what is packed in another way nothing stays."""
        yield from self._children(element, "text")
        kind = element.get("mediaType", "text/plain")
        if element.get("representation") == "B64":
            yield from self._packed(element, kind)
        elif not kind.lower().startswith("text/"):
            self._clear(element, "attachments of other kinds")
        else:
            runs = runs_of(element, flat)
            if any(run.text.strip() for run in runs):
                yield join_runs(runs)

    def _packed(self, element: Element, kind: str) -> Iterator[Slot]:
        enclosed = self._enclosures.unpack_base64(
            "".join(run.text for run in runs_of(element, flat=False)), kind
        )
        self._clear(element)
        if enclosed is None:
            mask_text(element)
            return
        yield from enclosed.slots
        self.closing.append(lambda: put_text(element, pack_base64(enclosed.written())))

    def _clear(self, element: Element, called: str = "") -> None:
        element.text = None
        for child in element:
            child.tail = None
        if called:
            self.removed[called] += 1
            mask_text(element)

    def _narrative(self, element: Element) -> Iterator[Slot]:
        self._caption = ""
        yield from self._blocks(element, [])

    def _blocks(self, element: Element, block: list[Run]) -> Iterator[Slot]:
        known = table()["narrative"]
        tags = {*known["marks"], *known["blocks"]} - {"text"}
        self._remove(element, [child for child in element if child.tag not in tags])
        yield from self._attributes.slots(element, "narrative", "")
        is_block = element.tag in known["blocks"]
        if is_block:
            yield from self._joined(block)
        if element.text:
            block.append(Run(flat_text(element.text), partial(put_text, element)))
        for child in element:
            yield from self._blocks(child, block)
            if child.tail:
                block.append(Run(flat_text(child.tail), partial(put_tail, child)))
        if is_block:
            yield from self._joined(block)

    def _joined(self, block: list[Run]) -> Iterator[Slot]:
        """The runs of a block as a piece, if they say something; the next block begins."""
        runs = block.copy()
        block.clear()
        said = "".join(run.text for run in runs).strip()
        if said:
            yield join_runs(runs, self._caption)
            self._caption = caption_of(said)
