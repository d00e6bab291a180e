"""A note's way back as bytes, and back again: it lies sealed in a part until the map is made of them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deidlab.corpus.files import refuse_existing
from deidlab.files import appearing
from deidlab.mask import MapEntry, MapWriter
from deidlab.mask.keepmap import entry_of
from deidlab.pipeline.run.parts import Parts
from deidlab.pipeline.run.sealing import Seal
from deidlab.types import Document, MaskedDocument, Span, rows_to_spans, spans_to_rows


def pack_entry(
    document: Document, written: Document, masked: MaskedDocument, dropped: Sequence[Span] = ()
) -> bytes:
    """A note's way back as bytes: its ids before and after, the original of every replacement, and the
    annotations that the output goes without."""
    made = entry_of(document, masked)
    row = [document.id, document.patient, written.id, written.patient, made.pieces, made.masked_sha256]
    spans = spans_to_rows(dropped)
    return json.dumps([*row, dict(document.meta), spans], ensure_ascii=False, default=str).encode()


def unpack_entry(data: bytes) -> MapEntry:
    name, patient, masked_name, masked_patient, pieces, digest, meta, spans = json.loads(data)
    rows = tuple((start, end, text) for start, end, text in pieces)
    dropped = rows_to_spans(spans)
    return MapEntry(name, patient, masked_name, masked_patient, rows, digest, meta, dropped)


def write_map(path: Path, passphrase: str, entries: Iterable[bytes], overwrite: bool = False) -> None:
    """The encrypted map of packed entries; it gets its name when it is whole."""
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    with appearing(path, partial), MapWriter(partial, passphrase.encode()) as writer:
        for data in entries:
            writer.write(unpack_entry(data))


def opened(parts: Parts, seal: Seal) -> Iterator[bytes]:
    """The ways back of all parts, unsealed one at a time."""
    return (seal.open(data) for data in parts.ways_back())
