"""A note's way back as bytes, and back again: what lies sealed in a part until the map is written."""

from __future__ import annotations

import json

from deidlab.mask import MapEntry
from deidlab.mask.keepmap import entry_of
from deidlab.types import Document, MaskedDocument


def pack_entry(document: Document, written: Document, masked: MaskedDocument) -> bytes:
    """A note's way back as bytes: its ids before and after, and the original of every replacement."""
    made = entry_of(document, masked)
    row = [document.id, document.patient, written.id, written.patient, made.pieces, made.masked_sha256]
    return json.dumps([*row, dict(document.meta)], ensure_ascii=False, default=str).encode()


def unpack_entry(data: bytes) -> MapEntry:
    name, patient, masked_name, masked_patient, pieces, digest, meta = json.loads(data)
    rows = tuple((start, end, text) for start, end, text in pieces)
    return MapEntry(name, patient, masked_name, masked_patient, rows, digest, meta)
