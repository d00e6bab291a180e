"""i2b2 2006 XML: one large file of records, PHI marked inline.

    <ROOT><RECORD ID="17"><TEXT>Seen by Dr. <PHI TYPE="DOCTOR">…</PHI> …</TEXT></RECORD></ROOT>

Records are read one at a time. Inline marks cannot overlap: writing resolves overlaps and counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.format import Format, OneText, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.corpus.xml import escape_attribute, escape_content, iterate_xml, refuse_forbidden
from deidlab.encode.tags import resolve_overlaps
from deidlab.errors import CorpusError
from deidlab.inputfile import open_input
from deidlab.types import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_HEAD, _FOOT = '<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n', "</ROOT>\n"


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    try:
        with open_input(path) as stream:
            for number, record in enumerate(iterate_xml(stream, path, "RECORD"), start=1):
                yield _read_record(path, number, record)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _read_record(path: Path, number: int, record: Element) -> RawDocument | BadDocument:
    record_id = record.get("ID", "")
    if not record_id:
        return BadDocument(path, f"record {number} has no ID")
    text = record.find("TEXT")
    if text is None:
        return BadDocument(path, f"record {number} has no TEXT", record_id)
    pieces, annotations, reached = [text.text or ""], [], len(text.text or "")
    for mark in text:
        if mark.tag != "PHI" or len(mark):
            return BadDocument(path, f"record {number} has marks other than PHI in its text", record_id)
        inside, after = mark.text or "", mark.tail or ""
        annotations.append(Annotation(reached, reached + len(inside), mark.get("TYPE", "")))
        pieces += (inside, after)
        reached += len(inside) + len(after)
    return RawDocument(path, record_id, "".join(pieces), tuple(annotations), record.get("PATIENT", ""))


def render(document: Document, losses: Counter[str]) -> str:
    """The document's record."""
    refuse_forbidden(document.text, document.id)
    refuse_forbidden(document.id + document.patient, document.id, "id or patient")
    spans, misfits = resolve_overlaps(document.spans)
    losses["overlapping spans"] += len(misfits)
    losses["meta"] += bool(document.meta)
    losses["scores and sources"] += sum(s.score is not None or bool(s.source) for s in spans)
    pieces, reached = [], 0
    for span in spans:
        pieces.append(escape_content(document.text[reached : span.start]))
        inside = escape_content(document.text[span.start : span.end])
        pieces.append(f'<PHI TYPE="{escape_attribute(span.label)}">{inside}</PHI>')
        reached = span.end
    pieces.append(escape_content(document.text[reached:]))
    patient = "" if document.patient == document.id else f' PATIENT="{escape_attribute(document.patient)}"'
    text = "".join(pieces)
    return f'<RECORD ID="{escape_attribute(document.id)}"{patient}>\n<TEXT>{text}</TEXT>\n</RECORD>\n'


def begins(head: bytes) -> bool:
    """A record before the text of a note: all later files of the family hold one note."""
    return head.startswith(b"<") and b"<RECORD" in head.partition(b"<TEXT")[0]


FORMAT = register(
    Format(
        name="i2b2-2006",
        suffixes=(".xml",),
        read=read,
        begins=begins,
        one=OneText(render, _HEAD, _FOOT),
        lacks=("overlapping spans", "scores and sources", "meta"),
        first_notes=None,
    )
)
