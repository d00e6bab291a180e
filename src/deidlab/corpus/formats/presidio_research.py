"""presidio-research: a JSON file with a list of sentences, each with its spans.

    [{"full_text": "…", "spans": [{"entity_type": "PERSON", "entity_value": "…", "start_position": 15,
      "end_position": 22}], "template_id": 87, "metadata": null}]

Offsets count code points and are half-open; the value is checked against the text. `template_id` and what
`metadata` holds are kept as fields; `masked` is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deidlab.corpus.files import read_text
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    try:
        rows = json.loads(read_text(path, settings.encoding))
    except (ValueError, RecursionError):
        raise CorpusError(f"{path}: is not JSON that can be read") from None
    if not isinstance(rows, list):
        raise CorpusError(f"{path}: is not a list of texts with their spans")
    for number, row in enumerate(rows, 1):
        yield _read_row(path, number, row)


def _read_row(path: Path, number: int, row: Any) -> RawDocument | BadDocument:
    name = f"{path.name.removesuffix('.json').removesuffix('.presidio-research')}-{number}"
    if not isinstance(row, dict) or not isinstance(row.get("full_text"), str):
        return BadDocument(path, f"entry {number} has no 'full_text' that is a string", name)
    try:
        annotations = tuple(_read_span(span) for span in row.get("spans") or ())
    except (TypeError, KeyError, AttributeError):
        return BadDocument(path, f"entry {number}: its spans lack a type, a start or an end", name)
    more = row.get("metadata") or {}
    meta = dict(more) if isinstance(more, dict) else {}
    if row.get("template_id") is not None:
        meta["template_id"] = row["template_id"]
    return RawDocument(path, name, row["full_text"], annotations, meta=meta, named_by_file=True)


def _read_span(span: Any) -> Annotation:
    start, end, label = span["start_position"], span["end_position"], span["entity_type"]
    value = span.get("entity_value")
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise TypeError
    return Annotation(start, end, label, value if isinstance(value, str) else None)


def begins(head: bytes) -> bool:
    return head.startswith(b"[") and b'"full_text"' in head


# Its files end in .json, as the notes that go with others' do: one is known by how it begins.
FORMAT = register(
    Format(name="presidio-research", suffixes=(".presidio-research.json",), read=read, begins=begins)
)
