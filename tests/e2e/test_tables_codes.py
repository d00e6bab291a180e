"""Codes of tables that are drawn: of each key's type, alike everywhere, the same a year later, whatever is killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Outcome, deidlab
from tests.e2e.test_tables import SIZE, build_postgresql, build_sqlite, complaints, of_postgresql, of_sqlite
from tests.postgres import PASSWORD, Server, running_server
from tests.unit.pipeline.notes import write_key

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")

DDL = """
CREATE TABLE wards (ward_id SMALLINT PRIMARY KEY, doctor_name TEXT);
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, mrn VARCHAR(8) UNIQUE NOT NULL, ref UUID UNIQUE,
                       last_name TEXT, badge CHAR(6));
CREATE TABLE visits (visit_id BIGINT PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients (patient_id),
                     ward_id SMALLINT REFERENCES wards (ward_id), admitted DATE NOT NULL);
CREATE TABLE letters (letter_id VARCHAR(40) PRIMARY KEY, visit_id BIGINT NOT NULL REFERENCES visits (visit_id),
                      patient_ref UUID REFERENCES patients (ref), body TEXT)
"""
TABLES = {"wards": 1, "patients": 1, "visits": 1, "letters": 1}
KEYS = {
    "wards.ward_id": "ward", "patients.patient_id": "patient", "patients.mrn": "mrn", "patients.ref": "ref",
    "patients.badge": "badge",
    "visits.visit_id": "visit", "visits.patient_id": "patient", "visits.ward_id": "ward",
    "letters.letter_id": "letter", "letters.visit_id": "visit", "letters.patient_ref": "ref",
}  # fmt: skip
DECIDED = (
    ("patients", "badge", "key", 6),
    ("patients", "ref", "key", 0),
    ("letters", "patient_ref", "key", 0),
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(autouse=True)
def sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[str, ...]:
    """A crosswalk, as options."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    key = ("--key-file", str(write_key(Path())))
    assert deidlab(capsys, "crosswalk", "new", "study.xwalk", *key).status == 0
    return (*key, "--crosswalk", "study.xwalk")


def plan(capsys: pytest.CaptureFixture[str], source: str) -> None:
    done = deidlab(capsys, "tables", "plan", source, "--out", "plan.toml", "--overwrite")
    assert done.status == 0, done.err


def decide(*decided: tuple[str, str, str, int]) -> None:
    """Classes that only a person who knows the site can tell."""
    text = Path("plan.toml").read_text()
    for table, column, kind, width in decided:
        head, found, rest = text.partition(f"[tables.{table}.columns]")
        assert found
        text = (
            head
            + found
            + re.sub(
                rf'^({column} = {{ class = )"[a-z-]+"',
                rf'\1"{kind}"{f", width = {width}" if width else ""}',
                rest,
                count=1,
                flags=re.MULTILINE,
            )
        )
    Path("plan.toml").write_text(text)


def mask(capsys: pytest.CaptureFixture[str], out: str, *more: str, workers: int = 1) -> Outcome:
    options = ("--rules", "only", "--workers", str(workers), *more)
    return deidlab(capsys, "tables", "mask", "plan.toml", "--out", out, *options)


def clinic(n_patients: int) -> dict[str, list[tuple[Any, ...]]]:
    """An invented clinic; one with more patients has all of those of one with fewer, elsewhere among them."""
    chosen = sorted(range(n_patients), key=lambda n: (n * 7919) % 997)
    wards = [(n, f"Dr. Orvath{'abcde'[n % 5]}nik") for n in range(1, 6)]
    patients = [
        (1000 + n, f"M{n:05}X", f"00000000-0000-4000-8000-{n:012}", f"Quillfeather{n}", f"B{n:05}")
        for n in chosen
    ]
    visits = [
        (5_000_000_000 + 3 * n + k, 1000 + n, 1 + (n + k) % 5, f"2064-0{k + 1}-1{n % 9}")
        for n in chosen
        for k in range(2)
    ]
    letters = [
        (
            f"L-{n}-{k}",
            5_000_000_000 + 3 * n + k,
            patients[chosen.index(n)][2],
            f"MRN: M{n:05}X. Well on 2064-0{k + 1}-1{n % 9}.",
        )
        for n in chosen
        for k in range(2)
    ]
    return {"wards": wards, "patients": patients, "visits": visits, "letters": letters}


def fill(server: Server, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    server.fresh_database()
    with server.connect() as connection:
        for statement in DDL.split(";"):
            connection.execute(statement)
        for name, found in rows.items():
            marks = ", ".join(["%s"] * len(found[0]))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", found)


def read(server: Server, schema: str) -> dict[str, list[tuple[Any, ...]]]:
    with server.connect() as connection:
        return {name: connection.execute(f"SELECT * FROM {schema}.{name}").fetchall() for name in TABLES}


def columns(server: Server, schema: str) -> list[tuple[Any, ...]]:
    asked = (
        "SELECT table_name, column_name, data_type, character_maximum_length FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name <> 'deidlab_runs' ORDER BY 1, 2"
    )
    with server.connect() as connection:
        return connection.execute(asked, (schema,)).fetchall()


def codes_of(
    server: Server, before: dict[str, list[tuple[Any, ...]]], after: dict[str, list[tuple[Any, ...]]]
) -> dict[str, dict[Any, Any]]:
    """What became of each key, by what it is a key of; one that became two things is found here."""
    with server.connect() as connection:
        names = {
            name: [each.name for each in connection.execute(f"SELECT * FROM {name} LIMIT 0").description]
            for name in TABLES
        }
    found: dict[str, dict[Any, Any]] = {}
    for column, space in KEYS.items():
        table, _, own = column.partition(".")
        place, known = names[table].index(own), found.setdefault(space, {})
        for old, new in zip(before[table], after[table], strict=True):
            assert known.setdefault(str(old[place]), new[place]) == new[place], column
    for space, known in found.items():
        assert len(set(known.values())) == len(known), space
        assert not {str(code) for code in known.values()} & set(known), space
    return found


def test_a_year_later_all_keys_are_what_they_were_and_new_ones_are_new(
    capsys: pytest.CaptureFixture[str], server: Server, sealed: tuple[str, ...]
) -> None:
    found = []
    for year, n_patients in (("one", 40), ("two", 70)):
        rows = clinic(n_patients)
        fill(server, rows)
        if year == "one":
            plan(capsys, server.url())
            decide(*DECIDED)
        done = mask(capsys, f"{server.url()}&schema={year}", "--policy", "safe-harbor", *sealed)
        assert done.status == 0, done.err
        after = read(server, year)
        found.append(codes_of(server, rows, after))
        assert columns(server, year) == columns(server, "public"), "types and widths are those of the source"
        mrns = {str(row[2]): row[1] for row in after["patients"]}
        assert all(f"MRN: {mrns[str(row[2])]}." in row[3] for row in after["letters"]), "texts have the code"
        names = {row[0]: row[1] for row in after["wards"]}
        assert "Orvath" not in str(names)
        found[-1]["names"] = {
            str(old[0]): names[new[0]] for old, new in zip(rows["wards"], after["wards"], strict=True)
        }
        with server.connect() as connection:
            # A code that no foreign key could hold would be no constraint.
            kept = connection.execute(
                "SELECT count(*) FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace "
                "WHERE nspname = %s AND contype IN ('p', 'f', 'u')", (year,)
            ).fetchone()  # fmt: skip
            assert kept is not None and kept[0] >= 4 + 4 + 2
    one, two = found
    for space, codes in one.items():
        assert {key: two[space][key] for key in codes} == codes, space
    assert len(two["patient"]) == 70 and len(two["mrn"]) == 70
    check = deidlab(capsys, "crosswalk", "check", "study.xwalk", *sealed[:2], "--json")
    n_keys = 5 + 4 * 70 + 2 * 140
    # Wards lead to no patient: each has a secret of its own, from which its doctor's new name follows.
    assert json.loads(check.out)["codes"] == {"patient": 70 + 5, "document": 0, "key": n_keys}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_joins_dates_texts_and_findings_hold(
    kind: str, capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    if kind == "sqlite":
        build_sqlite(Path("omop.db"), *SIZE)
        plan(capsys, "sqlite:///omop.db")
        assert mask(capsys, "sqlite:///out.db", *sealed, workers=2).status == 0
        assert complaints(of_sqlite("omop.db"), of_sqlite("out.db")) == []
        # Who works changes nothing, and what was drawn is found again.
        assert mask(capsys, "sqlite:///two.db", *sealed).status == 0
        assert of_sqlite("out.db") == of_sqlite("two.db")
        record = json.loads(Path("out.db.deidlab/record.json").read_text())["settings"]
        assert record["codes"] == "random" and len(record["crosswalk"]) == 32
        return
    server: Server = request.getfixturevalue("server")
    server.fresh_database()
    with server.connect() as connection:
        build_postgresql(connection, *SIZE)
    plan(capsys, server.url())
    assert mask(capsys, f"{server.url()}&schema=shared", *sealed).status == 0
    assert complaints(of_postgresql(server), of_postgresql(server, "shared")) == []


def test_a_crosswalk_is_asked_for_where_somebody_counts_on_it(
    capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...]
) -> None:
    build_sqlite(Path("omop.db"), 3, 3)
    plan(capsys, "sqlite:///omop.db")
    harbor = ("--policy", "safe-harbor", *sealed[:2])
    refused = mask(capsys, "sqlite:///out.db", *harbor)
    assert refused.status == 1 and "164.514(c)(1)" in refused.err and "crosswalk new" in refused.err
    refused = mask(capsys, "sqlite:///out.db", *harbor, "--codes", "keyed")
    assert refused.status == 1 and "--accept-derived-codes" in refused.err
    assert not Path("out.db").exists()
    assert mask(capsys, "sqlite:///out.db", *harbor, "--codes", "keyed", "--accept-derived-codes").status == 0


def test_two_tables_of_one_name_elsewhere_have_codes_that_cannot_be_joined(
    capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...]
) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    plan(capsys, "sqlite:///omop.db")
    assert deidlab(capsys, "crosswalk", "new", "other.xwalk", *sealed[:2]).status == 0
    assert mask(capsys, "sqlite:///one.db", *sealed).status == 0
    assert mask(capsys, "sqlite:///two.db", *sealed[:2], "--crosswalk", "other.xwalk").status == 0
    one, two = of_sqlite("one.db"), of_sqlite("two.db")
    assert not {row[0] for row in one["person"]} & {row[0] for row in two["person"]}


def command(out: str, sealed: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "deidlab", "tables", "mask", "plan.toml", "--out", out, "--rules", "only",
            "--workers", "1", "-q", *sealed]  # fmt: skip


@pytest.mark.parametrize("n_kills", [3, pytest.param(25, marks=pytest.mark.slow)])
def test_killed_at_any_moment_it_goes_on_with_what_was_drawn(
    n_kills: int, capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...]
) -> None:
    build_sqlite(Path("omop.db"), 60, 400)
    plan(capsys, "sqlite:///omop.db")
    draw, kept = random.Random(n_kills), (deidlab, capsys, "crosswalk", "check", "study.xwalk", *sealed[:2])
    drawn, killed = -1, 0
    for _ in range(n_kills):
        process = subprocess.Popen(command("sqlite:///out.db", sealed), env=dict(os.environ))
        time.sleep(draw.uniform(0.6, 4.0))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        killed += 1
        found = kept[0](*kept[1:], "--json")
        n_drawn = sum(json.loads(found.out)["codes"].values())
        assert found.status == 0 and n_drawn >= drawn, "the crosswalk is whole, and nothing is lost"
        drawn = n_drawn
    assert killed
    if not Path("out.db").exists():
        subprocess.run(command("sqlite:///out.db", sealed), check=True)
    assert complaints(of_sqlite("omop.db"), of_sqlite("out.db")) == []
    subprocess.run(command("sqlite:///again.db", sealed), check=True)
    assert of_sqlite("again.db") == of_sqlite("out.db"), "one code for a key, whenever it was drawn"


def test_runs_at_once_agree(capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...]) -> None:
    build_sqlite(Path("omop.db"), *SIZE)
    plan(capsys, "sqlite:///omop.db")
    runs = [subprocess.Popen(command(f"sqlite:///{name}.db", sealed)) for name in ("a", "b")]
    assert [run.wait() for run in runs] == [0, 0]
    assert of_sqlite("a.db") == of_sqlite("b.db")


def test_keys_of_another_type_than_they_were_stop_the_run(
    capsys: pytest.CaptureFixture[str], sealed: tuple[str, ...]
) -> None:
    build_sqlite(Path("omop.db"), 3, 3)
    plan(capsys, "sqlite:///omop.db")
    assert mask(capsys, "sqlite:///one.db", *sealed).status == 0
    text = Path("plan.toml").read_text()
    Path("plan.toml").write_text(re.sub(r'(class = "key", type = )"int8"', r'\1"text"', text))
    done = mask(capsys, "sqlite:///two.db", *sealed)
    assert done.status == 1 and "another type" in done.err and not Path("two.db").exists()
