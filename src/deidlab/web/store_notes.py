"""Questions about all notes of a review: the list in order of need, what labels there are, who reviewed."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from deidlab.labels import load_label_set
from deidlab.types import Document, Span, rows_to_spans
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import PHI, Mark
from deidlab.web.store_rows import NoteState, read_state
from deidlab.web.store_schema import SHARED

Order = Literal["need", "corpus"]
Which = Literal["all", "open", "done"]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which notes to list. `low` and `high` bound the certainty of a mark that a listed note must have."""

    search: str = ""
    labels: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    which: Which = "all"
    order: Order = "need"


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A line of the list."""

    number: int
    id: str
    done: bool
    need: float
    undecided: int
    n_phi: int
    changed_by: str
    twice: bool


_PHI = f"({', '.join(repr(str(status)) for status in PHI)})"
# The layer that a reviewer sees: their own, once begun, of notes that are reviewed twice; else everybody's.
_ROWS = """
SELECT note.number AS number, note.id AS id, note.twice AS twice, coalesce(own.done, shared.done *
       (1 - note.twice)) AS done, coalesce(own.need, shared.need) AS need,
       coalesce(own.undecided, shared.undecided) AS undecided,
       coalesce(own.changed_by, shared.changed_by) AS changed_by,
       CASE WHEN own.layer IS NULL THEN '' ELSE own.layer END AS layer
FROM note
JOIN state AS shared ON shared.note = note.number AND shared.layer = ''
LEFT JOIN state AS own ON own.note = note.number AND own.layer = :reviewer AND note.twice
"""


def list_notes(
    store: ReviewStore, filter: Filter, reviewer: str, offset: int, limit: int
) -> tuple[int, list[NoteRow]]:
    """How many notes pass the filter, and a page of them: what needs review most comes first, done last."""
    values: dict[str, Any] = {"reviewer": reviewer, "offset": offset, "limit": limit}
    query = f"FROM ({_ROWS}) AS row" + _conditions(filter, values)
    order = "done, need DESC, number" if filter.order == "need" else "number"
    phi = "SELECT count(*) FROM mark WHERE note = number AND mark.layer = row.layer AND status IN " + _PHI
    with store.reading() as db:
        db.create_function("fold", 1, fold, deterministic=True)
        # The total comes with the rows, so that a search reads every note once.
        rows = db.execute(
            f"SELECT number, id, done, need, undecided, ({phi}), changed_by, twice, count(*) OVER () {query}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset",
            values,
        ).fetchall()
        total = rows[0][-1] if rows else db.execute(f"SELECT count(*) {query}", values).fetchone()[0]
    return total, [_to_row(row) for row in rows]


def _to_row(row: Sequence[Any]) -> NoteRow:
    number, id, done, need, undecided, n_phi, by, twice, _ = row
    return NoteRow(number, id, bool(done), need, undecided, n_phi, by, bool(twice))


def _conditions(filter: Filter, values: dict[str, Any]) -> str:
    parts = []
    if filter.search:
        values["search"] = fold(filter.search)
        parts.append(
            "(instr(fold(id), :search)"
            " OR instr((SELECT fold(text) FROM note AS n WHERE n.number = row.number), :search))"
        )
    if filter.which != "all":
        parts.append("done" if filter.which == "done" else "NOT done")
    if filter.labels or filter.low > 0 or filter.high < 1:
        names = []
        for place, label in enumerate(filter.labels):
            values[f"label{place}"] = label
            names.append(f":label{place}")
        values |= {"low": filter.low, "high": filter.high}
        of_type = f"AND mark.label IN ({', '.join(names)})" if names else ""
        parts.append(
            "EXISTS (SELECT 1 FROM mark WHERE mark.note = row.number AND mark.layer = row.layer"
            f" AND status != 'rejected' AND coalesce(score, 1.0) BETWEEN :low AND :high {of_type})"
        )
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def fold(text: str) -> str:
    """Text as search compares it: without case and accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char)).casefold()


def count_notes(store: ReviewStore, reviewer: str) -> dict[str, int]:
    """Notes in all, done as this reviewer sees it, marks still undecided, notes that two people review."""
    with store.reading() as db:
        row = db.execute(
            "SELECT count(*), coalesce(sum(done), 0), coalesce(sum((1 - done) * undecided), 0),"
            f" coalesce(sum(twice), 0) FROM ({_ROWS})",
            {"reviewer": reviewer},
        ).fetchone()
    return dict(zip(("notes", "done", "undecided", "twice"), row, strict=True))


def used_labels(store: ReviewStore) -> list[str]:
    """The labels of the first marks, the most frequent first, then those that reviewers added since.

    The order is fixed when notes come in: reviewers learn which digit stands for which label.
    """
    fixed: list[str] = json.loads(store.facts().get("labels", "[]"))
    with store.reading() as db:
        now = [row[0] for row in db.execute("SELECT DISTINCT label FROM mark ORDER BY label")]
    return list(dict.fromkeys((*fixed, *now)))


def allowed_labels(store: ReviewStore) -> frozenset[str]:
    """What a mark can be labelled: the corpus's labels and the usual ones."""
    return frozenset((*json.loads(store.facts().get("labels", "[]")), *load_label_set("i2b2-2014").labels))


def fix_label_order(store: ReviewStore) -> None:
    with store.reading() as db:
        query = "SELECT label FROM mark GROUP BY label ORDER BY count(*) DESC, label"
        labels = [row[0] for row in db.execute(query)]
    store.set_fact("labels", json.dumps(labels))


def reviewers(store: ReviewStore) -> list[str]:
    """Everyone who has a layer of their own."""
    with store.reading() as db:
        return [
            row[0] for row in db.execute("SELECT DISTINCT layer FROM state WHERE layer != '' ORDER BY layer")
        ]


def finished_layers(store: ReviewStore, number: int) -> list[str]:
    """Who has finished the note in a layer of their own."""
    with store.reading() as db:
        query = "SELECT layer FROM state WHERE note = ? AND layer != '' AND done ORDER BY layer"
        return [row[0] for row in db.execute(query, (number,))]


def patient_notes(store: ReviewStore, state: NoteState, limit: int) -> list[Document]:
    """The notes of the note's patient as they stand now, this one among them, up to that many."""
    with store.reading() as db:
        rows = db.execute(
            "SELECT number FROM note WHERE patient = ? AND number != ? ORDER BY id LIMIT ?",
            (state.document.patient, state.number, limit - 1),
        ).fetchall()
        others = [as_document(read_state(db, row[0], SHARED)) for row in rows]
    return [as_document(state), *others]


def as_document(state: NoteState) -> Document:
    """The note with its PHI as spans."""
    note = state.document
    return Document(note.id, note.patient, note.text, spans_of(state.marks), note.meta)


def spans_of(marks: Sequence[Mark]) -> tuple[Span, ...]:
    return tuple(mark.to_span() for mark in marks if mark.is_phi)


def walk_layer(store: ReviewStore, layer: str = SHARED, only_done: bool = True) -> Iterator[NoteState]:
    """Every note of a layer, in the corpus's order; those that are done, or all."""
    with store.reading() as db:
        rows = db.execute(
            "SELECT note FROM state WHERE layer = ? AND done >= ? ORDER BY note", (layer, int(only_done))
        ).fetchall()
        for (number,) in rows:
            yield read_state(db, number, layer)


def save_proposal(store: ReviewStore, model: str, number: int, spans: Sequence[Span]) -> None:
    """What a model finds in a note, kept so that it can be compared with what reviewers decided."""
    rows = [[span.start, span.end, span.label, span.score, span.source] for span in spans]
    with store.writing() as db:
        db.execute("INSERT OR REPLACE INTO proposal VALUES (?, ?, ?)", (model, number, json.dumps(rows)))


def read_proposal(db: sqlite3.Connection, model: str, number: int) -> tuple[Span, ...] | None:
    row = db.execute("SELECT spans FROM proposal WHERE model = ? AND note = ?", (model, number)).fetchone()
    return None if row is None else rows_to_spans(json.loads(row[0]))
