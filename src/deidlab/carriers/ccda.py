"""C-CDA and CDA R2: what `data/carriers/ccda.toml` knows of a document, and nothing else, goes through.

One container is one document about one patient: the one that its recordTarget names.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Parts, Refused, Removed, put_all
from deidlab.carriers.ccda_walk import DocumentWalk
from deidlab.carriers.xml_text import read_xml, write_xml

_NAMESPACES = {
    "": "urn:hl7-org:v3", "sdtc": "urn:hl7-org:sdtc", "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}  # fmt: skip
_PREFIXES = {name: f"{prefix}:" if prefix else "" for prefix, name in _NAMESPACES.items()}


class CCDA:
    """The carrier: one document."""

    def take_apart(self, content: bytes) -> Parts:
        walk = DocumentWalk()
        root = _read(content, walk.removed)
        patient = _patient(root)
        pieces = tuple(slot.piece for slot in walk.element(root, "node"))
        return Parts(pieces, patient, "", +walk.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        walk = DocumentWalk()
        root = _read(content, walk.removed)
        put_all(list(walk.element(root, "node")), texts)
        for close in walk.closing:
            close()
        return write_xml(root, _NAMESPACES) + b"\n"


def _read(content: bytes, removed: Removed) -> Element:
    """The root, with prefixes for names; elements and attributes of other namespaces have none."""
    root = read_xml(content, "it", removed)
    for each in root.iter():
        each.tag = _short(each.tag)
        attributes = list(each.items())
        each.attrib.clear()
        for key, value in attributes:
            name = _short(key) if key.startswith("{") else key
            # An attribute whose name has a prefix is of another namespace than ours, but for two.
            if name and (":" in name or name == key):
                each.set(name, value)
            else:
                removed["attributes"] += 1
    if root.tag != "ClinicalDocument":
        raise Refused("it is no CDA document: its root is not ClinicalDocument of urn:hl7-org:v3")
    return root


def _short(name: str) -> str:
    """The name with the prefix that we give its namespace; empty where that is not known."""
    space, _, local = name.removeprefix("{").rpartition("}")
    return f"{_PREFIXES[space]}{local}" if space in _PREFIXES else ""


def _patient(root: Element) -> str:
    """The first id of the patient that has a number; a document about several is refused."""
    found = []
    for role in root.findall("recordTarget/patientRole"):
        ids = role.findall("id")
        numbers = [each.get("extension", "") for each in ids] + [each.get("root", "").lower() for each in ids]
        found += [next(filter(None, (each.strip() for each in numbers)), "")]
    if len(set(found)) > 1:
        raise Refused("a document about several patients: split it first, so that each is masked alone")
    return next(iter(found), "")
