"""i2b2/UTHealth 2014 XML and its family (n2c2 2016 and others): one file a note, `TEXT` and `TAGS`.

    <deIdi2b2><TEXT><![CDATA[…]]></TEXT><TAGS>
      <NAME id="P0" start="58" end="70" text="…" TYPE="PATIENT" comment=""/>
    </TAGS></deIdi2b2>

The root may have any name. The medical tags of the challenge's second track are skipped and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.files import name_to_id, patient_of_name, read_bytes, read_sidecar
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.corpus.xml import cdata, escape_attribute, parse_xml, refuse_forbidden
from deidlab.errors import CorpusError
from deidlab.labels import usual_group
from deidlab.types import Document, Span

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MEDICAL_TAGS = frozenset(
    ("CAD", "DIABETES", "FAMILY_HIST", "HYPERLIPIDEMIA", "HYPERTENSION", "MEDICATION", "OBESE", "SMOKER")
)


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    root = parse_xml(read_bytes(path), path)
    texts = root.findall("TEXT")
    if len(texts) != 1 or len(texts[0]):
        raise CorpusError(f"{path}: needs one TEXT element with nothing but text in it")
    stem = path.name.removesuffix(".xml")
    document_id = name_to_id(stem)
    patient, meta = read_sidecar(path, stem)
    skipped: Counter[str] = Counter()
    annotations = tuple(_read_tags(root, path, skipped))
    yield RawDocument(
        path,
        document_id,
        texts[0].text or "",
        annotations,
        patient or patient_of_name(document_id),
        meta,
        skipped,
        named_by_file=True,
    )


def _read_tags(root: Element, path: Path, skipped: Counter[str]) -> Iterator[Annotation]:
    for tags in root.findall("TAGS"):
        for number, tag in enumerate(tags, start=1):
            if tag.tag in MEDICAL_TAGS:
                skipped["medical tags"] += 1
                continue
            get = tag.attrib.get
            try:
                start, end = int(tag.attrib["start"]), int(tag.attrib["end"])
                score = float(tag.attrib["score"]) if "score" in tag.attrib else None
            except (KeyError, ValueError):
                raise CorpusError(f"{path}: tag {number} has no start and end in whole numbers") from None
            yield Annotation(start, end, get("TYPE", ""), get("text"), score, get("source", ""))


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The files of one document, by suffix."""
    refuse_forbidden(document.text, document.id)
    tags = "".join(_tag_line(document, number, span) for number, span in enumerate(document.spans))
    page = (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
        f"  <TEXT>{cdata(document.text)}</TEXT>\n  <TAGS>\n{tags}  </TAGS>\n</deIdi2b2>\n"
    )
    return {".xml": page.encode()}


def _tag_line(document: Document, number: int, span: Span) -> str:
    refuse_forbidden(span.label + span.source, document.id, "label or source of a span")
    extra = "" if span.score is None else f' score="{span.score!r}"'
    if span.source:
        extra += f' source="{escape_attribute(span.source)}"'
    return (
        f'    <{usual_group(span.label)} id="P{number}" start="{span.start}" end="{span.end}" '
        f'text="{escape_attribute(document.text[span.start : span.end])}" '
        f'TYPE="{escape_attribute(span.label)}" comment=""{extra} />\n'
    )


def begins(head: bytes) -> bool:
    """XML, and no record in it before the text of a note."""
    return head.startswith(b"<?xml") and b"<RECORD" not in head.partition(b"<TEXT")[0]


FORMAT = register(
    Format(
        name="i2b2",
        # The 2016 challenge kept 2014's files.
        aliases=("i2b2-2014", "n2c2-2016"),
        suffixes=(".xml",),
        read=read,
        begins=begins,
        render=render,
        first_notes=None,
        usual_patient=patient_of_name,
    )
)
