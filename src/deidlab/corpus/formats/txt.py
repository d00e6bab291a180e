"""Plain text: `NAME.txt`, no annotations. Writing drops spans, and counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deidlab.corpus.files import name_to_id, read_sidecar, read_text, refuse_nul
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.types import Document


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    stem = path.name.removesuffix(".txt")
    patient, meta = read_sidecar(path, stem)
    text = read_text(path, settings.encoding)
    yield RawDocument(path, name_to_id(stem), text, (), patient, meta, named_by_file=True)


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The files of one document, by suffix."""
    refuse_nul(document.text, Path(document.id))
    losses["spans"] += len(document.spans)
    return {".txt": document.text.encode()}


FORMAT = register(
    Format(
        name="txt",
        aliases=("text",),
        suffixes=(".txt",),
        read=read,
        render=render,
        lacks=("spans",),
        is_plain=True,
    )
)
