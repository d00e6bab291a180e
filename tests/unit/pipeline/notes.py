"""Invented notes and small helpers for the tests of masking."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from pathlib import Path

from deidlab.types import Document, Span

KEY = b"0123456789abcdef0123456789abcdef"
NAMES = ("Okonjo", "Ostrander", "Vasquez", "Montoro", "Hargreaves", "Abernethy", "Pelling", "Raman")


def write_key(folder: Path, key: bytes = KEY) -> Path:
    path = folder / "site.key"
    path.write_bytes(key)
    path.chmod(0o600)
    return path


def make_note(number: int, notes_a_patient: int = 3) -> Document:
    """A short note with a name and two dates marked; the second is a week after the first."""
    patient = number // notes_a_patient
    name = NAMES[patient % len(NAMES)]
    first = datetime.date(2065, 1, 1) + datetime.timedelta(days=11 * number % 700)
    days = [day.strftime("%m/%d/%Y") for day in (first, first + datetime.timedelta(days=7))]
    text, spans = "", []
    for piece, label in (("Mr. ", ""), (name, "PATIENT"), (" was seen on ", ""), (days[0], "DATE"),
                         (". BP 120/80. Again on ", ""), (days[1], "DATE"), (".\n", "")):  # fmt: skip
        if label:
            spans.append(Span(len(text), len(text) + len(piece), label))
        text += piece
    return Document(f"n{number:05}", f"p{patient:04}", text, tuple(spans))


def write_jsonl(documents: Iterable[Document], path: Path, with_spans: bool = True) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            spans = [{"start": s.start, "end": s.end, "label": s.label} for s in document.spans]
            record = {"id": document.id, "patient": document.patient, "text": document.text}
            file.write(json.dumps({**record, **({"spans": spans} if with_spans else {})}) + "\n")
    return path


def read_jsonl(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
