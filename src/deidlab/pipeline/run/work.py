"""What a worker does in each pass: notes in; spans and facts out, then notes in; masked notes out.

Both are small classes that travel to a worker process and load there what they need. They hold the secret,
so neither shows its fields.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.formats import Format, find_format
from deidlab.corpus.jsonl import document_to_record
from deidlab.errors import CorpusError
from deidlab.mask import Masker, MaskSettings, PatientState, pack_facts
from deidlab.mask.apply import landings, undo
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.run.annotations import OwnAnnotations, sort_annotations
from deidlab.pipeline.run.map_entries import pack_entry
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.sharing import shareable
from deidlab.pipeline.run.state import Row, Settled, spans_from_json
from deidlab.pipeline.settings import Finding, Writing
from deidlab.types import Document, MaskedDocument, Span

if TYPE_CHECKING:
    from deidlab.detect import Detection, Detector

BANDS = 10
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.:+/-]{0,59}")


@dataclass(frozen=True, slots=True)
class FindPhi:
    """First pass: what is PHI, and what its patient's other notes must know of it; no finding where given."""

    finding: Finding | None
    settings: MaskSettings = field(repr=False)

    def __call__(self) -> Callable[[Sequence[Note]], list[Row | Unread]]:
        seal, masker = Seal(self.settings.key), Masker(self.settings)
        detector = None if self.finding is None else self.finding.load()

        def find(notes: Sequence[Note]) -> list[Row | Unread]:
            readable = [note for note in notes if note.document]
            found = (row_of(note, seal, masker, own) for note, own in detect(readable, detector))
            return [next(found) if note.document else Unread(note.problem) for note in notes]

        return find


@dataclass(frozen=True, slots=True)
class Unread:
    """In place of what was found: why the note could not be read."""

    problem: str


def detect(notes: Sequence[Note], detector: Detector | None) -> list[tuple[Note, Detection | None]]:
    """Each note with what was found in it; None where people's spans stand in it already."""
    unread = [_document(note) for note in notes if not note.given]
    if unread and detector is None:
        raise CorpusError("the note has no spans given, and there is nothing to find them with")
    found = iter(detector.detect(unread, with_words=False) if detector and unread else ())
    return [(note, None if note.given else next(found)) for note in notes]


def row_of(note: Note, seal: Seal, masker: Masker, detection: Detection | None) -> Row:
    document = _document(note)
    own = shareable(document.spans, masker.settings.policy)
    spans = own if detection is None else detection.spans
    marked = replace(document, spans=spans)
    return Row(
        note.number,
        seal.digest("document", document.id),
        seal.close(document.id.encode()),
        seal.digest("patient", document.patient),
        seal.digest("text", document.text),
        marked.spans,
        pack_facts(masker.facts(marked)),
        {
            "characters": len(document.text),
            "annotated": bool(document.spans),
            "has_patient": document.patient != document.id,
            "weak": _weak(detection),
        },
    )


def _weak(detection: Detection | None) -> dict[str, int]:
    """Candidates outside every span, by label and tenth of certainty: what a stricter threshold would add."""
    if detection is None:
        return {}
    counts: Counter[str] = Counter()
    seen: set[tuple[int, int]] = set()
    ordered = sorted(detection.candidates, key=lambda s: (s.start, -(s.score or 0.0), s.end))
    spans, index = detection.spans, 0
    for span in ordered:
        while index < len(spans) and spans[index].end <= span.start:
            index += 1
        hidden = index < len(spans) and spans[index].start < span.end
        if not hidden and (span.start, span.end) not in seen:
            seen.add((span.start, span.end))
            band = min(int((1.0 if span.score is None else span.score) * BANDS), BANDS - 1)
            counts[f"{span.label} {band}"] += 1
    return dict(counts)


def _document(note: Note) -> Document:
    assert note.document is not None
    return note.document


@dataclass(frozen=True, slots=True)
class MaskedNote:
    """A masked note as a line of a part file, and its way back, sealed, where one was asked for."""

    line: bytes = field(repr=False)
    way_back: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class MaskPhi:
    """Second pass: the notes again, each with what the first pass settled; without that it is left out."""

    settings: MaskSettings = field(repr=False)
    format: str
    writing: Writing
    keeps_map: bool = False

    def __call__(self) -> Callable[[Sequence[tuple[Note, Settled | None]]], list[MaskedNote | None]]:
        masker, seal = Masker(self.settings), Seal(self.settings.key)
        format = find_format(self.format)

        @lru_cache(maxsize=256)
        def shared(packed: bytes) -> PatientState:
            return PatientState.from_bytes(packed)

        def mask(notes: Sequence[tuple[Note, Settled | None]]) -> list[MaskedNote | None]:
            return [
                None if settled is None or note.document is None
                else self._mask(note, settled, masker, seal, shared, format)
                for note, settled in notes
            ]  # fmt: skip

        return mask

    def _mask(
        self,
        note: Note,
        settled: Settled,
        masker: Masker,
        seal: Seal,
        shared: Callable[[bytes], PatientState],
        format: Format,
    ) -> MaskedNote:
        document = _document(note)
        if settled.text != seal.digest("text", document.text):
            raise CorpusError("the note is not the one of the first pass: the source changed meanwhile")
        spans = spans_from_json(settled.spans)
        masked = masker.mask(replace(document, spans=spans), shared(settled.shared))
        check_undone(document.text, masked)
        own = sort_annotations(document, masked, masker.settings.policy)
        written = masked_document(document, masked, own, masker, self.writing)
        check_holds(written, format)
        line = {"number": note.number, "document": document_to_record(written), "spans": _cells(spans),
                "replaced": replaced_cells(masked), "tally": json.loads(settled.tally),
                "annotations": own.counts(self.writing.annotations_kept)}  # fmt: skip
        dropped = () if self.writing.annotations_kept else own.bare
        way_back = seal.close(pack_entry(document, written, masked, dropped)) if self.keeps_map else b""
        return MaskedNote(json.dumps(line, ensure_ascii=False).encode(), way_back)


def masked_document(
    document: Document, masked: MaskedDocument, own: OwnAnnotations, masker: Masker, writing: Writing
) -> Document:
    """The note as it is written: masked text, its own annotations moved along, and what was asked for."""
    kept = writing.ids_kept
    name = document.id if kept else masker.pseudonym("document", document.id)
    patient = document.patient if kept else masker.pseudonym("patient", document.patient)
    meta = {column: document.meta[column] for column in writing.columns if column in document.meta}
    moved = own.moved(masked, writing.annotations_kept)
    return Document(name, "" if document.patient == document.id else patient, masked.text, moved, meta)


def check_undone(text: str, masked: MaskedDocument) -> None:
    """Raise unless putting the originals back gives the note: outside replacements nothing may change."""
    pieces = [
        (start, end, text[span.start : span.end])
        for (span, _), (start, end) in zip(masked.replacements, landings(masked.replacements), strict=True)
        if end > start
    ]
    if len(pieces) == len(masked.replacements) and undo(masked.text, pieces) != text:
        raise CorpusError("the masked note differs from the note outside its replacements")


def check_holds(document: Document, format: Format) -> None:
    """Raise where the format cannot hold the note, before anything is written of it."""
    if format.render is not None:
        format.render(document, Counter())
    elif format.write is not None and format.name != "parquet":
        format.write([document], Path(os.devnull), Counter())


def _cells(spans: Sequence[Span]) -> list[list[Any]]:
    return [[s.start, s.end, plain_word(s.label), s.score, plain_word(s.source)] for s in spans]


def plain_word(word: str) -> str:
    """A label or source as the record may show it: that of given spans is data, and may be a name."""
    return word if not word or _PLAIN.fullmatch(word) else "other"


def replaced_cells(masked: MaskedDocument) -> list[list[Any]]:
    """Each replaced span's offsets in the note, label, score, source, and offsets in the masked text."""
    places = landings(masked.replacements)
    return [
        [s.start, s.end, plain_word(s.label), s.score, plain_word(s.source), start, end]
        for (s, _), (start, end) in zip(masked.replacements, places, strict=True)
    ]
