"""CDA documents with something to find at every place that the table names, and at others that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

from deidlab.carriers.tables import load_table

SECRET = "Xylosentinel"
TEXT = f"Seen by Dr. Tom {SECRET}."
VALUES = {
    "text": TEXT, "date": "20310729081500-0500", "oid": "1.2.66.31337", "uuid": "53FEFA32-FCBB-4FF8-8A92-55EE120877B7",
    "phone": "tel:+1-617-555-0142", "mail": f"mailto:tom@{SECRET}.example", "anchor": f"#{SECRET}",
}  # fmt: skip
WORDS = (SECRET.lower(), "20310729", "2031-07-29", "31337", "53fefa32", "555-0142")
HEAD = (
    '<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc" xmlns:q="urn:q" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
)
ROLE = '<recordTarget><patientRole><id root="1.2.3" extension="p7"/><patient>{}</patient></patientRole></recordTarget>'
_STRANGE = (
    "foo",
    "q:foo",
    "sdtc:foo",
    "xsi:schemaLocation",
    "xml:lang",
    "title",
    "extension",
    "value",
    "displayName",
)
# A code and the unit of a number stay, whatever they are.
_CODES = ("code", "unit", "currency", "alignment")


def document(inside: str) -> bytes:
    """A document of a patient, with more in it."""
    return f"{HEAD}{ROLE.format('')}{inside}</ClinicalDocument>".encode()


@dataclass(frozen=True)
class Maker:
    """Makes documents with a value in all that the table names; fields of the kept labels hold a state."""

    value: str
    kept: frozenset[str] = frozenset()
    known: dict[str, Any] = field(default_factory=lambda: load_table("ccda"))

    def full(self) -> bytes:
        """All known elements, by their names, by their places and by their types, and unknown ones."""
        return document("".join(self._everything()))

    def _everything(self) -> Iterator[str]:
        for kind, names in (*self.known["elements"].items(), ("", ["foo", "q:foo"])):
            # What becomes of attributes is the same for all elements of a kind.
            for name in names if self.value == TEXT else names[:1]:
                yield f"<section>{self._element(name, kind)}</section>"
        for place, kind in self.known["places"].items():
            owner, name = place.split("/")
            for class_ in ("PSN", "PLC", SECRET) if kind == "entity" else ("PSN",):
                of = self.known["entities"].get(class_, kind) if kind == "entity" else kind
                yield f"<{owner} classCode='{class_}'>{self._element(name, of)}</{owner}>"
        for type_, kind in (*self.known["values"].items(), ("BIN", ""), (SECRET, "")):
            yield f"<observation>{self._element('value', kind, type_)}</observation>"
        marks = (*self.known["narrative"]["blocks"][1:], *self.known["narrative"]["marks"])
        inside = "".join(f"{self._leaf(mark, 'narrative')}<foo>{TEXT}</foo>{TEXT}" for mark in marks)
        yield f"<section><text>{TEXT}{inside}<p>{TEXT}</p><!--{SECRET}--><?q {SECRET}?></text></section>"

    def _element(self, name: str, kind: str, type_: str = "") -> str:
        first = kind.partition(":")[0]
        inside = {**self.known["inside"].get(first, {}), "foo": "", "q:foo": ""}
        children = "".join(self._leaf(each, of) for each, of in inside.items())
        said = f" xsi:type={quoteattr(type_)}" if type_ else ""
        text = self._text("LOCATION-OTHER" if first == "address" else kind)
        return f"<{name}{said}{self._attributes(kind)}>{text}{children}{text}</{name}>"

    def _leaf(self, name: str, kind: str) -> str:
        return f"<{name}{self._attributes(kind)}>{self._text(kind)}</{name}>"

    def _text(self, kind: str) -> str:
        return "MA" if kind in self.kept else TEXT

    def _attributes(self, kind: str) -> str:
        rules = self.known["attributes"].get(kind.partition(":")[0], {})
        names = dict.fromkeys((*rules, "nullFlavor", *_STRANGE))
        kept = (name for name in names if self.value == TEXT or name not in _CODES)
        values = ((name, "MA" if rules.get(name) in self.kept else self.value) for name in kept)
        return "".join(f" {name}={quoteattr(value)}" for name, value in values)
