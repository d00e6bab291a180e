"""Cases of `deidlab mask` from and to a table: SQLite always, PostgreSQL where it is there."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fuzz import machine
from tests.fuzz.case import Case
from tests.fuzz.mask_options import lists, style_and_policy, write_key
from tests.fuzz.masking import DONE, judge_counts, make_corpus
from tests.fuzz.running import Outcome, run_and_die, run_command
from tests.fuzz.structures import Note, Wanted, make_notes

ODD_CELLS = ("blob", "not UTF-8", "null", "number", "NUL", "odd key")
FILES = (".jsonl", ".csv", ".parquet")


def mask_table(case: Case) -> None:
    """A table in, a table or a file out."""
    case.flags.add("mask")

    notes = make_notes(case.random, case.words, Wanted(("denied", "known", "plain"), strange_labels=False))
    columns = _fill(case, notes)
    options: list[object] = [*style_and_policy(case), *lists(case, notes), *columns]
    if case.chance(0.25):
        options += ["--ids", "keep"]
        case.flags.add("ids-kept")
    options += ["--json"] if case.chance(0.2) else []
    source = f"sqlite:///{case.room.source}/clinic.db?table=notes"
    command = ["mask", source, "--rules", "only", "--key-file", write_key(case), "--workers", "1", *options]
    if case.chance(0.5):
        _into_table(case, command, len(notes))
    else:
        suffix = case.random.choice(FILES)
        out = case.room.out / f"masked{suffix}"
        outcome = _run(case, [*command, "--out", out])
        judge_counts(case, outcome, out, suffix[1:], len(notes))


def mask_into_table(case: Case) -> None:
    """Files in, a table out."""
    case.flags.add("mask")
    format = case.random.choice(("jsonl", "csv", "i2b2", "brat", "txt", "conll"))
    notes, built, count = make_corpus(case, format, ("denied", "known", "plain"))
    options = [*style_and_policy(case), *lists(case, notes), *built.options]
    command = [
        "mask",
        built.path,
        "--rules",
        "only",
        "--key-file",
        write_key(case),
        "--workers",
        "1",
        *options,
    ]
    _into_table(case, command, count)


def _fill(case: Case, notes: Sequence[Note]) -> list[str]:
    """The table of the notes; its columns' names are sentinels, and one cell is perhaps odd."""
    names = {key: case.words.plant("named-column") for key in ("id", "patient", "text")}
    kept, other = case.words.plant("kept-column"), case.words.plant("column")
    rows: list[list[Any]] = [
        [n, note.id, note.patient, note.text, case.words.plant("kept-cell"), case.words.plant("cell")]
        for n, note in enumerate(notes)
    ]
    if case.chance(0.5):
        _odd_cell(case, case.random.choice(rows))
    with contextlib.closing(sqlite3.connect(case.room.source / "clinic.db")) as connection, connection:
        given = ", ".join(f'"{name}" TEXT' for name in (*names.values(), kept, other))
        connection.execute(
            f"CREATE TABLE notes (nr {case.random.choice(('INTEGER', 'TEXT'))} PRIMARY KEY, {given})"
        )
        for row in rows:
            cells = ", ".join(f"CAST(x'{c.hex()}' AS TEXT)" if isinstance(c, bytearray) else "?" for c in row)
            connection.execute(
                f"INSERT INTO notes VALUES ({cells})", [c for c in row if not isinstance(c, bytearray)]
            )
    options = [each for key, name in names.items() for each in (f"--{key}-column", name)]
    return options + (["--keep-column", kept] if case.chance(0.5) else [])


def _odd_cell(case: Case, row: list[Any]) -> None:
    what = case.random.choice(ODD_CELLS)
    case.tell(f"a cell: {what}")
    place = case.random.choice((1, 2, 3, 3, 4))
    text = str(row[place]).encode("utf-8", "replace")
    odd = {
        "blob": text,
        "not UTF-8": bytearray(text + b"\xff"),
        "null": None,
        "number": 7.5,
        "NUL": f"{row[place]}\0",
        "odd key": row[place],
    }
    row[place] = odd[what]
    if what == "odd key":
        row[0] = case.random.choice((-1, 2**62, -(2**63)))
    if what == "not UTF-8" or place != 3:
        # Known words go by their patient, which the odd cell may hide.
        case.flags.add("mangled")


def _into_table(case: Case, command: list[object], count: int | None) -> None:
    database = case.room.out / "out.db"
    case.tell("into a table")
    outcome = _run(case, [*command, "--out", f"sqlite:///{database}?table=masked"])
    if outcome.status not in DONE:
        return
    record = json.loads((case.room.out / "out.db.masked.deidlab" / "record.json").read_bytes())
    rows = _count_rows(database)
    if rows != record["masked"]:
        case.breach("what the record says is written", f"table: {rows} of {record['masked']}")
    if count is not None and record["masked"] + record["failed"] != count:
        case.breach(
            "each note of the source is masked or listed",
            f"record.json: {record['masked']} and {record['failed']} of {count}",
        )


def _count_rows(database: Path) -> int:
    try:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            return int(connection.execute("SELECT count(*) FROM masked").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _run(case: Case, command: list[object]) -> Outcome:
    """The run; one in eight is stopped by something, and goes on."""
    if case.chance(0.12):
        nth = case.random.randint(1, 12)
        if case.chance(0.5):
            case.tell(f"killed at change {nth}")
            outcome = run_and_die(case.room, command, machine.breaking(nth, machine.kill))
        else:
            case.tell(f"trouble at change {nth}")
            outcome = run_command(
                case.room,
                command,
                fault=machine.trouble(case.random.choice(("full disk", "interrupt")), nth, case.random),
            )
        case.judge("mask", outcome)
        case.judge_files()
        if outcome.status in DONE:
            return outcome
    outcome = run_command(case.room, command)
    case.judge("mask", outcome)
    case.judge_files()
    return outcome
