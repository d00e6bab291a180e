"""Notes in memory in, masked notes in memory out: standard input, and Python programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from deidlab.execute import Failed
from deidlab.execute.tasks import attempt
from deidlab.mask import Masker, MaskSettings, PatientState, unpack_facts
from deidlab.pipeline.map_entries import pack_entry
from deidlab.pipeline.record import Tally
from deidlab.pipeline.sealing import Seal
from deidlab.pipeline.settings import Finding, Writing
from deidlab.pipeline.source import Note
from deidlab.pipeline.state import Row
from deidlab.pipeline.work import FindPhi, check_undone, masked_document, replaced_cells
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.types import MaskedDocument


@dataclass(slots=True)
class MemoryOutcome:
    """What became of the notes: `documents` as they are written; `failed` has number and reason."""

    documents: list[Document] = field(default_factory=list, repr=False)
    masked: list[MaskedDocument] = field(default_factory=list, repr=False)
    ways_back: list[bytes] = field(default_factory=list, repr=False)
    failed: list[tuple[int, str]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


def mask_in_memory(
    notes: Iterable[Note], finding: Finding, settings: MaskSettings, writing: Writing
) -> MemoryOutcome:
    """The same two passes with nothing on disk; all notes are held at once."""
    outcome = MemoryOutcome()
    every = list(notes)
    outcome.failed += [(note.number, note.problem) for note in every if not note.document]
    readable = [note for note in every if note.document]
    found: list[tuple[Note, Row]] = []
    for note, result in zip(readable, attempt(FindPhi(finding, settings)(), readable), strict=True):
        if isinstance(result, Failed):
            outcome.failed.append((note.number, result.reason))
        else:
            found.append((note, result))
    states = settle(found, Seal(settings.key))
    masker = Masker(settings)

    def mask(pairs: Sequence[tuple[Note, Row]]) -> list[tuple[Document, Document, MaskedDocument, Row]]:
        return [_mask(note, row, masker, states[row.patient], writing) for note, row in pairs]

    for (note, _), done in zip(found, attempt(mask, found), strict=True):
        if isinstance(done, Failed):
            outcome.failed.append((note.number, done.reason))
            continue
        document, written, masked, row = done
        spans = [[s.start, s.end, s.label, s.score, s.source] for s in row.spans]
        outcome.tally.add(note.number, written.id, spans, replaced_cells(masked), row.tally)
        outcome.documents.append(written)
        outcome.masked.append(masked)
        outcome.ways_back.append(pack_entry(document, written, masked))
    return outcome


def settle(found: Sequence[tuple[Note, Row]], seal: Seal) -> dict[bytes, PatientState]:
    """Each patient's state, from its notes in the order of their ids."""
    by_patient: dict[bytes, list[Row]] = {}
    for _, row in sorted(found, key=lambda pair: seal.open(pair[1].sealed)):
        by_patient.setdefault(row.patient, []).append(row)
    return {
        patient: PatientState.from_facts(unpack_facts(row.facts) for row in rows)
        for patient, rows in by_patient.items()
    }


def _mask(
    note: Note, row: Row, masker: Masker, state: PatientState, writing: Writing
) -> tuple[Document, Document, MaskedDocument, Row]:
    assert note.document is not None
    masked = masker.mask(replace(note.document, spans=row.spans), state)
    check_undone(note.document.text, masked)
    return note.document, masked_document(note.document, masked, masker, writing), masked, row
