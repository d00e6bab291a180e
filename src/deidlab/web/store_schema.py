"""The tables of a review: notes, what is marked in each, and every decision that was taken.

A `layer` is one version of a note's marks. The layer '' is everybody's: what is exported. Notes that are
reviewed twice have, beside it, a layer for each reviewer, so that neither sees what the other marked.
Decisions hold offsets and labels, never text. `beside` and `remark` are for the reading of a sample: what
stands beside a masked note, and why a reader says that it leaks.
"""

from __future__ import annotations

VERSION = "1"
# Stands in the head of the file, and tells it from the databases of other programs.
APPLICATION = 0x44655276
SHARED = ""

SCHEMA = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS note (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    patient TEXT NOT NULL,
    text TEXT NOT NULL,
    meta TEXT NOT NULL,
    twice INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS note_patient ON note (patient);
CREATE TABLE IF NOT EXISTS state (
    note INTEGER NOT NULL REFERENCES note,
    layer TEXT NOT NULL,
    version INTEGER NOT NULL,
    done INTEGER NOT NULL,
    need REAL NOT NULL,
    undecided INTEGER NOT NULL,
    changed_by TEXT NOT NULL,
    changed_at REAL NOT NULL,
    PRIMARY KEY (note, layer)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mark (
    note INTEGER NOT NULL REFERENCES note,
    layer TEXT NOT NULL,
    id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    label TEXT NOT NULL,
    score REAL,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    PRIMARY KEY (note, layer, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decision (
    number INTEGER PRIMARY KEY,
    note INTEGER NOT NULL REFERENCES note,
    layer TEXT NOT NULL,
    version INTEGER NOT NULL,
    reviewer TEXT NOT NULL,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    changes TEXT NOT NULL,
    fate TEXT NOT NULL DEFAULT 'standing'
);
CREATE INDEX IF NOT EXISTS decision_note ON decision (note, layer, reviewer);
CREATE TABLE IF NOT EXISTS proposal (
    model TEXT NOT NULL,
    note INTEGER NOT NULL REFERENCES note,
    spans TEXT NOT NULL,
    PRIMARY KEY (model, note)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS beside (
    note INTEGER PRIMARY KEY REFERENCES note,
    stratum INTEGER NOT NULL,
    places TEXT NOT NULL,
    original TEXT,
    spans TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS remark (
    note INTEGER NOT NULL REFERENCES note,
    layer TEXT NOT NULL,
    reason TEXT NOT NULL,
    said TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (note, layer)
) WITHOUT ROWID;
"""
