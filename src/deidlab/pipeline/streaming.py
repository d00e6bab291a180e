"""A stream of notes in, masked notes out: standard input, which can be read only once.

The same two passes as for files. In between, the notes lie sealed in a file without a name; held in memory is
only what the notes of a patient share, so that a stream may be of any length.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from deidlab.corpus.records import document_to_record, record_to_document
from deidlab.execute import Failed
from deidlab.execute.tasks import attempt
from deidlab.mask import Fact, Masker, MaskSettings, PatientState, unpack_facts
from deidlab.mask.drawn import Name
from deidlab.pipeline.io.notes import Note, without_id
from deidlab.pipeline.run.annotations import sort_annotations
from deidlab.pipeline.run.coding import split_facts
from deidlab.pipeline.run.find import FindPhi, Unread
from deidlab.pipeline.run.map_entries import pack_entry
from deidlab.pipeline.run.mask import check_undone, masked_document, replaced_cells
from deidlab.pipeline.run.record import Tally
from deidlab.pipeline.run.spool import Spool
from deidlab.pipeline.run.state import Row
from deidlab.pipeline.settings import Finding, Writing
from deidlab.types import Document, MaskedDocument, Span, rows_to_spans, spans_to_rows

_BATCH = 32
_First = dict[Fact, tuple[str, int]]


@dataclass(slots=True)
class StreamOutcome:
    """What became of the notes, filled as they pass; `failed` has number and reason of those left out."""

    failed: list[tuple[int, str]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Streamed:
    """One note: as it is written, as it was masked, its way back, and what became of its annotations."""

    document: Document
    masked: MaskedDocument
    way_back: bytes = field(repr=False)
    annotations: dict[str, int] = field(default_factory=dict)


def mask_stream(
    notes: Iterable[Note],
    finding: Finding,
    settings: MaskSettings,
    writing: Writing,
    outcome: StreamOutcome,
) -> Iterator[Streamed]:
    """Every note that can be masked, in order, once all were read."""
    masker = Masker(settings)
    with contextlib.closing(Spool()) as spool:
        names: dict[Name, None] = {}
        facts = _find(notes, FindPhi(finding, settings)(), spool, outcome, names)
        if settings.crosswalk is not None:
            settings.crosswalk.draw(names)
        states = {patient: _settle(first) for patient, first in facts.items()}
        for kept in spool:
            document, number, tally = record_to_document(kept["document"]), kept["number"], kept["tally"]
            spans = rows_to_spans(kept["found"])

            def mask(documents: Sequence[Document], spans: tuple[Span, ...] = spans) -> list[Streamed]:
                return [_mask(each, spans, masker, states[each.patient], writing) for each in documents]

            (done,) = attempt(mask, (document,))
            if isinstance(done, Failed):
                outcome.failed.append((number, without_id(done.reason, document.id)))
                continue
            name = done.document.id
            outcome.tally.add(number, name, kept["found"], replaced_cells(done.masked), tally)
            outcome.tally.annotations.update(done.annotations)
            outcome.tally.removed.update(kept["removed"])
            yield done


def _find(
    notes: Iterable[Note],
    find: Callable[[Sequence[Note]], list[Row | Unread]],
    spool: Spool,
    outcome: StreamOutcome,
    names: dict[Name, None],
) -> dict[str, _First]:
    """First pass: notes and spans into the spool; each patient's facts, and where each of them came first.

    `names` is filled with all for which there must be a code.
    """
    facts: dict[str, _First] = {}
    source = iter(notes)
    while batch := list(islice(source, _BATCH)):
        outcome.failed += [(note.number, note.problem) for note in batch if not note.document]
        readable = [note for note in batch if note.document]
        for note, row in zip(readable, attempt(find, readable), strict=True):
            if isinstance(row, Failed | Unread):
                reason = row.reason if isinstance(row, Failed) else row.problem
                outcome.failed.append((note.number, without_id(reason, note.name)))
                continue
            document = note.document
            assert document is not None
            first = facts.setdefault(document.patient, {})
            known, coded = split_facts(unpack_facts(row.facts))
            names.update(dict.fromkeys(coded))
            for order, fact in enumerate(known):
                place = (document.id, order)
                first[fact] = min(first.get(fact, place), place)
            spool.put(_to_json(note, document, row))
    return facts


def _to_json(note: Note, document: Document, row: Row) -> dict[str, Any]:
    found = spans_to_rows(row.spans)
    return {
        "number": note.number,
        "document": document_to_record(document),
        "found": found,
        "tally": row.tally,
        "removed": dict(note.removed),
    }


def _settle(first: _First) -> PatientState:
    """What a patient's notes share, its facts in the order of the notes' ids."""
    ordered: list[Fact] = sorted(first, key=lambda fact: first[fact])
    return PatientState.from_facts(ordered)


def _mask(
    document: Document, spans: tuple[Span, ...], masker: Masker, state: PatientState, writing: Writing
) -> Streamed:
    masked = masker.mask(replace(document, spans=spans), state)
    check_undone(document.text, masked)
    own = sort_annotations(document, masked, masker.settings.policy)
    written = masked_document(document, masked, own, masker, writing)
    dropped = () if writing.annotations_kept else own.bare
    way_back = pack_entry(document, written, masked, dropped)
    return Streamed(written, masked, way_back, own.counts(writing.annotations_kept))
