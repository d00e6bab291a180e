"""A note's way back as bytes, and back again: what lies sealed in a part until the map is written."""

from __future__ import annotations

import json
from collections.abc import Sequence

from deidlab.mask import MapEntry
from deidlab.mask.keepmap import entry_of
from deidlab.types import Document, MaskedDocument, Span


def pack_entry(
    document: Document, written: Document, masked: MaskedDocument, dropped: Sequence[Span] = ()
) -> bytes:
    """A note's way back as bytes: its ids before and after, the original of every replacement, and the
    annotations that the output goes without."""
    made = entry_of(document, masked)
    row = [document.id, document.patient, written.id, written.patient, made.pieces, made.masked_sha256]
    spans = [[s.start, s.end, s.label, s.score, s.source] for s in dropped]
    return json.dumps([*row, dict(document.meta), spans], ensure_ascii=False, default=str).encode()


def unpack_entry(data: bytes) -> MapEntry:
    name, patient, masked_name, masked_patient, pieces, digest, meta, spans = json.loads(data)
    rows = tuple((start, end, text) for start, end, text in pieces)
    dropped = tuple(Span(*cells) for cells in spans)
    return MapEntry(name, patient, masked_name, masked_patient, rows, digest, meta, dropped)
