"""Inline tags: `NAME.tagged.txt`, with `<TYPE>…</TYPE>` around each span.

A tag is a name in capitals, digits, `-` and `_` between angle brackets; any other `<` is text. Inline
tags cannot overlap: writing resolves overlaps and counts them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deidlab.corpus.files import name_to_id, read_sidecar, read_text, refuse_nul
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.encode.tags import resolve_overlaps
from deidlab.errors import CorpusError
from deidlab.types import Document

_LABEL = r"[A-Z][A-Z0-9_-]*"
_TAG = re.compile(rf"<(/?)({_LABEL})>")


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    tagged = read_text(path, settings.encoding)
    stem = path.name.removesuffix(".tagged.txt")
    patient, meta = read_sidecar(path, stem)
    text, annotations = _strip_tags(tagged, path)
    yield RawDocument(path, name_to_id(stem), text, tuple(annotations), patient, meta, named_by_file=True)


def _strip_tags(tagged: str, path: Path) -> tuple[str, list[Annotation]]:
    pieces: list[str] = []
    annotations: list[Annotation] = []
    reached = length = opened_at = 0
    opened: tuple[str, int] | None = None
    for match in _TAG.finditer(tagged):
        piece = tagged[reached : match.start()]
        pieces.append(piece)
        length += len(piece)
        reached = match.end()
        closing, label = bool(match.group(1)), match.group(2)
        if closing and opened is not None and opened[0] == label:
            annotations.append(Annotation(opened[1], length, label))
            opened = None
        elif closing or opened is not None:
            line = _line_of(match.start(), tagged)
            raise CorpusError(f"{path}: line {line}: a tag does not match what is open there")
        else:
            opened, opened_at = (label, length), match.start()
    if opened is not None:
        raise CorpusError(f"{path}: the tag on line {_line_of(opened_at, tagged)} is never closed")
    pieces.append(tagged[reached:])
    return "".join(pieces), annotations


def _line_of(offset: int, text: str) -> int:
    return text.count("\n", 0, offset) + 1


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The files of one document, by suffix."""
    text = document.text
    refuse_nul(text, Path(document.id))
    spans, misfits = resolve_overlaps(document.spans)
    losses["overlapping spans"] += len(misfits)
    losses["scores and sources"] += sum(s.score is not None or bool(s.source) for s in spans)
    pieces: list[str] = []
    reached = 0
    for span in spans:
        if not re.fullmatch(_LABEL, span.label):
            raise CorpusError(
                f"document {document.id}: inline tags cannot hold the label of span {span.start}–{span.end}; "
                "write i2b2, brat or jsonl instead"
            )
        pieces += (
            text[reached : span.start],
            f"<{span.label}>",
            text[span.start : span.end],
            f"</{span.label}>",
        )
        reached = span.end
    pieces.append(text[reached:])
    tagged = "".join(pieces)
    if len(_TAG.findall(tagged)) != 2 * len(spans):
        match = _TAG.search(text)
        place = f" at offset {match.start()}" if match else ""
        raise CorpusError(
            f"document {document.id}: its own text reads like a tag{place}; write i2b2, brat or jsonl instead"
        )
    return {".tagged.txt": tagged.encode()}


FORMAT = register(
    Format(
        name="inline",
        suffixes=(".tagged.txt",),
        read=read,
        render=render,
        lacks=("overlapping spans", "scores and sources"),
    )
)
