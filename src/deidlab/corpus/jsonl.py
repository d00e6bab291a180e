"""JSON lines: one document a line.

    {"id": …, "patient": …, "text": …, "spans": [{"start": 0, "end": 4, "label": "DATE"}], "meta": {…}}

Only `text` must be there. A span may carry `score`, `source` and the `text` that it covers, which is then
checked. Keys of other names go into `meta`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from deidlab.corpus.files import MAX_FILE_BYTES
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, read_score
from deidlab.errors import CorpusError
from deidlab.inputfile import open_input
from deidlab.types import Document, Span

SUFFIXES = (".jsonl", ".ndjson")
_OWN_KEYS = frozenset(("id", "patient", "text", "spans", "meta"))


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    try:
        with open_input(path) as stream:
            for number, line in _lines(stream):
                if line is None:
                    yield BadDocument(path, f"line {number} is longer than 128 MiB")
                elif line.strip():
                    yield _read_line(path, number, line, settings)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """The lines and their numbers; None stands for a line that is too long to be a note."""
    number = 0
    while line := stream.readline(MAX_FILE_BYTES + 1):
        number += 1
        if len(line) > MAX_FILE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_FILE_BYTES)
            yield number, None
        else:
            yield number, line


def _read_line(path: Path, number: int, line: bytes, settings: ReadSettings) -> RawDocument | BadDocument:
    if b"\0" in line and settings.encoding.lower().startswith("utf-8"):
        return BadDocument(path, f"line {number} has a NUL at byte {line.index(0)}; this is not a text file")
    try:
        record = json.loads(line.decode(settings.encoding))
    except UnicodeDecodeError as error:
        return BadDocument(path, f"line {number}, byte {error.start} is not {settings.encoding}")
    except json.JSONDecodeError as error:
        return BadDocument(path, f"line {number} is not JSON (column {error.colno})")
    except (RecursionError, ValueError, LookupError):
        return BadDocument(path, f"line {number} is not JSON that can be read")
    return record_to_raw(record, path, f"line {number}", f"{path.stem}-{number}")


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
    extra = {key: value for key, value in record.items() if key not in _OWN_KEYS}
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


def render(document: Document, losses: Counter[str]) -> str:
    """The document's line."""
    return json.dumps(document_to_record(document), ensure_ascii=False) + "\n"


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
