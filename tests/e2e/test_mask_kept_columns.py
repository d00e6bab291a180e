"""`--keep-column`: what looks like dates, names or numbers is told by count before anything is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deidlab.pipeline.keeping import kind_of
from tests.clinics import COLUMNS, Clinic
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, write_key

Capture = pytest.CaptureFixture[str]
ROW = {"seen": "2065-03-04", "nurse": "Mary Brown", "mrn": "00771293", "mail": "m.brown@clinic.example",
       "phone": "(617) 555-0143", "ward": "W3"}  # fmt: skip
KINDS = {"seen": "dates", "nurse": "names of people", "mrn": "long numbers", "mail": "e-mail addresses",
         "phone": "telephone numbers"}  # fmt: skip


def write(folder: Path, format: str) -> Path:
    path = folder / f"t.{format}"
    rows = [{"id": f"n{n}", "text": make_note(n).text, **ROW} for n in range(3)]
    if format == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif format == "csv":
        lines = [",".join(f'"{cell}"' for cell in row.values()) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines]).replace('.\n"', '."') + "\n")
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_kept_columns_that_look_like_phi_are_told(format: str, tmp_path: Path, capsys: Capture) -> None:
    source = write(tmp_path, format)
    keep = [word for column in ROW for word in ("--keep-column", column)]
    done = deidlab(capsys, "mask", source, "--out", tmp_path / f"out.{format}", "--rules", "only", "--key-file",
                   write_key(tmp_path), "-q", "--json", *keep)  # fmt: skip
    assert done.status == 0, done.err
    for column, kind in KINDS.items():
        said = f"column '{column}' is kept as it is, beside masked text: of its first 3 values 3 look like {kind}"
        assert f"warning: {said}\n" in done.err and said in json.loads(done.out)["warnings"]
    assert "'ward'" not in done.err
    assert not any(value in done.err for value in ROW.values())


def test_a_tables_kept_columns_are_told(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
    monkeypatch.chdir(tmp_path)
    clinic = Clinic("sqlite", tmp_path)
    clinic.fill(make_note(number) for number in range(9))
    done = deidlab(capsys, "mask", clinic.url("notes"), "--out", "out.jsonl", "--rules", "only", "--key-file",
                   write_key(tmp_path), "-q", *COLUMNS, "--keep-column", "seen", "--keep-column", "ward")  # fmt: skip
    assert done.status == 0
    assert (
        "column 'seen' is kept as it is, beside masked text: of its first 9 values 9 look like dates"
        in done.err
    )
    assert "'ward'" not in done.err and "2068" not in done.err


def test_a_streams_kept_fields_are_told(tmp_path: Path) -> None:
    source = write(tmp_path, "jsonl")
    command = [sys.executable, "-m", "deidlab", "mask", "-", "--from", "jsonl", "--out", "-", "--rules", "only", "-q",
               "--keep-column", "seen"]  # fmt: skip
    with source.open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=True)
    assert "of its first 3 values 3 look like dates" in done.stderr and len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    "value", ["ICU", "W3", "north", 12, 3.5, "3.50", "Discharge Summary", True, "", "0.123456789"]
)
def test_what_a_column_may_well_hold_is_not_told(value: object) -> None:
    assert kind_of(value) == ()


@pytest.mark.parametrize(
    ("value", "kind"),
    [("Dr. Okonjo", "names of people"), ("4 March 2065", "dates"), ("20650304", "dates"), ("2065-03-04T10:00", "dates"),
     ("Smith, John", "names of people"), (7712931, "long numbers"), (["03/04/2065"], "dates"),
     ("She was well when she was seen again on Monday", "text")],
)  # fmt: skip
def test_what_is_masked_in_text_is_told(value: object, kind: str) -> None:
    assert kind_of(value) == (kind,)
