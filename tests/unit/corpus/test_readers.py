"""What is particular to each format when reading what others wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.corpus import ReadReport, ReadSettings, read_corpus, recognise_format
from deidlab.errors import CorpusError
from deidlab.types import Document, Span


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def spans(document: Document) -> list[tuple[str, str]]:
    return [(span.label, document.text[span.start : span.end]) for span in document.spans]


# --- i2b2 ---------------------------------------------------------------------------------------------


def i2b2(text: str, tags: str = "", root: str = "deIdi2b2") -> str:
    return f"<?xml version='1.0'?><{root}><TEXT><![CDATA[{text}]]></TEXT><TAGS>{tags}</TAGS></{root}>"


TAG = '<NAME id="P0" start="4" end="10" text="Brandt" TYPE="DOCTOR" comment=""/>'


@pytest.mark.parametrize("root", ["deIdi2b2", "MEDDOCAN", "whatever"])
def test_i2b2_takes_any_root(root: str, tmp_path: Path) -> None:
    write(tmp_path / "a.xml", i2b2("Dr. Brandt", TAG, root))
    (document,) = read_corpus(tmp_path)
    assert spans(document) == [("DOCTOR", "Brandt")]


@pytest.mark.parametrize(
    ("name", "patient"),
    [("220-03", "220"), ("S0004-0614-1", "S0004-0614-1"), ("220-03-1", "220-03-1"), ("7", "7")],
)
def test_i2b2_patient_comes_from_digits_dash_digits_alone(name: str, patient: str, tmp_path: Path) -> None:
    write(tmp_path / f"{name}.xml", i2b2("x"))
    (document,) = read_corpus(tmp_path)
    assert (document.id, document.patient) == (name, patient)


def test_i2b2_skips_and_counts_medical_tags(tmp_path: Path) -> None:
    medical = (
        '<MEDICATION id="DOC1" time="before DCT" type1="insulin"><MEDICATION id="M0" start="0" end="3" '
        'text="Dr."/></MEDICATION><CAD id="DOC2" time="after DCT" indicator="mention"/>'
    )
    write(tmp_path / "a.xml", i2b2("Dr. Brandt", TAG + medical))
    report = ReadReport()
    (document,) = read_corpus(tmp_path, report=report)
    assert len(document.spans) == 1
    assert report.skipped == {"medical tags": 2}


def test_i2b2_line_break_in_an_attribute_is_no_mismatch(tmp_path: Path) -> None:
    tag = '<NAME id="P0" start="0" end="9" text="Anna\nLind" TYPE="PATIENT"/>'
    write(tmp_path / "a.xml", i2b2("Anna\nLind", tag))
    (document,) = read_corpus(tmp_path)
    assert spans(document) == [("PATIENT", "Anna\nLind")]


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        (
            TAG.replace("Brandt", "Smithe"),
            "document a 4–10: the quoted text is not what stands at these offsets",
        ),
        (TAG.replace('end="10"', 'end="11"'), "outside the text of 10 characters"),
        (TAG.replace('end="10"', 'end="4"'), "the span is empty or reversed"),
        (TAG.replace('start="4"', 'start="four"'), "tag 1 has no start and end in whole numbers"),
        (TAG.replace('TYPE="DOCTOR"', ""), "the annotation has no type"),
    ],
)
def test_i2b2_offsets_that_do_not_match_are_refused_by_place(tag: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.xml", i2b2("Dr. Brandt", tag))
    with pytest.raises(CorpusError, match=message) as caught:
        list(read_corpus(path))
    assert str(path) in str(caught.value)
    assert "Brandt" not in str(caught.value)
    assert "Smithe" not in str(caught.value)


def test_i2b2_writes_what_the_challenges_program_reads(tmp_path: Path) -> None:
    from deidlab.corpus import write_corpus

    note = Document("d", text='a\r\nb ]]> "q"', spans=(Span(0, 4, "PATIENT"), Span(9, 12, "CALLE")))
    write_corpus([note], tmp_path / "out", "i2b2")
    page = (tmp_path / "out" / "d.xml").read_text("utf-8")
    assert "<![CDATA[a]]>&#13;<![CDATA[\nb ]]]]><![CDATA[> " in page
    assert '<NAME id="P0" start="0" end="4" text="a&#13;&#10;b" TYPE="PATIENT" comment="" />' in page
    assert '<LOCATION id="P1" start="9" end="12" text="&quot;q&quot;" TYPE="CALLE"' in page


@pytest.mark.parametrize("code", ["\x01", "\x0b", "\ufffe", "\x00"])
def test_i2b2_refuses_what_xml_forbids_by_offset(code: str, tmp_path: Path) -> None:
    from deidlab.corpus import write_corpus

    with pytest.raises(CorpusError, match=rf"offset 3 \(U\+{ord(code):04X}\)"):
        write_corpus([Document("d", text=f"abc{code}")], tmp_path / "out", "i2b2")


# --- i2b2 2006 ------------------------------------------------------------------------------------------

RECORDS = """<?xml version="1.0" encoding="UTF-8"?>
<ROOT>
<RECORD ID="7"><TEXT>Seen by <PHI TYPE="DOCTOR">Brandt</PHI> &amp; <PHI TYPE="DATE">3/14</PHI></TEXT></RECORD>
<RECORD ID="8"><TEXT>Nothing.</TEXT></RECORD>
</ROOT>
"""


def test_i2b2_2006_records(tmp_path: Path) -> None:
    path = write(tmp_path / "all.xml", RECORDS)
    assert recognise_format(path).name == "i2b2-2006"
    first, second = read_corpus(path)
    assert first.text == "Seen by Brandt & 3/14"
    assert spans(first) == [("DOCTOR", "Brandt"), ("DATE", "3/14")]
    assert (second.id, second.patient, second.spans) == ("8", "8", ())


def test_i2b2_2006_names_the_record_that_is_wrong(tmp_path: Path) -> None:
    path = write(tmp_path / "all.xml", RECORDS.replace("Nothing.", "<B>bold</B>"))
    with pytest.raises(CorpusError, match="record 2 has marks other than PHI"):
        list(read_corpus(path))
    report = ReadReport()
    assert [d.id for d in read_corpus(path, report=report, keep_going=True)] == ["7"]
    assert len(report.bad) == 1


# --- PhysioNet ------------------------------------------------------------------------------------------

NOTES = "\nSTART_OF_RECORD=1||||1||||\nSeen by Brandt\non 3/14\n||||END_OF_RECORD\n\nSTART_OF_RECORD=1||||2||||\nok\n||||END_OF_RECORD\n"


def test_physionet_places_without_types(tmp_path: Path) -> None:
    write(tmp_path / "id.text", NOTES)
    write(tmp_path / "id.phi", "Patient 1\tNote 1\n8\t8\t14\n18\t18\t22\nPatient 1\tNote 2\n")
    first, second = read_corpus(tmp_path)
    assert (first.id, first.patient) == ("1-1", "1")
    assert spans(first) == [("PHI", "Brandt"), ("PHI", "3/14")]
    assert (second.id, second.text, second.spans) == ("1-2", "ok\n", ())


def test_physionet_types_come_from_the_phrases(tmp_path: Path) -> None:
    write(tmp_path / "id.text", NOTES)
    write(tmp_path / "id.phi", "Patient 1\tNote 1\n8\t8\t14\n")
    write(tmp_path / "id-phi.phrase", "1 1 8 14 HCPName Brandt\n1 1 18 22 Date 3/14\n")
    first, _ = read_corpus(tmp_path)
    assert spans(first) == [("HCPName", "Brandt"), ("Date", "3/14")]


@pytest.mark.parametrize(
    ("notes", "phi", "message"),
    [
        (NOTES, "Patient 3\tNote 1\n1\t1\t2\n", "patient 3, note 1 has places but no text"),
        (NOTES, "1\t1\t2\n", "line 1 comes before any"),
        (NOTES, "Patient 1\tNote 1\nx\n", "line 2 is not 'START START END'"),
        ("stray\n", "", "line 1 stands outside any record"),
        ("START_OF_RECORD=1||||1||||\nabc\n", "", "ends inside the record of patient 1, note 1"),
    ],
)
def test_physionet_problems_are_named(notes: str, phi: str, message: str, tmp_path: Path) -> None:
    write(tmp_path / "id.text", notes)
    write(tmp_path / "id.phi", phi)
    with pytest.raises(CorpusError, match=message):
        list(read_corpus(tmp_path))


# --- inline ---------------------------------------------------------------------------------------------


def test_inline_tags(tmp_path: Path) -> None:
    write(tmp_path / "a.tagged.txt", "BP <120, <DOCTOR>Brandt</DOCTOR> <b>")
    (document,) = read_corpus(tmp_path)
    assert document.id == "a"
    assert document.text == "BP <120, Brandt <b>"
    assert spans(document) == [("DOCTOR", "Brandt")]


@pytest.mark.parametrize(
    "text", ["x\n<DATE>3/14", "x\n3/14</DATE>", "x\n<DATE><AGE>3</AGE></DATE>", "\n<DATE>3</AGE>"]
)
def test_inline_tags_that_do_not_match_are_refused(text: str, tmp_path: Path) -> None:
    write(tmp_path / "a.tagged.txt", text)
    with pytest.raises(CorpusError, match=r"line 2: <|is never closed"):
        list(read_corpus(tmp_path))


# --- brat -----------------------------------------------------------------------------------------------


def test_brat_fragments_and_what_is_skipped(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "Anna and Bert Lind\nat home")
    write(
        tmp_path / "a.ann",
        "T1\tPATIENT 0 4;14 18\tAnna Lind\nT2\tPATIENT 9 18\tBert Lind\nR1\tFamily Arg1:T1 Arg2:T2\n"
        "A1\tNegated T1\n#1\tAnnotatorNotes T1\tsee above\nT3\tOTHER 14 21\tLind at\n*\tAlias T1 T2\n",
    )
    report = ReadReport()
    (document,) = read_corpus(tmp_path, report=report)
    assert spans(document) == [
        ("PATIENT", "Anna"),
        ("PATIENT", "Bert Lind"),
        ("PATIENT", "Lind"),
        ("OTHER", "Lind\nat"),
    ]
    assert report.skipped == {"relations": 2, "attributes": 1, "notes": 1, "joins of discontinuous spans": 1}


def test_brat_writes_a_line_break_as_a_space_in_one_fragment(tmp_path: Path) -> None:
    from deidlab.corpus import write_corpus

    write_corpus([Document("d", text="Anna\nLind", spans=(Span(0, 9, "PATIENT"),))], tmp_path / "out", "brat")
    assert (tmp_path / "out" / "d.ann").read_bytes() == b"T1\tPATIENT 0 9\tAnna Lind\n"


@pytest.mark.parametrize(
    ("ann", "message"),
    [
        ("T1\tDATE 0\t3\n", "line 1 is not 'T"),
        ("T1\tDATE 0 4\t3/15\n", "document a 0–4: the quoted text is not"),
        ("hello\n", "line 1 is not a brat annotation"),
        ("T1\tDATE 0 9\tx\n", "outside the text of 4 characters"),
    ],
)
def test_brat_problems_are_named(ann: str, message: str, tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "3/14")
    write(tmp_path / "a.ann", ann)
    with pytest.raises(CorpusError, match=message):
        list(read_corpus(tmp_path))


def test_brat_needs_both_files(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x")
    write(tmp_path / "b.ann", "")
    write(tmp_path / "c.txt", "y")
    write(tmp_path / "c.ann", "")
    report = ReadReport()
    assert [d.id for d in read_corpus(tmp_path, "brat", report=report, keep_going=True)] == ["c"]
    assert [str(bad.path.name) for bad in report.bad] == ["a.txt", "b.ann"]


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
        (b'{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X", "score": 7}]}', "score outside"),
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
    settings = ReadSettings(text_column="note", id_column="key", patient_column="mrn")
    (document,) = read_corpus(path, settings=settings)
    assert (document.id, document.patient, document.meta) == ("n1", "p9", {"site": "north"})
    assert document.text == 'line 1\r\nline "2"'


@pytest.mark.parametrize(
    ("table", "settings", "message"),
    [
        ("note\nx\n", ReadSettings(), r"no column 'text' \(--text-column\); there are: note"),
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
