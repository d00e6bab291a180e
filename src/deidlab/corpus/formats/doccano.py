"""doccano: JSON lines of a sequence labelling project, in the shapes of its releases.

    {"id": 7, "text": "…", "label": [[0, 5, "DATE"]]}
    {"id": 7, "text": "…", "labels": [[0, 5, "DATE"]], "meta": {}, "annotation_approver": null}
    {"id": 7, "text": "…", "entities": [{"id": 1, "label": "DATE", "start_offset": 0, "end_offset": 5}]}

Offsets count UTF-16 units, as the browser does in which people mark. Projects that count grapheme clusters
say so nowhere: notes with emoji are to be marked without that setting.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deidlab.corpus.files import refuse_nul
from deidlab.corpus.format import Format, OneText, register
from deidlab.corpus.formats import jsonl
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, name_said
from deidlab.corpus.utf16 import Units
from deidlab.types import Document

_SPANS = ("label", "labels", "entities")
_BEGINS = re.compile(
    rb'\A\{[^\n]*?(?:"labels?"\s*:\s*\[\s*(?:\]|\[\s*\d)|"entities"\s*:\s*\[\s*(?:\]|\{[^\n]*?"start_offset"))'
)


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    for number, record in jsonl.records(path, settings):
        yield record if isinstance(record, BadDocument) else _read_record(path, number, record, settings)


def _read_record(path: Path, number: int, record: Any, settings: ReadSettings) -> RawDocument | BadDocument:
    if not isinstance(record, dict):
        return BadDocument(path, f"line {number} is not a JSON object")
    id_column, patient_column, text_column = settings.own_columns
    text = record.pop(text_column, record.pop("data", None))
    if not isinstance(text, str):
        return BadDocument(path, f"line {number} has no '{text_column}' that is a string")
    said, patient = (name_said(record.pop(column, None)) for column in (id_column, patient_column))
    skipped = Counter({"relations": len(record.pop("relations", None) or ())})
    more = record.pop("meta", None)
    try:
        marked = [each for name in _SPANS for each in record.pop(name, None) or ()]
        units = Units(text)
        found = tuple(units.to_characters(_read_span(each)) for each in marked)
    except (TypeError, KeyError, ValueError, AttributeError):
        return BadDocument(path, f"line {number}: its labels are not a start, an end and a label each", said)
    meta = {**record, **(more if isinstance(more, dict) else {})}
    name = said or f"{path.name.removesuffix(path.suffix)}-{number}"
    return RawDocument(path, name, text, found, patient, meta, skipped, named_by_file=not said)


def _read_span(marked: Any) -> Annotation:
    if isinstance(marked, dict):
        start, end, label = marked["start_offset"], marked["end_offset"], marked["label"]
    else:
        start, end, label = marked
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise TypeError
    return Annotation(start, end, label)


def render(document: Document, losses: Counter[str]) -> str:
    """The document's line."""
    refuse_nul(document.text, Path(document.id))
    losses["scores and sources"] += sum(s.score is not None or bool(s.source) for s in document.spans)
    units = Units(document.text)
    label = [[units.of(span.start), units.of(span.end), span.label] for span in document.spans]
    record = {"id": document.id, "patient": document.patient, "label": label, "text": document.text}
    meta = {"meta": dict(document.meta)} if document.meta else {}
    return json.dumps({**record, **meta}, ensure_ascii=False) + "\n"


def begins(head: bytes) -> bool:
    return _BEGINS.search(head) is not None


FORMAT = register(
    Format(
        name="doccano",
        suffixes=(".jsonl",),
        read=read,
        begins=begins,
        one=OneText(render),
        lacks=("scores and sources",),
        count=jsonl.count,
        sample=jsonl.sample,
        first_notes=jsonl.first_lines,
        media_type="application/x-ndjson",
        is_special=True,
    )
)
