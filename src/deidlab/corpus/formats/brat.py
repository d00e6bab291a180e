"""brat standoff: `NAME.txt` beside `NAME.ann`, one `T` line a span.

    T1<TAB>DATE 215 225<TAB>03/03/1946

A discontinuous span becomes one span a fragment. Relations, events, attributes and notes are skipped and
counted; a note of ours that gives a span's score and source is read back. Offsets rule: the quoted text
shows line breaks and tabs as spaces.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deidlab.corpus.files import name_to_id, read_beside, read_sidecar, read_text, refuse_nul
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, read_score
from deidlab.errors import CorpusError
from deidlab.types import Document

_SKIPPED = {"R": "relations", "E": "events", "A": "attributes", "M": "attributes", "N": "normalisations",
            "*": "relations", "#": "notes"}  # fmt: skip
_NOTE_TYPE = "DeidLabDetector"
_BREAKS = str.maketrans("\t\n\r", "   ")


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    stem = path.name[: -len(path.suffix)]
    text_path, ann_path = path.with_name(f"{stem}.txt"), path.with_name(f"{stem}.ann")
    if path.suffix == ".ann":
        if not text_path.exists():
            raise CorpusError(f"{path}: there is no .txt file beside it")
        return
    if not ann_path.exists():
        raise CorpusError(f"{path}: there is no .ann file beside it")
    text = read_text(text_path, settings.encoding)
    patient, meta = read_sidecar(path, stem)
    skipped: Counter[str] = Counter()
    lines = read_beside(path, ann_path, settings.encoding)
    annotations = tuple(_read_annotations(lines, path, skipped))
    yield RawDocument(path, name_to_id(stem), text, annotations, patient, meta, skipped, named_by_file=True)


def _read_annotations(lines: str, path: Path, skipped: Counter[str]) -> list[Annotation]:
    found: dict[str, list[Annotation]] = {}
    certainty: dict[str, tuple[float | None, str]] = {}
    # Not splitlines(): it also breaks at characters that may stand in the quoted text.
    for number, line in enumerate(lines.split("\n"), start=1):
        if not line.strip():
            continue
        if line[0] == "T":
            key, fragments = _read_line(line, path, number)
            found[key] = fragments
            skipped["joins of discontinuous spans"] += len(fragments) > 1
        elif line[0] == "#" and (note := _read_note(line, path, number)):
            certainty[note[0]] = note[1:]
        elif line[0] in _SKIPPED:
            skipped[_SKIPPED[line[0]]] += 1
        else:
            raise CorpusError(f"{path}: its .ann file: line {number} is not a brat annotation")
    return [
        Annotation(a.start, a.end, a.label, a.quoted, *certainty.get(key, (None, "")))
        for key, fragments in found.items()
        for a in fragments
    ]


def _read_line(line: str, path: Path, number: int) -> tuple[str, list[Annotation]]:
    try:
        key, middle, *rest = line.rstrip("\r").split("\t", 2)
        label, _, places = middle.partition(" ")
        ranges = [(int(start), int(end)) for start, end in (place.split() for place in places.split(";"))]
    except ValueError:
        raise CorpusError(
            f"{path}: its .ann file: line {number} is not 'T…<TAB>TYPE START END<TAB>TEXT'"
        ) from None
    quoted = _cut_quote(rest[0], [end - start for start, end in ranges]) if rest else [None] * len(ranges)
    return key, [Annotation(s, e, label, q) for (s, e), q in zip(ranges, quoted, strict=True)]


def _cut_quote(quoted: str, lengths: list[int]) -> list[str | None]:
    """The quote of each fragment: brat joins them with one space."""
    if len(lengths) == 1:
        return [quoted]
    if len(quoted) != sum(lengths) + len(lengths) - 1:
        return [None] * len(lengths)
    pieces, reached = [], 0
    for length in lengths:
        pieces.append(quoted[reached : reached + length])
        reached += length + 1
    return list(pieces)


_NOTE = re.compile(rf"#\d+\t{_NOTE_TYPE} (T\d+)\t(.*?)\r?")


def _read_note(line: str, path: Path, number: int) -> tuple[str, float | None, str] | None:
    match = _NOTE.fullmatch(line)
    if not match:
        return None
    try:
        said = json.loads(match.group(2))
        score, source = read_score(said.get("score")), said.get("source", "")
        if not isinstance(source, str):
            raise TypeError
        return match.group(1), score, source
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise CorpusError(f"{path}: its .ann file: the note on line {number} is not as we write it") from None


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The files of one document, by suffix."""
    refuse_nul(document.text, Path(document.id))
    lines: list[str] = []
    notes: list[str] = []
    for number, span in enumerate(document.spans, start=1):
        if re.search(r"\s", span.label):
            raise CorpusError(f"document {document.id}: brat cannot hold a label with white space in it")
        quoted = document.text[span.start : span.end].translate(_BREAKS)
        lines.append(f"T{number}\t{span.label} {span.start} {span.end}\t{quoted}\n")
        if span.score is not None or span.source:
            said = json.dumps({"score": span.score, "source": span.source})
            notes.append(f"#{len(notes) + 1}\t{_NOTE_TYPE} T{number}\t{said}\n")
    return {".txt": document.text.encode(), ".ann": "".join(lines + notes).encode()}


FORMAT = register(Format(name="brat", suffixes=(".txt",), side_suffixes=(".ann",), read=read, render=render))
