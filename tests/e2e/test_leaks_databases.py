"""A sentinel name in rows, and a sentinel password in URLs: whatever fails, they reach nothing but the source."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.types import Document
from tests.clinics import COLUMNS, KINDS, Clinic, open_clinic
from tests.postgres import Server, running_server
from tests.unit.pipeline.notes import make_note, write_key

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
FIRST, LAST, SECRET = "Zebulon", "Quillfeather", "Xyzzy-4711"
TEXT = f"Patient: {LAST}, {FIRST}. Mr. {LAST} was seen on 03/04/2065. Call {FIRST}.\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(params=KINDS)
def clinic(request: pytest.FixtureRequest, tmp_path: Path) -> Clinic:
    """The source stands in a private folder; everything below `room` is looked through."""
    for name in ("room", "private"):
        (tmp_path / name).mkdir()
    found = open_clinic(request.param, tmp_path / "private", request)
    notes = [make_note(number) for number in range(80)]
    notes.insert(3, Document(f"{LAST.lower()}-7", f"{FIRST} {LAST}", TEXT))
    found.fill(notes)
    write_key(found.folder)
    (found.folder / "deny.txt").write_text(f"{FIRST}\n{LAST}\n")
    return found


def run(
    clinic: Clinic, source: str, out: str, *more: str, timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "deidlab", "mask", source, "--out", out, "--rules", "only", "--deny",
               str(clinic.folder / "deny.txt"), "--key-file", str(clinic.folder / "site.key"), "--workers", "1", *COLUMNS,
               *more]  # fmt: skip
    room = clinic.folder.parent / "room"
    environment = {**os.environ, **clinic.environment(), "TMPDIR": str(room)}
    return subprocess.run(command, env=environment, capture_output=True, cwd=room, timeout=timeout)


def refuse_leaks(clinic: Clinic, *streams: bytes) -> None:
    left = [path for path in (clinic.folder.parent / "room").rglob("*") if path.is_file()]
    refuse_words(*streams, *(path.read_bytes() for path in left), *(path.name.encode() for path in left))


def refuse_words(*streams: bytes) -> None:
    for data in streams:
        for word in (FIRST, LAST, SECRET):
            assert word.lower().encode() not in data.lower()


def masked_db(clinic: Clinic) -> str:
    """A destination in the room, or on the server."""
    return (
        clinic.url("masked")
        if clinic.server
        else f"sqlite:///{clinic.folder.parent}/room/out.db?table=masked"
    )


def test_a_run_that_goes_well(clinic: Clinic) -> None:
    done = run(clinic, clinic.url("notes"), masked_db(clinic))
    assert done.returncode == 0, done.stderr
    refuse_leaks(clinic, done.stdout, done.stderr)
    if clinic.server:
        rows = str(clinic.select("SELECT * FROM masked") + clinic.select("SELECT * FROM deidlab_runs"))
        assert LAST.lower() not in rows.lower() and FIRST.lower() not in rows.lower()


def test_rows_that_the_destination_refuses(clinic: Clinic) -> None:
    """With ids kept the real id is among the cells that the driver quotes."""
    room = replace(clinic, folder=clinic.folder.parent / "room") if clinic.server is None else clinic
    room.execute("CREATE TABLE strict (name TEXT CHECK (name NOT LIKE 'quill%'), mrn TEXT, body TEXT)")
    done = run(clinic, clinic.url("notes"), room.url("strict"), "--append", "--ids", "keep")
    assert done.returncode == 1 and b"a rule of the table forbids a row" in done.stderr, done.stderr
    assert done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr
    refuse_words(done.stdout, done.stderr)
    assert room.select("SELECT count(*) FROM strict") == [(0,)], "a chunk is written whole or not at all"


@pytest.mark.parametrize("clinic", ["postgresql"], indirect=True)
def test_a_value_that_does_not_fit(clinic: Clinic) -> None:
    assert clinic.server is not None
    clinic.execute("CREATE TABLE short (name TEXT, mrn VARCHAR(5), body TEXT)")
    done = run(clinic, clinic.url("notes"), clinic.url("short"), "--append", "--ids", "keep")
    assert done.returncode == 1 and b"a value does not fit its column's type" in done.stderr
    refuse_words(done.stdout, done.stderr)
    clinic.execute("CREATE TABLE numbers (name BIGINT, mrn TEXT, body TEXT)")
    done = run(clinic, clinic.url("notes"), clinic.url("numbers"), "--append", "--ids", "keep")
    assert done.returncode == 1 and b"does not fit" in done.stderr
    refuse_words(done.stdout, done.stderr)


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT * FROM notes WHERE body = '{LAST}' AND",
        f"SELECT nr, {LAST} FROM notes",
        f"SELECT nr, name, mrn, body, CAST(body AS INTEGER) / 0 AS x FROM notes WHERE body LIKE '%{LAST}%'",
        f"SELECT nr, nr, body FROM notes WHERE name <> '{LAST}'",
    ],
)
def test_queries_that_fail(clinic: Clinic, query: str) -> None:
    done = run(clinic, clinic.url(), "x.jsonl", "--query", query, "--key-column", "nr")
    assert b"Traceback" not in done.stderr and (done.returncode == 1 or clinic.server is None)
    refuse_leaks(clinic, done.stdout, done.stderr)


@pytest.mark.parametrize("clinic", ["postgresql"], indirect=True)
def test_passwords_stay_unsaid(clinic: Clinic) -> None:
    assert clinic.server is not None
    for url in (
        clinic.server.url(password=SECRET) + "&table=notes",
        clinic.url("notes") + f"&password={SECRET}",
        f"postgresql://clerk:{SECRET}@localhost:99999/clinic?table=notes",
        f"postgresql://clerk:{SECRET}@nowhere.invalid/clinic?table=notes&connect_timeout=1",
        f"postgresql://clerk:{SECRET}@/clinic?host=/nowhere&table=notes&{SECRET}=1",
        f"mysql://clerk:{SECRET}@/clinic?table=notes",
    ):
        done = run(clinic, url, "x.jsonl")
        assert done.returncode == 1, done.stderr
        refuse_leaks(clinic, done.stdout, done.stderr)


@pytest.mark.parametrize("clinic", ["postgresql"], indirect=True)
def test_a_server_that_goes_away(clinic: Clinic) -> None:
    """Connections are cut in the middle: one line, no notes, and the next run goes on to the end."""
    assert clinic.server is not None
    clinic.insert(
        "notes",
        [(6_000_000_000 + n, f"m{n:05}", "p", make_note(n).text, "W", "2068-01-02", 1) for n in range(2000)],
    )
    command = [sys.executable, "-m", "deidlab", "mask", clinic.url("notes"), "--out", clinic.url("masked"), "--rules", "only",
               "--key-file", str(clinic.folder / "site.key"), "--workers", "1", *COLUMNS]  # fmt: skip
    room = clinic.folder.parent / "room"
    process = subprocess.Popen(
        command,
        env={**os.environ, **clinic.environment()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=room,
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        clinic.select(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'deidlab' AND pid <> pg_backend_pid()"
        )
        time.sleep(0.01)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and err.count(b"\n") == 1 and b"Traceback" not in err, err
    refuse_leaks(clinic, out, err)
    again = subprocess.run(command, env={**os.environ, **clinic.environment()}, capture_output=True, cwd=room)
    assert again.returncode == 0, again.stderr
    refuse_leaks(clinic, again.stdout, again.stderr)
    assert clinic.select("SELECT count(*) FROM masked") == [(2081,)]
