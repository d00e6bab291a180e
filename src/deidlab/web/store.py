"""A review on disk: notes in, reviewers' decisions in, what stands now out.

One SQLite file that only its owner can read. A decision is on the disk before it is answered, so that a
crash loses nothing; it names the version of the note that it was taken on, and is refused where another
reviewer was faster, so that nobody overwrites anybody in silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from deidlab.errors import CorpusError
from deidlab.files import open_private
from deidlab.types import Document
from deidlab.web.store_marks import Change, Mark, Wish, changes_from_json, decide
from deidlab.web.store_rows import (
    Decision,
    NoteState,
    NothingToUndoError,
    StaleError,
    add_note,
    carry_out,
    done_after,
    forget_undone,
    fresh_state,
    log,
    other_than,
    read_state,
)
from deidlab.web.store_schema import APPLICATION, SCHEMA, SHARED, VERSION

Entry = tuple[Document, Sequence[Mark], bool]
_NOTES_A_TIME = 200


class ReviewStore:
    """The file of a review. Every call stands alone and may come from any thread or process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _claim_file(path)
        try:
            # Held open, so that the log is not folded into the file after every call.
            self._keeper = self._connect()
            self._keeper.executescript(SCHEMA)
            version = self.facts().setdefault("version", VERSION)
        except sqlite3.DatabaseError:
            raise CorpusError(f"{path}: not the file of a review") from None
        if version != VERSION:
            self.close()
            raise CorpusError(f"{path}: made by another release (layout {version}, this one reads {VERSION})")
        self.set_fact("version", VERSION)

    def close(self) -> None:
        self._keeper.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        # FULL: with WAL, what was committed also survives a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # Deleted marks and notes are PHI: nothing of them stays in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection whose statements see one state of the file."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that alone may write; all of it is kept, or nothing."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def facts(self) -> dict[str, str]:
        with self.reading() as db:
            return dict(db.execute("SELECT name, value FROM fact"))

    def set_fact(self, name: str, value: str) -> None:
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

    def note_ids(self) -> frozenset[str]:
        with self.reading() as db:
            return frozenset(row[0] for row in db.execute("SELECT id FROM note"))

    def add_notes(self, notes: Iterable[Entry]) -> int:
        """Notes that are not there yet, with their first marks and whether two people review them.

        They come in by handfuls, so that a review which is open meanwhile never waits long; what a run that
        was stopped did not bring in comes with the next. Answers how many were new.
        """
        added = 0
        source = iter(notes)
        while handful := list(islice(source, _NOTES_A_TIME)):
            with self.writing() as db:
                added += sum(add_note(db, *entry) for entry in handful)
        return added

    def read_note(self, number: int, layer: str = SHARED) -> NoteState:
        """The note as the layer has it; a layer that nobody began yet shows the note as it came."""
        with self.reading() as db:
            return read_state(db, number, layer)

    def layer_for(self, number: int, reviewer: str) -> str:
        """Where this reviewer's decisions on the note go: notes that are reviewed twice keep them apart."""
        with self.reading() as db:
            row = db.execute("SELECT twice FROM note WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise CorpusError(f"no note {number} in this review")
        return reviewer if row[0] else SHARED

    def decide(self, number: int, layer: str, version: int, wish: Wish, reviewer: str) -> NoteState:
        """Carry out a wish that was made on that version of the note."""
        with self.writing() as db:
            state = fresh_state(db, number, layer, version)
            changes = decide(state.document.text, state.marks, wish, reviewer)
            done = done_after(state, wish)
            if changes or done:
                forget_undone(db, number, layer, reviewer)
                decision = Decision(reviewer, wish.kind, changes, done)
                log(db, state, decision)
                carry_out(db, state, decision)
            return read_state(db, number, layer)

    def replace_marks(self, number: int, version: int, marks: Sequence[Mark], reviewer: str) -> NoteState:
        """Put these marks in place of the shared layer's: two reviewers' work, brought together. Undoable."""
        with self.writing() as db:
            state = fresh_state(db, number, SHARED, version)
            held = {mark.id: mark for mark in state.marks}
            new = {mark.id: mark for mark in marks}
            changes = [
                Change(held.get(key), new.get(key))
                for key in sorted(held.keys() | new.keys())
                if held.get(key) != new.get(key)
            ]
            forget_undone(db, number, SHARED, reviewer)
            decision = Decision(reviewer, "merge", changes)
            log(db, state, decision)
            carry_out(db, state, decision)
            return read_state(db, number, SHARED)

    def undo(self, number: int, layer: str, version: int, reviewer: str, redo: bool = False) -> NoteState:
        """Take back this reviewer's last decision on the note, or take it again."""
        order, fate, then = ("ASC", "undone", "standing") if redo else ("DESC", "standing", "undone")
        with self.writing() as db:
            state = fresh_state(db, number, layer, version)
            row = db.execute(
                "SELECT number, changes FROM decision"
                " WHERE note = ? AND layer = ? AND reviewer = ? AND fate = ?"
                f" ORDER BY number {order} LIMIT 1",
                (number, layer, reviewer, fate),
            ).fetchone()
            if row is None:
                raise NothingToUndoError(f"nothing of yours to {'redo' if redo else 'undo'} in this note")
            changes, done = changes_from_json(json.loads(row[1]))
            if not redo:
                changes = [change.reverse() for change in reversed(changes)]
                done = (done[1], done[0]) if done else None
            held = {mark.id: mark for mark in state.marks}
            for change in changes:
                before = change.before or change.after
                if before is None or held.get(before.id) != change.before:
                    raise StaleError(other_than(state, reviewer))
            db.execute("UPDATE decision SET fate = ? WHERE number = ?", (then, row[0]))
            decision = Decision(reviewer, "redo" if redo else "undo", changes, done, "final")
            log(db, state, decision)
            carry_out(db, state, decision)
            return read_state(db, number, layer)


def _claim_file(path: Path) -> None:
    """The file is there, is a review's, and only its owner can read it; so it is with SQLite's side files.

    Any other file is refused before a byte or a right of it is changed.
    """
    try:
        with contextlib.suppress(FileExistsError):
            os.close(open_private(path, "new"))
        with path.open("rb") as stream:
            head = stream.read(100)
        if head and (head[:16] != b"SQLite format 3\0" or head[68:72] != APPLICATION.to_bytes(4, "big")):
            raise CorpusError(f"{path}: not the file of a review")
        if os.name == "posix":
            path.chmod(0o600)
        if not head:
            # Before the first log: the mark has to stand in the file itself.
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be written'}") from None
