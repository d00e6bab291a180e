"""What a reader hands over: a document as the file has it, unchecked, or a note of why there is none.

`build_document` turns the first into a checked `Document`; `find_problems` lists all that is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import AlignmentError, CorpusError
from deidlab.types import Document, Span

MAX_NOTE_CHARACTERS = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How to read what the files themselves do not say."""

    encoding: str = "utf-8"
    text_column: str = "text"
    id_column: str | None = None
    patient_column: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation as the file has it; `quoted` is the text that the file says stands there."""

    start: int
    end: int
    label: str
    quoted: str | None = field(default=None, repr=False)
    score: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as the file has it; `skipped` counts what the reader leaves out on purpose."""

    path: Path
    id: str
    text: str = field(repr=False)
    annotations: tuple[Annotation, ...] = field(default=(), repr=False)
    patient: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadDocument:
    """A document that could not be read: where, and why."""

    path: Path
    reason: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a corpus: what kind, and where."""

    kind: str
    path: str
    document: str
    message: str
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        place = "" if self.start is None else f" {self.start}–{self.end}"
        return f"{self.path}: document {self.document}{place}: {self.message}"


OUT_OF_BOUNDS = "out-of-bounds"
EMPTY_SPAN = "empty-span"
TEXT_MISMATCH = "text-mismatch"
NO_LABEL = "no-label"


def build_document(raw: RawDocument) -> Document:
    """The checked document; the first problem is raised."""
    for problem in find_problems(raw):
        raise AlignmentError(str(problem))
    if len(raw.text) > MAX_NOTE_CHARACTERS:
        raise CorpusError(f"{raw.path}: document {raw.id} has {len(raw.text)} characters; the limit is 64 Mi")
    spans = tuple(Span(a.start, a.end, a.label, a.score, a.source) for a in raw.annotations)
    try:
        return Document(raw.id, raw.patient, raw.text, spans, raw.meta)
    except CorpusError as error:
        raise type(error)(f"{raw.path}: {error}") from None


def find_problems(raw: RawDocument) -> Iterator[Problem]:
    """Every annotation that does not fit its text."""
    length = len(raw.text)
    for annotation in raw.annotations:
        start, end = annotation.start, annotation.end
        if start < 0 or end > length:
            yield _problem(raw, annotation, OUT_OF_BOUNDS, f"outside the text of {length} characters")
        elif start >= end:
            yield _problem(raw, annotation, EMPTY_SPAN, "the span is empty or reversed")
        elif annotation.quoted is not None and not _same_text(raw.text[start:end], annotation.quoted):
            yield _problem(
                raw, annotation, TEXT_MISMATCH, "the quoted text is not what stands at these offsets"
            )
        if not annotation.label:
            yield _problem(raw, annotation, NO_LABEL, "the annotation has no type")


def is_sound(raw: RawDocument, annotation: Annotation) -> bool:
    """Whether the annotation can become a span."""
    return 0 <= annotation.start < annotation.end <= len(raw.text) and bool(annotation.label)


def _problem(raw: RawDocument, annotation: Annotation, kind: str, message: str) -> Problem:
    return Problem(kind, str(raw.path), raw.id, message, annotation.start, annotation.end)


_WHITE = re.compile(r"\s+")


def _same_text(found: str, quoted: str) -> bool:
    """Equal up to the white space that XML attributes and brat's one-line quotes cannot keep."""
    return found == quoted or _WHITE.sub(" ", found) == _WHITE.sub(" ", quoted)
