"""Notes and what was found in them in, a file of offsets out: enough for every table, and no text."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from deidlab.encode.words import find_words
from deidlab.study.folder import write_whole
from deidlab.types import Document, Span


def write_predictions(
    path: Path, documents: Sequence[Document], found: Sequence[Sequence[Span]], style: str = "runs"
) -> Path:
    """One line a document, packed; the same predictions give the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as stream:
        for document, spans in zip(documents, found, strict=True):
            line = {
                "id": document.id,
                "patient": document.patient,
                "steps": words_to_steps(find_words(document.text, style)),
                "gold": [[span.start, span.end, span.label] for span in document.spans],
                "found": [[span.start, span.end, span.label, _round(span.score)] for span in spans],
            }
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
            stream.write(text.encode() + b"\n")
    packed = path.with_name(path.name + ".gz")
    write_whole(packed, buffer.getvalue())
    return packed


def words_to_steps(words: Iterable[tuple[int, int]]) -> list[int]:
    """From each word's end to the next one's start, and its length, by turns: small numbers pack well."""
    steps: list[int] = []
    at = 0
    for start, end in words:
        steps += (start - at, end - start)
        at = end
    return steps


def _round(score: float | None) -> float | None:
    return None if score is None else round(score, 5)
