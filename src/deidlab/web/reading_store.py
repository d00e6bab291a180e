"""A protocol's sample in the file of a review: masked notes, beside each its original, and readers' reasons.

Marks are leaks here: what a second detector still finds comes as a hint, and is a leak once a reader accepts
it. A note is read when a reader is done with it. With two readers each has a layer of their own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deidlab.errors import ConfigError, CorpusError
from deidlab.report.validation.protocol import Protocol
from deidlab.report.validation.result import as_leak
from deidlab.report.validation.strata import count_words
from deidlab.report.validation.verdicts import REASONS, Leak, NoteVerdict
from deidlab.types import Document, Span, rows_to_spans
from deidlab.web.review_mask import Piece, cut_pieces
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import first_marks
from deidlab.web.store_notes import as_document, fix_label_order, walk_layer
from deidlab.web.store_schema import SHARED

_PROTOCOL, _LOOKS = "protocol", "looks"


@dataclass(frozen=True, slots=True)
class SampledNote:
    """A masked note to read: what was replaced in it, what is suspect, and its original if there is one."""

    masked: Document = field(repr=False)
    stratum: int
    places: tuple[tuple[int, int], ...]
    suspects: tuple[Span, ...] = ()
    original: str | None = field(default=None, repr=False)
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """Why a note leaks, as a reader chose it, and what else was said; the latter stays in this file."""

    reason: str = ""
    said: str = field(default="", repr=False)


def open_reading(store: ReviewStore, protocol: Protocol) -> None:
    """Make the file that of a protocol; one of another protocol, or of a review, is refused."""
    sealed = store.facts().get(_PROTOCOL)
    if sealed is None and store.note_ids():
        raise ConfigError(f"{store.path}: a review of a corpus, not the reading of a protocol")
    if sealed is not None and sealed != protocol.digest:
        raise ConfigError(f"{store.path}: what was read here belongs to another protocol")
    store.set_fact(_PROTOCOL, protocol.digest)


def protocol_of(store: ReviewStore) -> str:
    """The seal of the protocol that is read here; empty for a review."""
    return store.facts().get(_PROTOCOL, "")


def add_sample(store: ReviewStore, notes: Iterable[SampledNote], readers: int) -> int:
    """Notes that are not there yet, in the order of reading; how many were new."""
    sample = list(notes)
    added = store.add_notes((each.masked, first_marks((), each.suspects), readers > 1) for each in sample)
    with store.writing() as db:
        numbers = dict(db.execute("SELECT id, number FROM note"))
        for each in sample:
            rows = [[span.start, span.end, span.label, span.score, span.source] for span in each.spans]
            cells = (json.dumps(each.places), each.original, json.dumps(rows))
            number = numbers[each.masked.id]
            db.execute("INSERT OR IGNORE INTO beside VALUES (?, ?, ?, ?, ?)", (number, each.stratum, *cells))
    fix_label_order(store)
    return added


def read_beside(store: ReviewStore, number: int) -> tuple[list[tuple[int, int]], list[Piece] | None]:
    """What was replaced in a masked note, and its original cut at those places; None without the original."""
    with store.reading() as db:
        row = db.execute("SELECT places, original, spans FROM beside WHERE note = ?", (number,)).fetchone()
    if row is None:
        raise CorpusError(f"no note {number} in this sample")
    places = [(int(start), int(end)) for start, end in json.loads(row[0])]
    if row[1] is None:
        return places, None
    spans = [
        (replace(span, score=None), row[1][span.start : span.end])
        for span in rows_to_spans(json.loads(row[2]))
    ]
    return places, cut_pieces(row[1], spans)


def read_remark(store: ReviewStore, number: int, layer: str) -> Remark:
    with store.reading() as db:
        row = db.execute(
            "SELECT reason, said FROM remark WHERE note = ? AND layer = ?", (number, layer)
        ).fetchone()
    return Remark(*row) if row else Remark()


def write_remark(store: ReviewStore, number: int, layer: str, remark: Remark) -> None:
    if remark.reason and remark.reason not in REASONS:
        raise ConfigError(f"unknown reason; there are {', '.join(REASONS)}")
    with store.writing() as db:
        cells = (number, layer, remark.reason, remark.said, time.time())
        db.execute("INSERT OR REPLACE INTO remark VALUES (?, ?, ?, ?, ?)", cells)


def read_verdicts(store: ReviewStore) -> list[NoteVerdict]:
    """What every note of the sample was found to be, in the order of reading."""
    with store.reading() as db:
        strata = db.execute("SELECT note, stratum FROM beside ORDER BY note").fetchall()
        layers = [row[0] for row in db.execute("SELECT DISTINCT layer FROM state WHERE done ORDER BY layer")]
        twice = {row[0] for row in db.execute("SELECT number FROM note WHERE twice")}
    said = {layer: _leaks_of(store, layer) for layer in layers}
    return [
        NoteVerdict(
            stratum,
            {
                leaks[note][0]: leaks[note][1]
                for layer, leaks in said.items()
                if note in leaks and (layer != SHARED or note not in twice)
            },
            said[SHARED][note][1] if note in twice and note in said.get(SHARED, {}) else None,
        )
        for note, stratum in strata
    ]


def _leaks_of(store: ReviewStore, layer: str) -> Mapping[int, tuple[str, Leak]]:
    """Who finished each note of that layer, and what it leaks."""
    found = {}
    for state in walk_layer(store, layer):
        note = as_document(state)
        spans = [(span.label, count_words(note.text[span.start : span.end])) for span in note.spans]
        reason = read_remark(store, state.number, layer).reason
        found[state.number] = (layer or state.changed_by, as_leak(spans, reason))
    return found


def read_looks(store: ReviewStore) -> list[int]:
    """How many notes counted whenever somebody looked at the bound."""
    return [int(n) for n in json.loads(store.facts().get(_LOOKS, "[]"))]


def note_look(store: ReviewStore, looks: Sequence[int], n: int) -> None:
    store.set_fact(_LOOKS, json.dumps([*looks, n]))
