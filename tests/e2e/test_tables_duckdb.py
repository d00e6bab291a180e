"""DuckDB files as where tables come from and go to: types, keys, the order of rows, and what cannot be read."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Outcome, deidlab
from tests.e2e.test_tables import SIZE, TABLES, as_text, build_sqlite, complaints, of_csv, of_sqlite
from tests.unit.pipeline.notes import write_key

duckdb = pytest.importorskip("duckdb", reason="NEEDS the extra 'duckdb'")
from omop import build_duckdb  # noqa: E402

DDL = """
CREATE SCHEMA ward;
CREATE TABLE ward.patients (patient_id INTEGER PRIMARY KEY, mrn VARCHAR UNIQUE NOT NULL, ref UUID, dob DATE);
CREATE TABLE ward.stays ("stay id" TINYINT, patient_id INTEGER NOT NULL REFERENCES ward.patients (patient_id),
    came TIMESTAMP, went TIMESTAMP WITH TIME ZONE, seen TIMESTAMP_NS, weight DECIMAL(6, 2), dose FLOAT, n UBIGINT,
    done BOOLEAN, hour TIME, found JSON, note VARCHAR, UNIQUE ("stay id", patient_id));
INSERT INTO ward.patients VALUES (17, 'MR-4471123', '00000000-0000-4000-8000-000000000017', '1975-03-14'),
    (18, 'MR-9981123', '00000000-0000-4000-8000-000000000018', NULL);
INSERT INTO ward.stays VALUES
    (3, 18, '2064-05-01 10:00:00', '2064-05-01 23:30:00+02:00', '2064-05-01 10:00:00.123456789', 71.5, 1.1, 18446744073709551615,
     true, '10:30:00', '{"a": 1}', 'Seen on 2064-05-01.'),
    (1, 17, '2064-03-14 10:00:00', NULL, NULL, 0.10, NULL, 2, false, NULL, NULL, 'MRN MR-4471123, well.'),
    (2, 17, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ask(path: str, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(path, read_only=True) as db:
        return db.execute(query).fetchall()


def of_duckdb(path: str) -> dict[str, list[tuple[Any, ...]]]:
    return {name: ask(path, f"SELECT * FROM {name}") for name in TABLES}


def plan(capsys: pytest.CaptureFixture[str], source: str) -> str:
    done = deidlab(capsys, "tables", "plan", source, "--out", "plan.toml", "--overwrite")
    assert done.status == 0, done.err
    return Path("plan.toml").read_text()


def command(out: str, *more: str) -> list[str]:
    return ["tables", "mask", "plan.toml", "--out", out, "--rules", "only", "--key-file", str(write_key(Path())),
            "--workers", "1", *more]  # fmt: skip


def mask(capsys: pytest.CaptureFixture[str], out: str, *more: str) -> Outcome:
    return deidlab(capsys, *command(out, *more))


KEYS = (
    "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
    "FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL' ORDER BY ALL"
)
COLUMNS = "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index"


def test_from_duckdb_to_duckdb_everything_holds(capsys: pytest.CaptureFixture[str]) -> None:
    build_duckdb(Path("omop.duckdb"), *SIZE)
    assert "unclassified" not in plan(capsys, "duckdb:///omop.duckdb").split("\n", 3)[3]
    done = mask(capsys, "duckdb:///out.duckdb")
    assert done.status == 0, done.err
    assert complaints(of_duckdb("omop.duckdb"), of_duckdb("out.duckdb")) == []
    assert {row[:4] for row in ask("out.duckdb", COLUMNS)} == {row[:4] for row in ask("omop.duckdb", COLUMNS)}
    # DuckDB cannot be given a key of a row of the same table that comes later.
    missing = set(map(str, ask("omop.duckdb", KEYS))) - set(map(str, ask("out.duckdb", KEYS)))
    assert len(missing) == 1 and "preceding_visit_occurrence_id" in missing.pop()
    record = json.loads(Path("out.duckdb.deidlab/record.json").read_text())
    assert record["constraints_left_out"] == {"visit_occurrence": 1} and "1 constraint" in done.err
    assert not list(Path().glob("*.wal")) and not list(Path().glob(".out*"))


def test_it_is_the_same_as_through_sqlite_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    build_duckdb(Path("omop.duckdb"), *SIZE)
    plan(capsys, "sqlite:///omop.db")
    assert mask(capsys, "duckdb:///out.duckdb").status == 0
    assert mask(capsys, "sqlite:///out.db").status == 0
    assert {n: len(rows) for n, rows in of_duckdb("out.duckdb").items()} == {
        n: len(rows) for n, rows in of_sqlite("out.db").items()
    }
    assert [row[0] for row in of_duckdb("out.duckdb")["note"]] == [
        row[0] for row in of_sqlite("out.db")["note"]
    ]
    plan(capsys, "duckdb:///omop.duckdb")
    assert mask(capsys, "files", "--to", "csv").status == 0
    assert mask(capsys, "duckdb:///again.duckdb").status == 0
    assert as_text(of_csv("files")) == as_text(of_duckdb("again.duckdb"))


def test_types_schemas_and_the_order_of_rows(capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect("a.duckdb") as db:
        db.execute(DDL)
    text = plan(capsys, "duckdb:///a.duckdb?schema=ward")
    Path("plan.toml").write_text(
        text.replace('class = "unclassified"', 'class = "code"').replace(
            'ref = { class = "code"', 'ref = { class = "key"'
        )
    )
    done = mask(capsys, "duckdb:///b.duckdb?schema=shared")
    assert done.status == 0, done.err
    types = {
        path: {row[1]: row[2:] for row in ask(path, COLUMNS)} for path in ("a.duckdb", "b.duckdb")
    }  # fmt: skip
    # No code is as short as the shortest of its whole numbers.
    assert (
        types["a.duckdb"].pop("stay id")[0] == "TINYINT" and types["b.duckdb"].pop("stay id")[0] == "SMALLINT"
    )
    assert types["a.duckdb"] == types["b.duckdb"]
    assert [row[:3] for row in ask("b.duckdb", KEYS)] == [row[:3] for row in ask("a.duckdb", KEYS)]
    stays = "SELECT weight, dose, n, done, hour, found FROM {}.stays"
    assert ask("a.duckdb", stays.format("ward")) == ask("b.duckdb", stays.format("shared"))
    days = "SELECT CAST(came AS DATE), CAST(seen AS VARCHAR), CAST(went AS VARCHAR) FROM {}.stays WHERE seen IS NOT NULL"
    (before,), (after,) = ask("a.duckdb", days.format("ward")), ask("b.duckdb", days.format("shared"))
    moved = after[0] - before[0]
    assert moved.days
    for old, new in zip(before[1:], after[1:], strict=True):
        assert date.fromisoformat(new[:10]) - date.fromisoformat(old[:10]) == moved
        assert new[10:] == old[10:], "the time of day stays to its last digit"
    mrn = dict(ask("b.duckdb", "SELECT patient_id, mrn FROM shared.patients"))
    notes = ask("b.duckdb", "SELECT patient_id, note FROM shared.stays")
    assert notes[1][1] == f"MRN {mrn[notes[1][0]]}, well." and notes[2][1] is None


@pytest.mark.parametrize("wrong", ["missing", "text", "locked", "empty"])
def test_what_cannot_be_read_is_one_line(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    holder = None
    if wrong == "text":
        Path("a.duckdb").write_text("Quentin Sentinel " * 900)
    elif wrong == "empty":
        duckdb.connect("a.duckdb").close()
    elif wrong == "locked":
        script = "import duckdb, sys; c = duckdb.connect('a.duckdb'); print(1, flush=True); sys.stdin.read()"
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        holder = subprocess.Popen([sys.executable, "-c", script], **pipes)
        assert holder.stdout is not None and holder.stdout.readline()
    try:
        done = deidlab(capsys, "tables", "plan", "duckdb:///a.duckdb")
    finally:
        if holder is not None:
            holder.communicate()
    assert done.status == 1 and len(done.err.strip().splitlines()) == 1 and "Sentinel" not in done.err
    said = {
        "missing": "No such file",
        "text": "not a DuckDB",
        "locked": "another program",
        "empty": "no tables",
    }
    assert said[wrong] in done.err


def test_a_value_that_does_not_fit_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect("a.duckdb") as db:
        db.execute("CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, flag VARCHAR)")
        db.execute("INSERT INTO patients VALUES (1, 'Quentin Sentinel')")
    text = plan(capsys, "duckdb:///a.duckdb")
    Path("plan.toml").write_text(
        text.replace(
            'flag = { class = "unclassified", type = "text"', 'flag = { class = "code", type = "int4"'
        )
    )
    done = mask(capsys, "duckdb:///b.duckdb")
    assert done.status == 1 and "does not fit" in done.err and "Sentinel" not in done.err + done.out
    assert not Path("b.duckdb").exists()


def test_one_table_alone_is_not_offered(capsys: pytest.CaptureFixture[str]) -> None:
    for more in (
        ("duckdb:///a.duckdb?table=notes", "--out", "b.jsonl"),
        ("a.jsonl", "--out", "duckdb:///b.duckdb?table=n"),
    ):
        done = deidlab(capsys, "mask", *more, "--rules", "only")
        assert done.status == 1 and "deidlab tables plan" in done.err


def test_without_the_package_the_line_that_gets_it_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.duckdb").touch()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = deidlab(capsys, "tables", "plan", "duckdb:///a.duckdb")
    assert done.status == 1 and "needs the 'duckdb' extra: pip install" in done.err


def test_a_file_that_somebody_writes_to_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    build_duckdb(Path("omop.duckdb"), 3, 3)
    plan(capsys, "duckdb:///omop.duckdb")
    assert mask(capsys, "duckdb:///out.duckdb").status == 0
    assert mask(capsys, "duckdb:///out.duckdb").status == 1, "what is there is not written over"
    Path("out.duckdb.wal").write_bytes(b"left by a kill")
    done = mask(capsys, "duckdb:///out.duckdb", "--overwrite")
    assert done.status == 1 and "ended while it wrote" in done.err
    Path("out.duckdb.wal").unlink()
    assert mask(capsys, "duckdb:///out.duckdb", "--overwrite").status == 0


def test_a_run_that_is_killed_goes_on_and_writes_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    build_duckdb(Path("omop.duckdb"), *SIZE)
    plan(capsys, "duckdb:///omop.duckdb")
    assert mask(capsys, "duckdb:///whole.duckdb").status == 0
    draw, whole = random.Random(3), [sys.executable, "-m", "deidlab", *command("duckdb:///out.duckdb", "-q")]
    for _ in range(3):
        process = subprocess.Popen(whole, env=dict(os.environ))
        time.sleep(draw.uniform(0.6, 1.8))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
    if not Path("out.duckdb").exists():
        subprocess.run(whole, check=True)
    assert of_duckdb("out.duckdb") == of_duckdb("whole.duckdb")
