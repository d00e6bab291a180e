"""UIMA CAS as XMI: a zip a note, with an .xmi and its `TypeSystem.xml`, as of INCEpTION; or an .xmi.

What is written has the layer `NamedEntity`, which INCEpTION has built in, with the label as its `value`. The
XML goes through the house's own parser: a library of UIMA's would bring another one, whose messages may quote
a note, for a type system of which two types are looked at.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deidlab.carriers import Refused
from deidlab.corpus import uima
from deidlab.corpus.files import name_to_id, read_bytes, read_sidecar
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.corpus.uima import DOCUMENT, ENTITY, FEATURES, SOFA, Structure
from deidlab.corpus.xml import escape_attribute, parse_xml, refuse_forbidden
from deidlab.errors import CorpusError
from deidlab.types import Document

_ZIP = b"PK\x03\x04"
_TYPES_FILE = "TypeSystem.xml"
_NAMESPACE = re.compile(r"\{http:///(.*)\.ecore\}(\w+)")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PREFIXES = {SOFA: "cas:Sofa", DOCUMENT: "tcas:DocumentAnnotation", ENTITY: "type:NamedEntity"}
_FIRST = (1980, 1, 1, 0, 0, 0)


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    data = read_bytes(path)
    root = parse_xml(_unpack(data, path) if data.startswith(_ZIP) else data, path)
    structures = [Structure(_type_of(each.tag), each.attrib) for each in root if isinstance(each.tag, str)]
    skipped: Counter[str] = Counter()
    text = uima.read_text(structures)
    found = uima.read_annotations(structures, text, skipped)
    stem = path.name.removesuffix(path.suffix)
    patient, meta = read_sidecar(path, stem)
    yield RawDocument(path, name_to_id(stem), text, found, patient, meta, skipped, named_by_file=True)


def _unpack(data: bytes, path: Path) -> bytes:
    """The one CAS of an export; its limits are those of any package."""
    from deidlab.carriers.docx_package import Package

    try:
        package = Package(data)
        names = [each for each in package.names if each.endswith(".xmi")]
        if len(names) != 1:
            raise CorpusError(f"{path}: has {len(names)} .xmi files in it, and one is expected")
        return package.read(names[0])
    except Refused:
        raise CorpusError(f"{path}: is not a zip file that can be read whole, or too much for one") from None


def _type_of(tag: str) -> str:
    """`{http:///webanno/custom.ecore}Span` is webanno.custom.Span."""
    found = _NAMESPACE.fullmatch(tag)
    return "" if found is None else f"{found[1]}.{found[2]}".replace("/", ".")


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The zip of one document."""
    refuse_forbidden(document.text, document.id)
    for span in document.spans:
        refuse_forbidden(span.label, document.id, "label of a span")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in (("note.xmi", _cas(document, losses)), (_TYPES_FILE, _TYPES)):
            info = zipfile.ZipInfo(name, _FIRST)
            info.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(info, text.encode())
    return {".zip": held.getvalue()}


def _cas(document: Document, losses: Counter[str]) -> str:
    structures = uima.structures_of(document, losses)
    lines = (_element(number, each) for number, each in enumerate(structures, 1))
    members = " ".join(str(number) for number in range(2, len(structures) + 1))
    return (
        f'{_HEAD}<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
        'xmlns:tcas="http:///uima/tcas.ecore" '
        'xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmi:version="2.0">\n'
        f'<cas:NULL xmi:id="0"/>\n{"".join(lines)}<cas:View sofa="1" members="{members}"/>\n</xmi:XMI>\n'
    )


def _element(number: int, structure: Structure) -> str:
    own = {"xmi:id": number} if structure.type == SOFA else {"xmi:id": number, "sofa": 1}
    said = {**own, **structure.features}
    pairs = " ".join(f'{name}="{escape_attribute(str(value))}"' for name, value in said.items())
    return f"<{_PREFIXES[structure.type]} {pairs}/>\n"


_FEATURE = (
    "<featureDescription><name>{}</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>"
)
_TYPES = (
    f'{_HEAD}<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types><typeDescription>'
    f"<name>{ENTITY}</name><supertypeName>uima.tcas.Annotation</supertypeName><features>"
    f"{''.join(map(_FEATURE.format, FEATURES))}</features></typeDescription></types>"
    "</typeSystemDescription>\n"
)


def begins(head: bytes) -> bool:
    """A zip whose first entries are a CAS or its types, or the XML itself."""
    if head.startswith(_ZIP):
        return _TYPES_FILE.encode() in head or b".xmi" in head
    return b"http://www.omg.org/XMI" in head


FORMAT = register(
    Format(
        name="uima-xmi",
        aliases=("inception",),
        suffixes=(".zip", ".xmi"),
        read=read,
        begins=begins,
        render=render,
        lacks=uima.LACKS,
        first_notes=None,
        media_type="application/zip",
        is_special=True,
    )
)
