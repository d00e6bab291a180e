"""Whole schemas, as from a shell: an invented OMOP database, from and to every kind of place, killed and gone on."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Outcome, deidlab
from tests.postgres import PASSWORD, Server, running_server
from tests.unit.pipeline.notes import write_key

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from omop import DDL, TABLES, build_folder, build_postgresql, build_sqlite, columns, family_name, tables  # noqa: E402
from omop_checks import complaints  # noqa: E402

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
SIZE = (12, 36)
# Wherever nobody but a person who knows the site can tell.
DECIDED = {"flag": "code"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


def make_plan(capsys: pytest.CaptureFixture[str], source: str, path: str = "plan.toml") -> str:
    assert deidlab(capsys, "tables", "plan", source, "--out", path).status == 0
    return Path(path).read_text()


def mask(capsys: pytest.CaptureFixture[str], out: str, *more: str, plan: str = "plan.toml") -> Outcome:
    key = write_key(Path())
    options = ("--rules", "only", "--key-file", key, "--workers", "1")
    return deidlab(capsys, "tables", "mask", plan, "--out", out, *options, *more)


def of_sqlite(path: str) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}


def of_postgresql(server: Server, schema: str = "public") -> dict[str, list[tuple[Any, ...]]]:
    with server.connect() as connection:
        return {name: connection.execute(f"SELECT * FROM {schema}.{name}").fetchall() for name in TABLES}


def of_csv(folder: str) -> dict[str, list[tuple[str, ...]]]:
    found = {}
    for name in TABLES:
        with Path(folder, f"{name}.csv").open(newline="") as file:
            header, *rows = csv.reader(file)
        assert header == columns(name)
        found[name] = [tuple(row) for row in rows]
    return found


def test_from_sqlite_to_sqlite_everything_holds(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    plan = make_plan(capsys, "sqlite:///omop.db")
    assert "unclassified" not in plan.split("\n", 3)[3], "OMOP's own columns are all known"
    done = mask(capsys, "sqlite:///out.db")
    assert done.status == 0, done.err
    assert complaints(of_sqlite("omop.db"), of_sqlite("out.db")) == []
    assert "foreign key" in str(shown_schema("out.db")).lower()
    told = json.loads(Path("out.db.deidlab/record.json").read_text())["tables"]["person_contact"]
    n = SIZE[0]
    assert told == {
        "rows": n,
        "columns": {"patient-key": 1, "patient-name": 2, "contact": 2},
        "cells": {"contact": 2 * n, "patient-key": n, "patient-name": 2 * n},
        "emptied": {},
    }
    audited = deidlab(capsys, "audit", "out.db", "--report", "audit.html")
    assert "the run wrote whole tables" in audited.err


def shown_schema(path: str) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")]


def test_the_checks_would_find_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    before = of_sqlite("omop.db")
    assert any("original keys" in each for each in complaints(before, before))
    assert any("original value" in each for each in complaints(before, before))
    assert "dates did not move" in complaints(before, before)


def test_between_databases_files_and_back(capsys: pytest.CaptureFixture[str], server: Server) -> None:
    server.fresh_database()
    with server.connect() as connection:
        build_postgresql(connection, *SIZE)
    make_plan(capsys, server.url())
    done = mask(capsys, f"{server.url()}&schema=shared")
    assert done.status == 0, done.err
    before, after = of_postgresql(server), of_postgresql(server, "shared")
    assert complaints(before, after) == []
    assert constraints(server, "shared") == constraints(server, "public")
    assert types(server, "shared") == types(server, "public")
    # The same run to files, and these masked like the database they came from.
    assert mask(capsys, "files", "--to", "csv").status == 0
    assert as_text(of_csv("files")) == as_text(after)


def as_text(rows: Any) -> dict[str, list[tuple[str, ...]]]:
    return {
        name: [tuple("" if cell is None else str(cell) for cell in row) for row in found]
        for name, found in rows.items()
    }


def constraints(server: Server, schema: str) -> list[tuple[Any, ...]]:
    asked = (
        "SELECT conrelid::regclass::text, contype, conkey FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace "
        "WHERE nspname = %s AND conrelid::regclass::text NOT LIKE '%%deidlab_runs'"
    )
    with server.connect() as connection:
        rows = connection.execute(asked, (schema,)).fetchall()
    return sorted((name.rpartition(".")[2], *rest) for name, *rest in rows)


def types(server: Server, schema: str) -> list[tuple[Any, ...]]:
    asked = "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = %s AND table_name <> 'deidlab_runs'"
    with server.connect() as connection:
        return sorted(connection.execute(asked, (schema,)).fetchall())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_folders_of_files(capsys: pytest.CaptureFixture[str], ending: str) -> None:
    build_folder(Path("omop"), *SIZE, ending)
    make_plan(capsys, "omop")
    done = mask(capsys, "out")
    assert done.status == 0, done.err
    if ending == "csv":
        assert complaints(of_csv("omop"), of_csv("out")) == []
        return
    import pyarrow.parquet as pq

    before, after = ({n: pq.read_table(f"{where}/{n}.parquet") for n in TABLES} for where in ("omop", "out"))
    assert {n: t.schema for n, t in before.items()} == {n: t.schema for n, t in after.items()}
    rows = [
        {n: [tuple(r.values()) for r in t.to_pylist()] for n, t in each.items()} for each in (before, after)
    ]
    assert complaints(*rows) == []


def test_a_run_that_is_killed_goes_on_and_writes_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    make_plan(capsys, "sqlite:///omop.db")
    assert mask(capsys, "sqlite:///whole.db").status == 0
    kill_and_go_on("sqlite:///out.db", n_kills=2, longest=2.0)
    assert of_sqlite("out.db") == of_sqlite("whole.db")


def kill_and_go_on(out: str, n_kills: int, longest: float) -> None:
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "tables",
        "mask",
        "plan.toml",
        "--out",
        out,
        "--rules",
        "only",
    ]
    command += ["--key-file", str(write_key(Path())), "--workers", "1", "-q"]
    draw = random.Random(n_kills)
    for _ in range(n_kills):
        process = subprocess.Popen(command, env=dict(os.environ))
        time.sleep(draw.uniform(0.2, longest))
        process.send_signal(signal.SIGKILL)
        done = any(Path().glob("*out*.deidlab")) and not any(Path().glob(".*out*.deidlab-run"))
        if process.wait() == 0 or done:
            return  # killed at the very end, or not at all
    subprocess.run(command, check=True)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_at_many_moments_postgresql_has_each_row_once(
    capsys: pytest.CaptureFixture[str], server: Server
) -> None:
    server.fresh_database()
    with server.connect() as connection:
        build_postgresql(connection, 40, 400)
    make_plan(capsys, server.url())
    assert mask(capsys, f"{server.url()}&schema=whole").status == 0
    for number in range(10):
        for left in Path().glob("clinic.out*"):
            shutil.rmtree(left)
        kill_and_go_on(f"{server.url()}&schema=out{number}", n_kills=5, longest=6.0)
        assert of_postgresql(server, f"out{number}") == of_postgresql(server, "whole")


def test_a_new_column_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), 3, 3)
    make_plan(capsys, "sqlite:///omop.db")
    with closing(sqlite3.connect("omop.db")) as db:
        db.execute("ALTER TABLE person ADD COLUMN nickname TEXT")
    done = mask(capsys, "sqlite:///out.db")
    assert done.status == 1
    assert "new columns: 1" in done.err
    assert not Path("out.db").exists()


def test_an_unclassified_column_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect("a.db")) as db, db:
        db.execute("CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, zzz TEXT)")
        db.execute("INSERT INTO patients VALUES (1, 'Quentin Sentinel')")
    said = deidlab(capsys, "tables", "plan", "sqlite:///a.db", "--json")
    assert json.loads(said.out)["unclassified"] == 1
    assert "Sentinel" not in said.out + said.err + Path("plan.toml").read_text()
    done = mask(capsys, "sqlite:///out.db")
    assert done.status == 1
    assert "unclassified columns in the plan: 1" in done.err
    assert not Path("out.db").exists()


def test_what_cannot_be_read_fails_alone_and_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    build_folder(Path("omop"), *SIZE)
    with Path("omop/death.csv").open("a") as file:
        file.write("7,2073-01-01,Quentin Sentinel\nQuentin Sentinel,2073-01-01\n")
    make_plan(capsys, "omop")
    text = Path("plan.toml").read_text()
    Path("plan.toml").write_text(
        text.replace(
            'person_id = { class = "patient-key", type = "text", of',
            'person_id = { class = "patient-key", type = "int4", of',
        )
    )
    done = mask(capsys, "out")
    assert done.status == 3
    assert "Sentinel" not in done.out + done.err
    assert "Sentinel" not in "".join(path.read_text() for path in Path("out").iterdir())
    record = json.loads(Path("out.deidlab/record.json").read_text())
    assert len(record["failures"]) == 2


def test_nothing_of_a_note_is_in_the_run_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    make_plan(capsys, "sqlite:///omop.db")
    kept: list[bytes] = []
    own = shutil.rmtree

    def look(path: Any, *more: Any, **given: Any) -> None:
        if str(path).endswith(".deidlab-run"):
            kept.extend(each.read_bytes() for each in Path(path).rglob("*") if each.is_file())
        own(path, *more, **given)

    monkeypatch.setattr(shutil, "rmtree", look)
    assert mask(capsys, "sqlite:///out.db").status == 0
    assert len(kept) > 2
    assert not any(family_name(n).encode() in data for data in kept for n in range(1, SIZE[0] + 1))


def test_two_runs_with_one_key_agree(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    make_plan(capsys, "sqlite:///omop.db")
    assert mask(capsys, "sqlite:///one.db").status == 0
    assert mask(capsys, "sqlite:///two.db").status == 0
    assert of_sqlite("one.db") == of_sqlite("two.db")
    assert mask(capsys, "sqlite:///two.db").status == 1, "what is there is not written over"


def test_safe_harbor_leaves_years(capsys: pytest.CaptureFixture[str]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    make_plan(capsys, "sqlite:///omop.db")
    # Codes that are drawn hold for this run alone: nobody named a key file to find them again with.
    command = ("tables", "mask", "plan.toml", "--out", "sqlite:///out.db", "--rules", "only")
    done = deidlab(capsys, *command, "--policy", "safe-harbor", "--workers", "1")
    assert done.status == 0, done.err
    before, after = of_sqlite("omop.db"), of_sqlite("out.db")
    starts = columns("visit_occurrence").index("visit_start_date")
    for old, new in zip(before["visit_occurrence"], after["visit_occurrence"], strict=True):
        assert new[starts] == f"{old[starts][:4]}-01-01"
    born = columns("person").index("year_of_birth")
    latest: dict[Any, str] = {}
    for row in after["visit_occurrence"]:
        latest[row[1]] = max(latest.get(row[1], ""), row[starts])
    ages = [int(latest[row[0]][:4]) - row[born] for row in after["person"]]
    assert max(ages) <= 91, "nobody's year of birth tells an age over 90"
    assert {row[born + 1] for row in after["person"]} == {None}
    assert {len(row[columns("location").index("zip")] or "000") for row in after["location"]} == {3}


def test_what_a_run_wrote_it_may_replace_and_a_table_of_which_all_is_dropped_is_not_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    build_folder(Path("omop"), 3, 3)
    text = make_plan(capsys, "omop")
    assert mask(capsys, "out").status == 0
    head, _, death = text.partition("[tables.death.columns]")
    death, _, rest = death.partition("[tables.")
    dropped = death.replace('class = "patient-key"', 'class = "drop"').replace(
        'class = "date"', 'class = "drop"'
    )
    Path("plan.toml").write_text(f"{head}[tables.death.columns]{dropped}[tables.{rest}")
    done = mask(capsys, "out", "--overwrite")
    assert done.status == 0, done.err
    assert sorted(path.stem for path in Path("out").iterdir()) == sorted(set(TABLES) - {"death"})
    assert mask(capsys, "sqlite:///out.db").status == 0
    Path("out/other.csv").write_text("not ours")
    assert mask(capsys, "out", "--overwrite").status == 1
    assert Path("out/other.csv").exists()


def test_the_tables_are_those_of_the_script() -> None:
    assert [name for name, _ in tables(2, 2)] == list(DDL)
