"""What is known between the two passes, in an SQLite file that only its owner can read.

It holds where spans stand, keyed digests, and ids sealed with the secret (numbers are given out in the order
of ids, which digests do not keep). There is no word of a note in it, so a run that is killed leaves none.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from deidlab.files import open_private
from deidlab.types import Span, rows_to_spans, spans_to_rows

_KEEP_SECONDS = 0.25
# In one transaction: the disk is waited for once, and a kill leaves all of it or nothing.
_SCHEMA = """
BEGIN;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE notes (number INTEGER PRIMARY KEY, id BLOB UNIQUE, sealed BLOB, patient BLOB, text BLOB,
                    spans TEXT, facts BLOB, tally TEXT);
CREATE INDEX by_patient ON notes (patient);
CREATE TABLE patients (patient BLOB PRIMARY KEY, state BLOB) WITHOUT ROWID;
CREATE TABLE given (id BLOB PRIMARY KEY, text BLOB, spans TEXT) WITHOUT ROWID;
CREATE TABLE failures (number INTEGER PRIMARY KEY, document TEXT, stage TEXT, reason TEXT, sealed BLOB);
CREATE TABLE tasks (number INTEGER PRIMARY KEY);
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What the first pass learnt of a note."""

    number: int
    id: bytes
    sealed: bytes
    patient: bytes
    text: bytes
    spans: tuple[Span, ...]
    facts: bytes = field(repr=False)
    tally: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """A note that was not written; `document` is its pseudonym, `sealed` its place and id for the owner."""

    number: int
    document: str
    stage: str
    reason: str
    sealed: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Settled:
    """What masking a note needs of the state: spans and tally as JSON, what its patient's notes share packed.

    Of codes that were drawn it has those of the note. It travels with the note, so that a worker needs no
    file of the run and may be on another machine.
    """

    text: bytes
    spans: str
    tally: str
    shared: bytes = field(repr=False)
    drawn: Mapping[tuple[str, bytes], bytes] = field(default_factory=dict, repr=False)


class State:
    """One run's file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        fresh = not path.exists()
        if fresh:
            os.close(open_private(path, "new"))
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)
        # What SQLite would put into temporary files of its own stays in memory.
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("PRAGMA journal_mode = TRUNCATE")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if fresh:
            self._db.executescript(_SCHEMA)
        self._kept = time.monotonic()
        self._whole = True

    def close(self) -> None:
        """What is finished stays; of a task that was being put in, nothing."""
        with contextlib.suppress(sqlite3.Error):
            if self._whole:
                self._db.commit()
        self._db.close()

    def setting(self, name: str) -> str | None:
        found = self._db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def put_setting(self, name: str, value: str) -> None:
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def put_later(self, name: str, value: str) -> None:
        """A setting that is safe together with what was put before it, after `keep` or some time."""
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))
        if time.monotonic() - self._kept > _KEEP_SECONDS:
            self.keep()

    def has_task(self, number: int) -> bool:
        return self._db.execute("SELECT 1 FROM tasks WHERE number = ?", (number,)).fetchone() is not None

    def put_task(
        self,
        number: int,
        rows: Sequence[Row],
        failures: Sequence[Failure],
        twice: Callable[[Row], Failure] | None = None,
    ) -> None:
        """Keep a finished task, all of it or nothing; a row whose id was there before becomes a failure.

        What was kept is safe after `keep`, or when the next task comes and some time has passed: to wait for
        the disk after every task would cost more than a kill can lose.
        """
        if time.monotonic() - self._kept > _KEEP_SECONDS:
            self.keep()
        self._whole = False
        again: list[Failure] = []
        for row in rows:
            cells = (row.number, row.id, row.sealed, row.patient, row.text, spans_to_json(row.spans),
                     row.facts, json.dumps(row.tally))  # fmt: skip
            try:
                self._db.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", cells)
            except sqlite3.IntegrityError:
                if twice is None:
                    raise
                again.append(twice(row))
        self._put_failures([*failures, *again])
        self._db.execute("INSERT OR IGNORE INTO tasks VALUES (?)", (number,))
        self._whole = True

    def keep(self) -> None:
        """Make safe what was put in."""
        self._db.commit()
        self._kept = time.monotonic()

    def put_failures(self, failures: Sequence[Failure]) -> None:
        if failures:
            with self._db:
                self._put_failures(failures)

    def _put_failures(self, failures: Sequence[Failure]) -> None:
        rows = [(each.number, each.document, each.stage, each.reason, each.sealed) for each in failures]
        self._db.executemany("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)", rows)

    def failures(self) -> list[Failure]:
        return [Failure(*row) for row in self._db.execute("SELECT * FROM failures ORDER BY number")]

    def settled(self, numbers: Sequence[int]) -> list[Settled | None]:
        """What masking needs of each of these notes, which follow one another; None for one that failed."""
        if not numbers:
            return []
        rows = self._db.execute(
            "SELECT number, text, spans, tally, notes.patient, state FROM notes JOIN patients "
            "ON notes.patient = patients.patient WHERE number BETWEEN ? AND ?",
            (min(numbers), max(numbers)),
        )
        # Notes of one patient share one object, which then travels once.
        shared: dict[bytes, bytes] = {}
        found = {
            number: Settled(text, spans, tally, shared.setdefault(patient, state))
            for number, text, spans, tally, patient, state in rows
        }
        return [found.get(number) for number in numbers]

    def facts(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """The packed facts of these notes, which follow one another."""
        rows = self._db.execute(
            "SELECT number, facts FROM notes WHERE number BETWEEN ? AND ?", (min(numbers), max(numbers))
        )
        return dict(rows.fetchall())

    def last_number(self) -> int:
        """The place of the last note that the first pass met, understood or not."""
        query = (
            "SELECT max(coalesce((SELECT max(number) FROM notes), 0), coalesce(max(number), 0)) FROM failures"
        )
        return int(self._db.execute(query).fetchone()[0])

    def beyond(self, number: int) -> list[tuple[int, bytes]]:
        """Place and sealed id of the notes that stood after that place."""
        rows = self._db.execute(
            "SELECT number, sealed FROM notes WHERE number > ? ORDER BY number", (number,)
        )
        return [(place, sealed) for place, sealed in rows]

    def digests(self, numbers: Sequence[int]) -> dict[int, tuple[bytes, bytes, bytes]]:
        """Of these notes, which follow one another: the digests of id, patient and text."""
        rows = self._db.execute(
            "SELECT number, id, patient, text FROM notes WHERE number BETWEEN ? AND ?",
            (min(numbers), max(numbers)),
        )
        return {number: (name, patient, text) for number, name, patient, text in rows}

    def tallies(self) -> Iterator[tuple[tuple[Span, ...], dict[str, Any]]]:
        for spans, tally in self._db.execute("SELECT spans, tally FROM notes ORDER BY number"):
            yield spans_from_json(spans), json.loads(tally)

    def counts(self) -> tuple[int, int]:
        """Notes understood, and patients among them."""
        found = self._db.execute("SELECT count(*), count(DISTINCT patient) FROM notes").fetchone()
        return int(found[0]), int(found[1])

    def any_annotated(self) -> bool:
        return self._any("$.annotated")

    def any_patient(self) -> bool:
        """Whether any note's patient is known, and not just the note itself."""
        return self._any("$.has_patient")

    def _any(self, key: str) -> bool:
        query = "SELECT 1 FROM notes WHERE json_extract(tally, ?) LIMIT 1"
        return self._db.execute(query, (key,)).fetchone() is not None

    def patients(self) -> Iterator[tuple[bytes, list[tuple[bytes, bytes]]]]:
        """Each patient's notes: sealed id and packed facts."""
        rows = self._db.execute("SELECT patient, sealed, facts FROM notes ORDER BY patient")
        for patient, group in groupby(rows, key=lambda row: row[0]):
            yield patient, [(sealed, facts) for _, sealed, facts in group]

    def put_patients(self, states: Iterator[tuple[bytes, bytes]]) -> None:
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO patients VALUES (?, ?)", states)

    def put_given(self, rows: Iterator[tuple[bytes, bytes, tuple[Span, ...]]]) -> None:
        with self._db:
            cells = ((name, text, spans_to_json(spans)) for name, text, spans in rows)
            self._db.executemany("INSERT OR REPLACE INTO given VALUES (?, ?, ?)", cells)

    def given(self, name: bytes) -> tuple[bytes, tuple[Span, ...]] | None:
        found = self._db.execute("SELECT text, spans FROM given WHERE id = ?", (name,)).fetchone()
        return found and (found[0], spans_from_json(found[1]))


def spans_to_json(spans: Sequence[Span]) -> str:
    return json.dumps(spans_to_rows(spans))


def spans_from_json(text: str) -> tuple[Span, ...]:
    return rows_to_spans(json.loads(text))
