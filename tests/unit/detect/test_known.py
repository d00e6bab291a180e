"""A table of known identifiers: how it is read, and what it finds in whose notes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deidlab.detect import DetectorSettings, KnownTable, load_detector
from deidlab.detect.known import label_of_column
from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document

ROW = {
    "patient": "p1",
    "name": "Quillane Zorba",
    "dob": "1970-09-12",
    "phone": "206-555-0134",
    "mrn": "AB-4471920",
    "address": "19 Alder Court",
}


def found(text: str, patient: str = "p1", table: KnownTable | None = None) -> list[tuple[str, str, str]]:
    spans = (table or KnownTable.of([ROW])).find(Document(id="n", patient=patient, text=text))
    return [(text[span.start : span.end], span.label, span.source) for span in spans]


def test_exact_in_any_case_and_format() -> None:
    text = (
        "ZORBA, quillane, born 12 Sep 1970 or 9/12/70, tel (206) 555 0134, no ab 4471920, at 19 ALDER court"
    )
    assert {piece for piece, _, source in found(text) if source == "known"} >= {
        "ZORBA", "quillane", "12 Sep 1970", "9/12/70", "19 ALDER court", "(206) 555 0134", "ab 4471920",
    }  # fmt: skip


def test_near_matches_forgive_a_slip() -> None:
    assert found("Mr Zorbba") == [("Zorbba", "PATIENT", "known:near")]
    assert found("record AB4471921 x") == [("AB4471921", "MEDICALRECORD", "known:near")]


def test_only_the_patient_s_own_notes() -> None:
    assert found("Zorba", patient="p2") == []


def test_an_everyday_name_needs_its_capital() -> None:
    table = KnownTable.of([{"patient": "p1", "last": "Young"}])
    assert [piece for piece, _, _ in found("Young is young", table=table)] == ["Young"]


def test_the_column_decides_the_label() -> None:
    assert [label_of_column(name) for name in ("last_name", "DOB", "Home Phone", "zip", "gp", "employer", "x")] == [
        "PATIENT", "DATE", "PHONE", "ZIP", "DOCTOR", "ORGANIZATION", "OTHER",
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_every_format_reads_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"known.{suffix}"
    if suffix == "csv":
        path.write_text(",".join(ROW) + "\n" + ",".join(ROW.values()) + "\n")
    elif suffix == "jsonl":
        path.write_text(json.dumps(ROW) + "\n")
    else:
        pq.write_table(pa.Table.from_pylist([ROW]), path)
    assert KnownTable.read(path) == KnownTable.of([ROW])


def test_bad_tables_are_one_line_errors_without_their_content(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text("name\nZorba\n")
    with pytest.raises(ConfigError, match="no column 'patient'") as caught:
        KnownTable.read(path)
    assert "Zorba" not in str(caught.value)
    path.write_text("patient,name\n,Zorba\n")
    with pytest.raises(CorpusError, match="row 1 has no patient"):
        KnownTable.read(path)
    with pytest.raises(ConfigError, match="No such file"):
        KnownTable.read(tmp_path / "none.csv")
    with pytest.raises(ConfigError, match=r"\.csv"):
        KnownTable.read(tmp_path / "known.xlsx")
    (tmp_path / "bad.jsonl").write_text("{Zorba")
    with pytest.raises(ConfigError, match="line 1 is not JSON"):
        KnownTable.read(tmp_path / "bad.jsonl")


@pytest.mark.parametrize(
    "content",
    ["", "patient,name\n", "patient,name,age\np1,,\np2, ,44\n", "patient\np1\n", "patient,last\np1,Q\n"],
)
def test_a_table_without_identifiers_is_an_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "known.csv"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"known\.csv: no identifier in it"):
        KnownTable.read(path)


def test_known_names_reach_the_spans_and_never_the_repr() -> None:
    table = KnownTable.of([ROW])
    assert "Zorba" not in repr(table)
    detector = load_detector(None, DetectorSettings("only", known=table))
    spans = detector.detect([Document(id="n", patient="p1", text="zorba slept")])[0].spans
    assert [(span.start, span.end, span.label, span.score) for span in spans] == [(0, 5, "PATIENT", 1.0)]
