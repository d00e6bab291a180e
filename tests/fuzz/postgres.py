"""Cases of `deidlab mask` between tables of PostgreSQL, where a server can be started."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.fuzz.case import Case
from tests.fuzz.databases import mask_table
from tests.fuzz.mask_options import lists, style_and_policy, write_key
from tests.fuzz.running import run_command
from tests.fuzz.structures import Note, Wanted, make_notes
from tests.postgres import PASSWORD, Server, running_server

_servers: list[Server] = []


@contextlib.contextmanager
def server_up() -> Iterator[None]:
    """A server for all cases until the block ends; without PostgreSQL there is none, and SQLite takes its place."""
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(running_server())
        except pytest.skip.Exception:
            yield
            return
        server.fresh_database()
        _servers.append(server)
        os.environ["PGPASSWORD"] = PASSWORD
        yield
        _servers.remove(server)
        del os.environ["PGPASSWORD"]


def mask_postgres(case: Case) -> None:
    """A table in, a table out, with a row that is perhaps odd."""
    if not _servers:
        mask_table(case)
        return
    server = _servers[-1]
    case.flags.add("mask")
    notes = make_notes(case.random, case.words, Wanted(("denied", "known", "plain"), strange_labels=False))
    with server.connect() as connection:
        columns = _fill(case, connection, notes)
        options = [
            "--rules",
            "only",
            "--key-file",
            write_key(case),
            "--workers",
            "1",
            *style_and_policy(case),
            *lists(case, notes),
        ]
        source, target = (f"{server.url()}&table={name}" for name in ("notes", "masked"))
        where = ["--run-folder", case.room.out]
        outcome = run_command(case.room, ["mask", source, "--out", target, *where, *options, *columns])
        case.judge("mask", outcome)
        case.judge_files()
        if outcome.status in (0, 3):
            _judge_rows(case, connection, len(notes))


def _fill(case: Case, connection: Any, notes: Sequence[Note]) -> list[str]:
    for table in ("notes", "masked", "deidlab_runs"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    names = {key: case.words.plant("named-column") for key in ("id", "patient", "text")}
    kind = case.random.choice(("text", "text", "text", "bytea", "varchar"))
    case.tell(f"text is {kind}")
    given = f'"{names["id"]}" text, "{names["patient"]}" text, "{names["text"]}" {kind}, "{case.words.plant("column")}" text'
    connection.execute(f"CREATE TABLE notes (nr bigint PRIMARY KEY, {given})")
    for number, note in enumerate(notes):
        text: Any = note.text.encode() if kind == "bytea" else note.text
        text = None if case.chance(0.1) else text
        cells = [
            case.random.choice((number, number - 2**40)),
            note.id,
            note.patient,
            text,
            case.words.plant("cell"),
        ]
        connection.execute("INSERT INTO notes VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING", cells)
    return [each for key, name in names.items() for each in (f"--{key}-column", name)]


def _judge_rows(case: Case, connection: Any, count: int) -> None:
    record = json.loads(next(case.room.out.glob("*.deidlab/record.json")).read_bytes())
    rows = connection.execute("SELECT * FROM masked").fetchall() if record["masked"] else []
    case.look_at("output", "\n".join(str(cell) for row in rows for cell in row), "the table")
    case.look_at(
        "run folder", str(connection.execute("SELECT * FROM deidlab_runs").fetchall()), "deidlab_runs"
    )
    if len(rows) != record["masked"] or record["masked"] + record["failed"] != count:
        case.breach("each row is masked or listed", f"{len(rows)} rows, {record['failed']} failed of {count}")
