"""The rows of a review's file: one note's state read, checked against a version, changed and logged.

Every function works inside the transaction that its caller opened.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document
from deidlab.web.store_marks import UNDECIDED, Change, Mark, Wish, changes_from_json, changes_to_json
from deidlab.web.store_schema import SHARED

_MARK_COLUMNS = "id, start, end, label, score, source, status, reviewer"


class StaleError(CorpusError):
    """The note changed since it was read; the wish was not carried out."""

    def __init__(self, by: str) -> None:
        super().__init__(f"{by or 'somebody'} changed this note meanwhile; nothing of yours was saved")
        self.by = by


class NothingToUndoError(ConfigError):
    """There is no decision of this reviewer to take back, or to take again, in this note."""


@dataclass(frozen=True, slots=True)
class NoteState:
    """One note as one layer has it."""

    number: int
    document: Document = field(repr=False)
    layer: str
    version: int
    done: bool
    marks: tuple[Mark, ...]
    changed_by: str
    changed_at: float
    twice: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer changes in a note: its marks, and whether it is done where that changes too.

    `fate` says what may become of it: one that is `standing` can be taken back.
    """

    reviewer: str
    kind: str
    changes: Sequence[Change]
    done: tuple[bool, bool] | None = None
    fate: str = "standing"


def add_note(db: sqlite3.Connection, document: Document, marks: Sequence[Mark], twice: bool) -> bool:
    """Whether the note was new; one that is there already must have the same text."""
    row = db.execute("SELECT text = ? FROM note WHERE id = ?", (document.text, document.id)).fetchone()
    if row is None:
        number = 1 + db.execute("SELECT coalesce(max(number), 0) FROM note").fetchone()[0]
        meta = json.dumps(dict(document.meta), ensure_ascii=False, default=str)
        cells = (number, document.id, document.patient, document.text, meta, int(twice))
        db.execute("INSERT INTO note VALUES (?, ?, ?, ?, ?, ?)", cells)
        write_layer(db, number, SHARED, marks)
        return True
    if not row[0]:
        raise CorpusError(
            f"document {document.id}: its text is not the one under review; begin a new review (--store)"
        )
    return False


def read_state(db: sqlite3.Connection, number: int, layer: str) -> NoteState:
    note = db.execute(
        "SELECT id, patient, text, meta, twice FROM note WHERE number = ?", (number,)
    ).fetchone()
    if note is None:
        raise CorpusError(f"no note {number} in this review")
    row = db.execute(
        "SELECT version, done, changed_by, changed_at FROM state WHERE note = ? AND layer = ?",
        (number, layer),
    ).fetchone()
    marks = read_marks(db, number, layer) if row else first_of(db, number)
    version, done, by, at = row or (0, 0, "", 0.0)
    document = Document(note[0], note[1], note[2], meta=json.loads(note[3]))
    return NoteState(number, document, layer, version, bool(done), tuple(marks), by, at, bool(note[4]))


def read_marks(db: sqlite3.Connection, number: int, layer: str) -> list[Mark]:
    rows = db.execute(
        f"SELECT {_MARK_COLUMNS} FROM mark WHERE note = ? AND layer = ? ORDER BY start, end, id",
        (number, layer),
    )
    return [Mark(*row) for row in rows]


def first_of(db: sqlite3.Connection, number: int) -> list[Mark]:
    """The marks that a note came with: the shared layer's, with all that was decided there taken back."""
    now = {mark.id: mark for mark in read_marks(db, number, SHARED)}
    rows = db.execute(
        "SELECT changes FROM decision WHERE note = ? AND layer = ? ORDER BY number DESC", (number, SHARED)
    )
    for (changes,) in rows:
        for change in reversed(changes_from_json(json.loads(changes))[0]):
            if change.after is not None:
                now.pop(change.after.id, None)
            if change.before is not None:
                now[change.before.id] = change.before
    return sorted(now.values(), key=lambda mark: (mark.start, mark.end, mark.id))


def fresh_state(db: sqlite3.Connection, number: int, layer: str, version: int) -> NoteState:
    state = read_state(db, number, layer)
    if state.version != version:
        raise StaleError(state.changed_by)
    if db.execute("SELECT 1 FROM state WHERE note = ? AND layer = ?", (number, layer)).fetchone() is None:
        write_layer(db, number, layer, state.marks)
    return state


def other_than(state: NoteState, reviewer: str) -> str:
    others = [mark.reviewer for mark in state.marks if mark.reviewer not in ("", reviewer)]
    return others[0] if others else state.changed_by


def done_after(state: NoteState, wish: Wish) -> tuple[bool, bool] | None:
    wanted = {"done": True, "not-done": False}.get(wish.kind, state.done)
    return None if wanted == state.done else (state.done, wanted)


def write_layer(db: sqlite3.Connection, number: int, layer: str, marks: Sequence[Mark]) -> None:
    need, undecided = sum(mark.doubt for mark in marks), sum(mark.status in UNDECIDED for mark in marks)
    db.execute("INSERT INTO state VALUES (?, ?, 0, 0, ?, ?, '', 0)", (number, layer, need, undecided))
    for mark in marks:
        put(db, number, layer, mark)


def put(db: sqlite3.Connection, number: int, layer: str, mark: Mark) -> None:
    row = (mark.id, mark.start, mark.end, mark.label, mark.score, mark.source)
    db.execute(
        f"INSERT OR REPLACE INTO mark (note, layer, {_MARK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, layer, *row, mark.status, mark.reviewer),
    )


def forget_undone(db: sqlite3.Connection, number: int, layer: str, reviewer: str) -> None:
    """A new decision closes the way to those that were taken back before it."""
    db.execute(
        "UPDATE decision SET fate = 'final'"
        " WHERE note = ? AND layer = ? AND reviewer = ? AND fate = 'undone'",
        (number, layer, reviewer),
    )


def log(db: sqlite3.Connection, state: NoteState, decision: Decision) -> None:
    by, kind = decision.reviewer, decision.kind
    row = (state.number, state.layer, state.version + 1, by, time.time(), kind)
    db.execute(
        "INSERT INTO decision (note, layer, version, reviewer, at, kind, changes, fate)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, json.dumps(changes_to_json(decision.changes, decision.done)), decision.fate),
    )


def carry_out(db: sqlite3.Connection, state: NoteState, decision: Decision) -> None:
    number, layer = state.number, state.layer
    for change in decision.changes:
        if change.after is None and change.before is not None:
            db.execute(
                "DELETE FROM mark WHERE note = ? AND layer = ? AND id = ?", (number, layer, change.before.id)
            )
        elif change.after is not None:
            put(db, number, layer, change.after)
    marks = read_marks(db, number, layer)
    need, undecided = sum(mark.doubt for mark in marks), sum(mark.status in UNDECIDED for mark in marks)
    finished = decision.done[1] if decision.done else state.done
    db.execute(
        "UPDATE state SET version = version + 1, done = ?, need = ?, undecided = ?, changed_by = ?,"
        " changed_at = ? WHERE note = ? AND layer = ?",
        (int(finished), need, undecided, decision.reviewer, time.time(), number, layer),
    )
