"""What a worker does where notes are masked: notes and what was settled for them in; masked notes out.

A note is rendered here, once, as the sink will write it: one that the sink cannot hold fails alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from deidlab.carriers import split_label
from deidlab.corpus.table import row_of
from deidlab.errors import CorpusError
from deidlab.mask import Masker, MaskSettings, PatientState
from deidlab.mask.apply import landings, move_regions, undo
from deidlab.mask.codes import SentAlong
from deidlab.pipeline.io.kinds import Rendering
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.run.annotations import OwnAnnotations, sort_annotations
from deidlab.pipeline.run.coding import masker_with
from deidlab.pipeline.run.map_entries import pack_entry
from deidlab.pipeline.run.parts import PartNote
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import Settled, spans_from_json
from deidlab.pipeline.settings import Writing
from deidlab.types import Container, Document, MaskedDocument, Span

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.:+/-]{0,59}")


@dataclass(frozen=True, slots=True)
class MaskPhi:
    """Second pass: the notes again, each with what the first pass settled; without that it is left out."""

    settings: MaskSettings = field(repr=False)
    writing: Writing
    rendering: Rendering
    keeps_map: bool = False

    def __call__(self) -> Callable[[Sequence[tuple[Note, Settled | None]]], list[PartNote | None]]:
        seal, sent = Seal(self.settings.key), SentAlong()

        @lru_cache(maxsize=256)
        def shared(packed: bytes) -> tuple[Masker, PatientState]:
            return masker_with(self.settings, sent), PatientState.from_bytes(packed)

        def mask(note: Note, settled: Settled) -> PartNote:
            document = note.document
            assert document is not None
            if settled.text != seal.digest("text", document.text):
                raise CorpusError("the note is not the one of the first pass: the source changed meanwhile")
            found = replace(document, spans=spans_from_json(settled.spans))
            masker, state = shared(settled.shared)
            sent.drawn = settled.drawn
            return self._keep(note, settled, masker.mask(found, state), masker, seal)

        return lambda notes: [
            None if settled is None or note.document is None else mask(note, settled)
            for note, settled in notes
        ]

    def _keep(
        self, note: Note, settled: Settled, masked: MaskedDocument, masker: Masker, seal: Seal
    ) -> PartNote:
        document, all_kept = note.document, self.writing.annotations_kept
        assert document is not None
        check_undone(document.text, masked)
        own = sort_annotations(document, masked, masker.settings.policy)
        written = masked_document(document, masked, own, masker, self.writing)
        line = {"number": note.number, "document": written.id, "patient": written.patient,
                "masked_characters": len(masked.text), "output": self.rendering(written),
                "spans": _cells(spans_from_json(settled.spans)), "replaced": replaced_cells(masked),
                "tally": json.loads(settled.tally), "annotations": own.counts(all_kept),
                "removed": dict(note.removed)}  # fmt: skip
        dropped = () if all_kept else own.bare
        way_back = seal.close(pack_entry(document, written, masked, dropped)) if self.keeps_map else b""
        return PartNote(json.dumps(line, ensure_ascii=False).encode(), way_back)


def masked_document(
    document: Document, masked: MaskedDocument, own: OwnAnnotations, masker: Masker, writing: Writing
) -> Document:
    """The note as it is written: masked text, its own annotations moved along, and what was asked for."""
    kept = writing.ids_kept
    name = document.id if kept else masker.pseudonym("document", document.id)
    patient = document.patient if kept else masker.pseudonym("patient", document.patient)
    meta = {column: document.meta[column] for column in writing.columns if column in document.meta}
    moved = own.moved(masked, writing.annotations_kept)
    own_patient = "" if document.patient == document.id else patient
    written = Document(name, own_patient, masked.text, moved, meta, emptied(document, masked))
    return row_of(written) if written.container is not None and written.container.columns else written


def emptied(document: Document, masked: MaskedDocument) -> Container | None:
    """The note's container, with its pieces where they stand in the masked text."""
    if document.container is None:
        return None
    return replace(document.container, regions=move_regions(document.container.regions, masked.replacements))


def check_undone(text: str, masked: MaskedDocument) -> None:
    """Raise unless putting the originals back gives the note: outside replacements nothing may change."""
    pieces = [
        (start, end, text[span.start : span.end])
        for (span, _), (start, end) in zip(masked.replacements, landings(masked.replacements), strict=True)
        if end > start
    ]
    if len(pieces) == len(masked.replacements) and undo(masked.text, pieces) != text:
        raise CorpusError("the masked note differs from the note outside its replacements")


def _cells(spans: Sequence[Span]) -> list[list[Any]]:
    return [[s.start, s.end, plain_word(s.label), s.score, plain_word(s.source)] for s in spans]


def plain_word(word: str) -> str:
    """A label or source as the record may show it: that of given spans is data, and may be a name."""
    word = split_label(word)[0]
    return word if not word or _PLAIN.fullmatch(word) else "other"


def replaced_cells(masked: MaskedDocument) -> list[list[Any]]:
    """Each replaced span's offsets in the note, label, score, source, and offsets in the masked text."""
    places = landings(masked.replacements)
    return [
        [s.start, s.end, plain_word(s.label), s.score, plain_word(s.source), start, end]
        for (s, _), (start, end) in zip(masked.replacements, places, strict=True)
    ]
