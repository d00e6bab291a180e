"""Several columns of a row, masked together, each in its own place: a row is a container of fields and texts."""

from __future__ import annotations

import csv
import datetime
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import write_key

Capture = pytest.CaptureFixture[str]
ROWS: list[dict[str, Any]] = [
    {"id": "1", "patient": "p1", "name": "Grace Okafor", "dob": "1971-05-02", "admitted": "2064-03-14 08:15:00",
     "age": 93, "zip": "03601", "mrn": "00771293", "visit": "V9", "sex": "f",
     "summary": "Ms. Okafor, MRN 00771293, seen 3/14/2064.", "plan": "Okafor returns 3/28/2064 to Dr. Mary Jones."},
    {"id": "2", "patient": "p1", "name": "", "dob": None, "admitted": "2064-04-14 08:15:00", "age": 44,
     "zip": None, "mrn": "", "visit": "V9", "sex": "f", "summary": None, "plan": "Seen by Dr. Mary Jones."},
]  # fmt: skip
OPTIONS = [
    *("--text-column", "summary", "--text-column", "plan", "--name-column", "name", "--date-column", "dob"),
    *("--date-column", "admitted", "--age-column", "age", "--zip-column", "zip", "--number-column", "mrn"),
    *("--link-column", "visit", "--keep-column", "sex"),
]
SECRETS = ("Okafor", "Grace", "00771293", "2064-03-14", "3/14/2064", "3/28/2064", "Jones", "V9", "1971-05")


def write(folder: Path, ending: str) -> str:
    if ending == "csv":
        with (folder / "t.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ROWS[0])
            writer.writeheader()
            writer.writerows(ROWS)
    elif ending == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows = [{**row, "admitted": datetime.datetime.fromisoformat(row["admitted"])} for row in ROWS]
        pq.write_table(pa.Table.from_pylist(rows), folder / "t.parquet")
    else:
        with sqlite3.connect(folder / "t.sqlite") as db:
            db.execute(f"CREATE TABLE t ({', '.join(f'{name} TEXT' for name in ROWS[0])}, PRIMARY KEY (id))")
            marks = ", ".join("?" * len(ROWS[0]))
            db.executemany(f"INSERT INTO t VALUES ({marks})", [tuple(row.values()) for row in ROWS])
        return f"sqlite:///{folder / 't.sqlite'}?table=t"
    return str(folder / f"t.{ending}")


def masked(capsys: Capture, folder: Path, ending: str, *more: str) -> list[dict[str, Any]]:
    if ending == "sqlite":
        pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
    out = f"sqlite:///{folder / 'out.sqlite'}?table=t" if ending == "sqlite" else folder / f"out.{ending}"
    key = write_key(folder)
    done = deidlab(capsys, "mask", write(folder, ending), "--out", out, "--rules", "only", "--key-file", key,
                   "-q", *OPTIONS, *more)  # fmt: skip
    assert done.status == 0, done.err
    if ending == "csv":
        with (folder / "out.csv").open(newline="") as file:
            return list(csv.DictReader(file))
    if ending == "parquet":
        import pyarrow.parquet as pq

        return list(pq.read_table(folder / "out.parquet").to_pylist())
    with sqlite3.connect(folder / "out.sqlite") as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute("SELECT * FROM t ORDER BY admitted")]


@pytest.mark.parametrize("ending", ["csv", "parquet", "sqlite"])
def test_every_column_of_a_row_is_masked_in_its_place(ending: str, capsys: Capture, tmp_path: Path) -> None:
    one, two = masked(capsys, tmp_path, ending, "--style", "surrogate")
    assert not [secret for secret in SECRETS if secret in json.dumps([one, two], default=str)]
    family = one["name"].split()[-1]
    assert family in one["summary"] and family in one["plan"] and one["mrn"] in one["summary"]
    assert one["visit"] == two["visit"] and one["patient"] == two["patient"]
    first, second = (datetime.datetime.fromisoformat(row["admitted"]) for row in (one, two))
    assert (second - first).days == 31 and first.weekday() == 4
    assert f"{first.month}/{first.day}/{first.year}" in one["summary"]
    back = first + datetime.timedelta(days=14)
    assert f"{back.month}/{back.day}/{back.year}" in one["plan"]
    assert one["plan"].split("Dr. ")[1] == two["plan"].split("Dr. ")[1]
    assert (str(one["age"]), str(two["age"]), one["sex"]) == ("90", "44", "f")
    assert not two["summary"] and not two["name"] and not two["zip"]


def test_typed_columns_follow_the_policy(capsys: Capture, tmp_path: Path) -> None:
    one, two = masked(capsys, tmp_path, "csv", "--policy", "safe-harbor", "--codes", "keyed",
                      "--accept-derived-codes")  # fmt: skip
    assert (one["age"], one["zip"], one["admitted"], one["name"]) == ("90+", "000", "2064", "[PATIENT-1]")
    # The year of birth of somebody over 89 would tell the age.
    assert one["dob"] == "[DATE-1]" and two["age"] == "44"


def test_columns_go_into_a_table_alone(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = deidlab(capsys, "mask", write(tmp_path, "csv"), "--out", out, "--rules", "only", "-q", *OPTIONS)
    assert done.status == 1 and "into a table" in done.err and not out.exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_audit_looks_at_every_column_again(ending: str, capsys: Capture, tmp_path: Path) -> None:
    masked(capsys, tmp_path, ending)
    report = tmp_path / "audit.json"
    done = deidlab(capsys, "audit", tmp_path / f"out.{ending}", "--report", report)
    assert done.status == 0, done.err
    answer = json.loads(report.read_text())
    assert answer["run"]["settings"]["masked_columns"]["plan"] == "text" and answer["second"]["found"] == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--name-column", "mrn"), "named twice"),
        (("--keep-column", "mrn"), "cannot be kept"),
        (("--date-column", "discharged"), "no column 'discharged' (--date-column)"),
        (("--keep-map", "m.map"), "--keep-map"),
        (("--spans", "t.csv"), "--spans"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    more: tuple[str, str], says: str, capsys: Capture, tmp_path: Path
) -> None:
    source, out = write(tmp_path, "csv"), tmp_path / "out.csv"
    done = deidlab(capsys, "mask", source, "--out", out, "--rules", "only", *OPTIONS, *more)
    assert done.status == 2 and says in done.err and not out.exists()


def test_columns_are_for_tables(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_text("Well.")
    done = deidlab(capsys, "mask", tmp_path / "n.txt", "--out", tmp_path / "o.txt", "--age-column", "age")
    assert done.status == 2 and "--age-column is for tables" in done.err


def test_a_cell_that_is_no_text_fails_alone(capsys: Capture, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": "a", "text": "Well.", "seen": [1, 2]}, {"id": "b", "text": "Well.", "seen": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    out = tmp_path / "o.parquet"
    done = deidlab(capsys, "mask", tmp_path / "t.parquet", "--out", out, "--rules", "only", "--date-column",
                   "seen", "-q")  # fmt: skip
    assert done.status == 3 and "holds bytes, a list or a NUL" in done.err
    assert pq.read_table(out).num_rows == 1
