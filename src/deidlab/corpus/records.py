"""Documents and spans as JSON objects, both ways: lines of JSON, cells of tables, bodies of requests.

    {"id": …, "patient": …, "text": …, "spans": [{"start": 0, "end": 4, "label": "DATE"}], "meta": {…}}

Only `text` must be there. A span may carry `score`, `source` and the `text` that it covers, which is then
checked. Keys of other names go into `meta`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, read_score
from deidlab.types import Document, Span

OWN_KEYS = ("id", "patient", "text", "spans", "meta")


def record_to_raw(record: Any, path: Path, where: str, default_id: str) -> RawDocument | BadDocument:
    """A JSON object as a raw document."""
    if not isinstance(record, dict):
        return BadDocument(path, f"{where} is not a JSON object")
    text, document_id = record.get("text"), record.get("id", default_id)
    if not isinstance(text, str):
        return BadDocument(path, f"{where} has no 'text' that is a string")
    if not isinstance(document_id, str | int) or isinstance(document_id, bool) or document_id == "":
        return BadDocument(path, f"{where}: 'id' must be a string or a whole number")
    meta = record.get("meta") or {}
    if not isinstance(meta, dict):
        return BadDocument(path, f"{where}: 'meta' must be an object", str(document_id))
    extra = {key: value for key, value in record.items() if key not in OWN_KEYS}
    try:
        annotations = tuple(read_span(span) for span in record.get("spans") or ())
    except (TypeError, KeyError, ValueError, AttributeError):
        return BadDocument(
            path,
            f"{where}: 'spans' must be objects with whole numbers 'start', 'end' and a 'label'",
            str(document_id),
        )
    patient = record.get("patient", "")
    if patient is not None and (isinstance(patient, bool) or not isinstance(patient, str | int | float)):
        return BadDocument(path, f"{where}: 'patient' must be a string or a number", str(document_id))
    said = "" if patient is None else str(patient)
    fields = {**extra, **meta}
    return RawDocument(
        path, str(document_id), text, annotations, said, fields, named_by_file="id" not in record
    )


def read_span(span: dict[str, Any]) -> Annotation:
    """One span of a record; anything that is not one raises TypeError, KeyError or ValueError."""
    start, end, label = span["start"], span["end"], span["label"]
    quoted, source = span.get("text"), span.get("source") or ""
    if type(start) is not int or type(end) is not int:
        raise TypeError
    if not isinstance(label, str) or not isinstance(source, str) or not isinstance(quoted, str | None):
        raise TypeError
    return Annotation(start, end, label, quoted, read_score(span.get("score")), source)


def document_to_record(document: Document) -> dict[str, Any]:
    """The document as the JSON object of its line."""
    return {
        "id": document.id,
        "patient": document.patient,
        "text": document.text,
        "spans": [span_to_record(span) for span in document.spans],
        "meta": dict(document.meta),
    }


def span_to_record(span: Span) -> dict[str, Any]:
    record: dict[str, Any] = {"start": span.start, "end": span.end, "label": span.label}
    if span.score is not None:
        record["score"] = span.score
    if span.source:
        record["source"] = span.source
    return record


def record_to_document(record: dict[str, Any]) -> Document:
    """The mirror of `document_to_record`, for what this house wrote itself."""
    spans = tuple(
        Span(span["start"], span["end"], span["label"], span.get("score"), span.get("source", ""))
        for span in record["spans"]
    )
    return Document(record["id"], record["patient"], record["text"], spans, record["meta"])
