"""What is particular to each format when reading what others wrote: columns, lines and tables."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from deidlab.corpus import ReadReport, ReadSettings, read_corpus
from deidlab.corpus.raw import BadDocument, RawDocument
from deidlab.corpus.reading import read_raw
from deidlab.errors import CorpusError
from deidlab.types import Document


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def spans(document: Document) -> list[tuple[str, str]]:
    return [(span.label, document.text[span.start : span.end]) for span in document.spans]


# --- CoNLL ----------------------------------------------------------------------------------------------


def test_conll_2003_style(tmp_path: Path) -> None:
    write(
        tmp_path / "a.conll",
        "-DOCSTART- -X- -X- O\n\nDr. NNP O\nIlse NNP B-DOCTOR\nBrandt NNP I-DOCTOR\n\n3/14 CD I-DATE\n"
        "-DOCSTART- -X- -X- O\n\nok UH O\n",
    )
    first, second = read_corpus(tmp_path)
    assert first.text == "Dr. Ilse Brandt\n3/14"
    assert spans(first) == [("DOCTOR", "Ilse Brandt"), ("DATE", "3/14")]
    assert (first.id, second.id, second.text) == ("a-1", "a-2", "ok")


@pytest.mark.parametrize("begin,inside,last,unit", [("B", "I", "L", "U"), ("B", "I", "E", "S")])
def test_bilou_and_bioes(begin: str, inside: str, last: str, unit: str, tmp_path: Path) -> None:
    rows = [
        ("a", f"{begin}-X"),
        ("b", f"{inside}-X"),
        ("c", f"{last}-X"),
        ("d", f"{unit}-X"),
        ("e", f"{unit}-X"),
    ]
    write(tmp_path / "a.bio", "".join(f"{word}\t{tag}\n" for word, tag in rows))
    (document,) = read_corpus(tmp_path)
    assert spans(document) == [("X", "a b c"), ("X", "d"), ("X", "e")]


def test_conll_without_a_tag_column(tmp_path: Path) -> None:
    write(tmp_path / "a.conll", "word O\nalone\n")
    with pytest.raises(CorpusError, match="line 2 has no tag column"):
        list(read_corpus(tmp_path))
    write(tmp_path / "a.conll", "word NN\n")
    with pytest.raises(CorpusError, match="neither O nor PREFIX-LABEL"):
        list(read_corpus(tmp_path))


# --- JSONL ----------------------------------------------------------------------------------------------


def test_jsonl_needs_text_alone_and_keeps_other_keys(tmp_path: Path) -> None:
    write(tmp_path / "notes.jsonl", '{"text": "a b", "specialty": "Allergy"}\n\n{"id": 7, "text": "c"}\n')
    first, second = read_corpus(tmp_path)
    assert (first.id, first.meta) == ("notes-1", {"specialty": "Allergy"})
    assert second.id == "7"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": ', "line 1 is not JSON"),
        (b"[1]", "line 1 is not a JSON object"),
        (b'{"id": "a"}', "line 1 has no 'text'"),
        (b'{"text": "a", "spans": [{"start": 0}]}', "line 1: 'spans' must be objects"),
        (b'{"text": "a", "spans": [{"start": 0.5, "end": 1, "label": "X"}]}', "line 1: 'spans' must be"),
        (
            b'{"text": "a", "spans": [{"start": 0, "end": 3, "label": "X"}]}',
            "outside the text of 1 characters",
        ),
        (b'{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X", "text": "b"}]}', "quoted text"),
        (
            b'{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X", "score": 7}]}',
            "the score is not a number from 0 to 1",
        ),
        (b'{"text": "a", "meta": 3}', "'meta' must be an object"),
        (b'{"text": "\\ud800"}', "half of a UTF-16 pair at offset 0"),
        (b'{"text": "\xff"}', "line 1, byte 10 is not utf-8"),
        (b'{"text": "a\x00"}', "line 1 has a NUL at byte 11"),
        (b"[" * 100_000, "line 1 is not JSON"),
    ],
)
def test_jsonl_problems_are_named_by_line(line: bytes, message: str, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", line + b"\n")
    with pytest.raises(CorpusError, match=message):
        list(read_corpus(tmp_path))


# --- tables ---------------------------------------------------------------------------------------------


def test_csv_columns_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", '\ufeffnote,key,mrn,site\n"line 1\r\nline ""2""",n1,p9,north\n')
    settings = ReadSettings(text_columns=("note",), id_column="key", patient_column="mrn")
    (document,) = read_corpus(path, settings=settings)
    assert (document.id, document.patient, document.meta) == ("n1", "p9", {"site": "north"})
    assert document.text == 'line 1\r\nline "2"'


@pytest.mark.parametrize(
    ("table", "settings", "message"),
    [
        ("note\nx\n", ReadSettings(), r"no column 'text' \(--text-column\) in its one column; is the row"),
        ("text\nx\n", ReadSettings(id_column="key"), r"no column 'key' \(--id-column\)"),
        ("text,b\nx\n", ReadSettings(), r"row 1 \(line 2\) has 1 cells, not 2"),
        ("", ReadSettings(), "the file is empty"),
        ('text\n"never closed\n', ReadSettings(), "a quote is never closed"),
        ("text,id\nx,\n", ReadSettings(), "has no id in column 'id'"),
        ("text,spans\nx,[3]\n", ReadSettings(), "'spans' must be objects"),
        ("text,spans\nx,{oops\n", ReadSettings(), "must be as DeidLab writes them"),
        ("text\nx\0\n", ReadSettings(), "has a NUL"),
    ],
)
def test_csv_problems_are_named(table: str, settings: ReadSettings, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", table)
    with pytest.raises(CorpusError, match=message):
        list(read_corpus(path, settings=settings))


def test_parquet_of_others(tmp_path: Path) -> None:
    import datetime

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"id": [7, 8], "text": ["a", None], "day": [datetime.date(2026, 1, 2)] * 2})
    pq.write_table(table, tmp_path / "t.parquet")
    report = ReadReport()
    (document,) = read_corpus(tmp_path, report=report, keep_going=True)
    assert (document.id, document.meta) == ("7", {"day": "2026-01-02"})
    assert "row 2 has no 'text'" in str(report.bad[0])
    write(tmp_path / "t.parquet", "not parquet")
    with pytest.raises(CorpusError, match="is not a Parquet file"):
        list(read_corpus(tmp_path))


def i2b2(text: str, tags: str = "", root: str = "deIdi2b2") -> str:
    return f"<?xml version='1.0'?><{root}><TEXT><![CDATA[{text}]]></TEXT><TAGS>{tags}</TAGS></{root}>"


# --- recognising ----------------------------------------------------------------------------------------


def test_a_mixed_folder_must_be_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", i2b2("x"))
    write(tmp_path / "b" / "b.jsonl", '{"text": "y"}\n')
    with pytest.raises(CorpusError, match=r"several formats \(1 i2b2, 1 jsonl\); say which with --from"):
        list(read_corpus(tmp_path))
    assert [d.text for d in read_corpus(tmp_path, "jsonl")] == ["y"]


def test_hidden_files_and_strangers_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x")
    write(tmp_path / ".b.txt", "y")
    write(tmp_path / "README.md", "z")
    write(tmp_path / ".git" / "c.txt", "y")
    assert [d.id for d in read_corpus(tmp_path)] == ["a"]


def test_aliases_name_the_same_format(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", i2b2("x"))
    for name in ("i2b2", "i2b2-2014", "n2c2-2016", "meddocan"):
        assert len(list(read_corpus(tmp_path, name))) == 1


def test_text_in_another_encoding(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "Muñoz".encode("latin-1"))
    with pytest.raises(CorpusError, match="byte 2 is not utf-8; name the right one with --encoding"):
        list(read_corpus(tmp_path))
    (document,) = read_corpus(tmp_path, settings=ReadSettings(encoding="latin-1"))
    assert document.text == "Muñoz"
    with pytest.raises(CorpusError, match="unknown encoding"):
        list(read_corpus(tmp_path, settings=ReadSettings(encoding="klingon")))


def test_a_row_of_names_that_is_missing_shows_nothing_of_the_note(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "7,Zebulon Quillfeather was seen,x\n8,again,y\n")
    with pytest.raises(
        CorpusError, match=r"among its 3 columns; is the row with the columns' names"
    ) as raised:
        list(read_corpus(path))
    assert "Quillfeather" not in str(raised.value)


def test_columns_of_the_same_name_that_nobody_reads_are_left_out_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id,text,w,w,v\n1,x,a,b,c\n")
    report = ReadReport()
    (document,) = read_corpus(path, report=report)
    assert document.meta == {"v": "c"}
    assert report.skipped == {"cells of columns that have the same name": 1}


def table(tmp_path: Path, **columns: object) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def reasons(path: Path) -> list[str]:
    return [raw.reason if isinstance(raw, BadDocument) else "" for raw in read_raw(path)]


@pytest.mark.parametrize(
    "cell",
    [b"Zebulon", 7, 1.5, float("nan"), None, True, ["Zebulon"], {"a": "Zebulon"}, datetime.date(2065, 1, 2)],
)
def test_parquet_cells_that_are_no_text_fail_their_row(cell: object, tmp_path: Path) -> None:
    assert reasons(table(tmp_path, text=[cell])) == ["row 1 has no 'text' that is a string"]


@pytest.mark.parametrize("column", ["id", "patient"])
def test_parquet_ids_that_cannot_be_written(column: str, tmp_path: Path) -> None:
    for cell in (b"Zebulon", ["Zebulon"], {"a": "Zebulon"}):
        (reason,) = reasons(table(tmp_path, text=["x"], **{column: [cell]}))
        assert reason == f"row 1: the {column} in column '{column}' is neither text nor a number"
    (found,) = read_raw(table(tmp_path, text=["x"], patient=[float("nan")]))
    assert isinstance(found, RawDocument) and found.patient == ""
    assert reasons(table(tmp_path, text=["x"], id=[float("nan")])) == ["row 1 has no id in column 'id'"]


def test_parquet_bytes_in_other_columns_are_left_out_and_counted(tmp_path: Path) -> None:
    path = table(tmp_path, text=["x"], scan=[b"\xff"], seen=[[datetime.date(2065, 1, 2)]], deep=[{"a": b"z"}])
    report = ReadReport()
    (document,) = read_corpus(path, report=report)
    assert document.meta == {"scan": None, "seen": ["2065-01-02"], "deep": {"a": None}}
    assert report.skipped == {"cells of bytes": 2}


def test_parquet_text_that_is_not_utf8_costs_its_row_alone(tmp_path: Path) -> None:
    import pyarrow as pa

    cells = [b"a", b"b", b"Zebulon \xff", b"d", b"e"]
    spoilt = pa.array(cells, pa.binary()).view(pa.string())
    assert reasons(table(tmp_path, text=spoilt)) == ["", "", "row 3 has a value that cannot be read", "", ""]


def test_conll_columns_of_thousands_of_digits_are_no_offsets(tmp_path: Path) -> None:
    path = write(tmp_path / "a.conll", f"word\t{'9' * 5000}\t{'9' * 5000}\tO\n")
    assert [document.text for document in read_corpus(path)] == ["word"]


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deidlab.corpus.formats.csv.MAX_NOTE_CHARACTERS", 2**20)
    path = write(tmp_path / "a.csv", "text\n" + "x" * (2**20 + 1))
    with pytest.raises(CorpusError, match="line 2 is longer than 1 Mi characters"):
        list(read_corpus(path))
