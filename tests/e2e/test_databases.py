"""Tables of PostgreSQL and SQLite as source and destination, as from a shell."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.clinics import COLUMNS, KINDS, Clinic, open_clinic
from tests.e2e.command import Outcome, deidlab
from tests.postgres import Server, running_server
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(params=KINDS)
def clinic(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    found = open_clinic(request.param, tmp_path, request)
    for name, value in found.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return found


def mask(
    capsys: pytest.CaptureFixture[str], clinic: Clinic, source: str | Path, out: str | Path, *more: str
) -> Outcome:
    key = write_key(clinic.folder)
    return deidlab(
        capsys,
        "mask",
        source,
        "--out",
        out,
        "--rules",
        "only",
        "--key-file",
        key,
        "--workers",
        "1",
        *(() if "--text-column" in more else COLUMNS),
        *more,
    )


def test_a_table_is_masked_as_files_are(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    notes = [make_note(number) for number in range(150)]
    clinic.fill(notes)
    done = mask(capsys, clinic, clinic.url("notes"), clinic.url("masked"))
    assert (done.status, done.out) == (0, ""), done.err
    assert f"written to {clinic.kind} " in done.err and "table masked" in done.err
    files = write_jsonl(notes, clinic.folder / "notes.jsonl", with_spans=False)
    key = clinic.folder / "site.key"
    assert (
        deidlab(capsys, "mask", files, "--out", "m.jsonl", "--rules", "only", "--key-file", key, "-q").status
        == 0
    )
    expected = sorted((row["id"], row["patient"], row["text"]) for row in read_jsonl(Path("m.jsonl")))
    assert sorted(clinic.select("SELECT name, mrn, body FROM masked")) == expected
    assert not [path for path in clinic.folder.iterdir() if path.name.endswith("-run")]
    record = json.loads(next(clinic.folder.glob("*masked.deidlab/record.json")).read_text())
    assert (record["masked"], record["settings"]["format"]) == (150, "database")
    audited = deidlab(capsys, "audit", clinic.url("masked"), "--report", "audit.html")
    assert audited.status == 0 and "150 notes masked, 0 failed" in audited.err, audited.err
    assert (
        "by its URL"
        in deidlab(
            capsys, "audit", str(next(clinic.folder.glob("*masked.deidlab")))[:-8], "--report", "b.html"
        ).err
    )


def test_columns_are_kept_with_their_types(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.fill(make_note(number) for number in range(5))
    keep = [word for name in ("ward", "seen", "price") for word in ("--keep-column", name)]
    done = mask(capsys, clinic, clinic.url("notes"), clinic.url("masked"), "--ids", "keep", *keep)
    assert done.status == 0, done.err
    rows = clinic.select("SELECT name, ward, seen, price FROM masked ORDER BY name")
    assert [row[:2] for row in rows] == [(f"n{number:05}", f"W{number % 4}") for number in range(5)]
    assert {str(row[2]) for row in rows} == {"2068-01-02"}
    assert {Decimal(str(row[3])) for row in rows} == {Decimal("3.5")}
    # A second mask of what was masked sees the same columns.
    assert mask(capsys, clinic, clinic.url("masked"), clinic.url("again"), *keep).status == 0


def test_a_query_is_read_in_the_order_of_its_key(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.fill(make_note(number) for number in range(40))
    sql = "SELECT nr AS k, name, mrn, body, ':a%b' AS odd FROM notes WHERE ward = 'W1' AND body LIKE '%Mr.%' -- these"
    out = clinic.folder / "some.jsonl"
    done = mask(capsys, clinic, clinic.url(), out, "--query", sql, "--key-column", "k", "--ids", "keep",
                "--keep-column", "odd")  # fmt: skip
    assert done.status == 0, done.err
    rows = read_jsonl(out)
    assert [row["id"] for row in rows] == [f"n{number:05}" for number in range(1, 40, 4)]
    assert rows[0]["meta"] == {"odd": ":a%b"}


def test_what_is_there_is_refused_appended_to_or_replaced(
    clinic: Clinic, capsys: pytest.CaptureFixture[str]
) -> None:
    clinic.fill([make_note(number) for number in range(20)])
    run = lambda *more: mask(capsys, clinic, clinic.url("notes"), clinic.url("masked"), *more)  # noqa: E731
    assert run().status == 0
    assert "already there" in run().err
    clinic.insert("notes", [(9_000_000_000, "n99999", "p9", "Seen on 03/04/2065.", "W1", "2068-01-02", 1)])
    again = run("--append")
    assert again.status == 0 and "20 rows of these ids were there before" in again.err
    assert clinic.select("SELECT count(*), count(DISTINCT name) FROM masked") == [(21, 21)]
    clinic.execute("DELETE FROM notes WHERE nr < 9000000000")
    assert run("--overwrite").status == 0
    assert clinic.select("SELECT body FROM masked") == [("Seen on [DATE-1].",)]
    clinic.execute("CREATE TABLE narrow (name TEXT, body TEXT)")
    done = mask(capsys, clinic, clinic.url("notes"), clinic.url("narrow"), "--append")
    assert done.status == 1 and "has no column 'mrn' to append to" in done.err


def test_the_source_is_never_written_to(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.fill(make_note(number) for number in range(3))
    clinic.execute("CREATE VIEW seen_by AS SELECT * FROM notes")
    before = clinic.select("SELECT * FROM notes ORDER BY nr")
    query = ("--query", "SELECT * FROM seen_by", "--key-column", "nr")
    for source, more in (
        (clinic.url("notes"), ()),
        (clinic.url("seen_by"), ("--key-column", "nr")),
        (clinic.url(), query),
    ):
        for way in ("--append", "--overwrite"):
            done = mask(capsys, clinic, source, clinic.url("notes"), way, *more)
            assert done.status == 1 and "the source is read from this table" in done.err
    done = mask(
        capsys,
        clinic,
        clinic.url(),
        "x.jsonl",
        "--query",
        "DELETE FROM notes RETURNING *",
        "--key-column",
        "nr",
    )
    assert done.status == 1 and done.err.count("\n") == 1
    assert clinic.select("SELECT * FROM notes ORDER BY nr") == before


@pytest.mark.parametrize(
    ("table", "more", "said"),
    [
        ("nowhere", (), "there is no such table"),
        ("notes", ("--text-column", "txt"), "there is no column 'txt'"),
        ("notes", ("--key-column", "txt"), "there is no column 'txt' (--key-column)"),
        ("notes", ("--key-column", "ward"), "several rows have the same key (ward)"),
        ("notes", ("--key-column", "hole"), "the key is empty in some rows (hole)"),
        ("notes", ("--keep-column", "txt"), "there is no column 'txt' (--keep-column)"),
        ("keyless", (), "there is no primary key"),
        ("bare", (), "there are no rows"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_a_line(
    clinic: Clinic, capsys: pytest.CaptureFixture[str], table: str, more: tuple[str, ...], said: str
) -> None:
    clinic.fill(make_note(number) for number in range(9))
    clinic.execute(
        "ALTER TABLE notes ADD COLUMN hole INTEGER",
        "CREATE TABLE keyless (name TEXT, mrn TEXT, body TEXT)",
        "CREATE TABLE bare (name TEXT PRIMARY KEY, mrn TEXT, body TEXT)",
    )
    done = mask(capsys, clinic, clinic.url(table), clinic.url("masked"), *more)
    assert done.status == (2 if "no column" in said else 1), done.err
    assert said in done.err and done.err.count("\n") == 1, done.err
    assert clinic.kind == "sqlite" or not clinic.select("SELECT to_regclass('masked')")[0][0]


def test_bytes_are_not_taken_for_text(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.execute(
        f"CREATE TABLE scans (nr INTEGER PRIMARY KEY, body {'BLOB' if clinic.kind == 'sqlite' else 'BYTEA'})"
    )
    clinic.insert("scans", [(1, "Patient Zebulon é".encode()), (2, b"\xff")])
    done = mask(capsys, clinic, clinic.url("scans"), "out.jsonl", "--text-column", "body")
    said = "row 1 in the order of the key holds bytes" if clinic.kind == "sqlite" else "does not hold text"
    assert done.status == (3 if clinic.kind == "sqlite" else 1) and said in done.err, done.err
    assert not Path("out.jsonl").exists() and "Zebulon" not in done.err


def test_a_value_that_python_cannot_hold_costs_its_row_alone(
    clinic: Clinic, capsys: pytest.CaptureFixture[str]
) -> None:
    if clinic.kind == "sqlite":
        pytest.skip("SQLite has no type for dates")
    clinic.fill(make_note(number) for number in range(70))
    clinic.execute("UPDATE notes SET seen = 'infinity' WHERE name IN ('n00000', 'n00066')")
    done = mask(capsys, clinic, clinic.url("notes"), "out.jsonl")
    assert done.status == 3 and done.err.count("has a value that cannot be read") == 2, done.err
    assert len(read_jsonl(Path("out.jsonl"))) == 68


def test_rows_without_text_fail_alone(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.fill(make_note(number) for number in range(70))
    clinic.execute("UPDATE notes SET body = NULL WHERE name = 'n00066'")
    done = mask(capsys, clinic, clinic.url("notes"), clinic.url("masked"), "--failures", "failed.jsonl")
    assert (
        done.status == 3
        and "failed: note 67 (d" in done.err
        and "row 67 in the order of the key has no text" in done.err
    )
    assert clinic.select("SELECT count(*) FROM masked") == [(69,)]
    (row,) = read_jsonl(Path("failed.jsonl"))
    assert (row["id"], row["number"]) == ("n00066", 67)


def test_several_columns_may_be_the_key(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    clinic.execute("CREATE TABLE visits (day INTEGER, nr TEXT, body TEXT, PRIMARY KEY (day, nr))")
    rows = [(number // 10, f"v{number % 10}", make_note(number).text) for number in range(200)]
    clinic.insert("visits", rows[::-1])
    usual = ("--rules", "only", "--text-column", "body", "--ids", "keep", "--workers", "1", "-q")
    done = deidlab(capsys, "mask", clinic.url("visits"), "--out", "v.csv", "--id-column", "nr", *usual)
    # The id is not the whole key here, and ids must tell notes apart.
    assert done.status == 3 and "a second note of this id" in done.err
    done = deidlab(capsys, "mask", clinic.url("visits"), "--out", "w.jsonl", *usual)
    assert done.status == 0, done.err
    assert [row["id"] for row in read_jsonl(Path("w.jsonl"))] == [f"{day}-{nr}" for day, nr, _ in rows]


def test_files_go_into_a_table(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    source = clinic.folder / "notes.jsonl"
    rows = [{"id": f"n{n}", "text": "Seen on 03/04/2065.", "year": 2000 + n, "odd": [1, n]} for n in range(3)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    key = write_key(clinic.folder)
    done = deidlab(capsys, "mask", source, "--out", clinic.url("masked"), "--rules", "only", "--key-file", key, "--ids", "keep",
                   "--keep-column", "year", "--keep-column", "odd", "--workers", "1")  # fmt: skip
    assert done.status == 0, done.err
    found = clinic.select("SELECT id, text, year, odd FROM masked ORDER BY id")
    assert [row[:3] for row in found] == [(f"n{n}", "Seen on [DATE-1].", 2000 + n) for n in range(3)]
    assert found[2][3] in ([1, 2], "[1, 2]")


def test_a_table_can_be_undone(
    clinic: Clinic, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    notes = [make_note(number) for number in range(30)]
    clinic.fill(notes)
    done = mask(capsys, clinic, clinic.url("notes"), clinic.url("masked"), "--keep-map", "run.map", "-q")
    assert done.status == 0, done.err
    done = deidlab(
        capsys, "restore", clinic.url("masked"), "--map", "run.map", "--out", "back.jsonl", *COLUMNS
    )
    assert done.status == 0 and "restored 30 notes" in done.err, done.err
    found = sorted((row["id"], row["patient"], row["text"]) for row in read_jsonl(Path("back.jsonl")))
    assert found == [(note.id, note.patient, note.text) for note in notes]


def test_people_s_spans_go_along(clinic: Clinic, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_jsonl((make_note(number) for number in range(4)), clinic.folder / "notes.jsonl")
    done = deidlab(
        capsys, "mask", source, "--spans", source, "--out", clinic.url("masked"), "--ids", "keep", "-q"
    )
    assert done.status == 0, done.err
    spans = clinic.select("SELECT spans FROM masked ORDER BY id")[0][0]
    spans = json.loads(spans) if isinstance(spans, str) else spans
    assert [span["label"] for span in spans] == ["PATIENT", "DATE", "DATE"]


# Killed for real

N_NOTES = 1200


def start(clinic: Clinic, target: str, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deidlab", "mask", clinic.url("notes"), "--out", clinic.url(target), "--rules", "only",
               "--key-file", str(clinic.folder / "site.key"), "--workers", "1", "-q", *COLUMNS, *more]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=clinic.folder)


def kill_at_random_moments(clinic: Clinic, n_kills: int, seed: int) -> None:
    """Whole once, untouched; then into another table with kills at moments drawn over the time that this took."""
    clinic.fill(make_note(number) for number in range(N_NOTES))
    write_key(clinic.folder)
    began = time.monotonic()
    whole = start(clinic, "whole")
    assert whole.communicate() and whole.returncode == 0
    took = time.monotonic() - began
    draw, killed, finished = random.Random(seed), 0, 0
    while killed < n_kills:
        process = start(clinic, f"killed_{finished}")
        try:
            _, err = process.communicate(timeout=draw.uniform(0.2, took))
            # Killed when all was done but the tidying up, a run has nothing to go on with.
            assert process.returncode == 0 or b"already there" in err, err
            finished = check_table(clinic, finished)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
    last = start(clinic, f"killed_{finished}")
    _, err = last.communicate()
    assert last.returncode == 0 or b"already there" in err, err
    check_table(clinic, finished)


def check_table(clinic: Clinic, number: int) -> int:
    rows = clinic.select(f"SELECT name, mrn, body FROM killed_{number} ORDER BY name")
    assert len(rows) == len({row[0] for row in rows}) == N_NOTES
    assert rows == clinic.select("SELECT name, mrn, body FROM whole ORDER BY name")
    return number + 1


def test_each_row_exactly_once_after_kills_at_random_moments(clinic: Clinic) -> None:
    kill_at_random_moments(clinic, 3, seed=10)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_each_row_exactly_once_after_fifty_kills(clinic: Clinic) -> None:
    kill_at_random_moments(clinic, 50, seed=2068)
