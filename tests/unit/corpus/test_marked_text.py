"""What is particular to each format when reading what others wrote: XML, inline and standoff."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.corpus import ReadReport, read_corpus, recognise_format
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
        (NOTES, "Patient 3\tNote 1\n1\t1\t2\n", r"a record of its \.phi or \.phrase file has no text"),
        (NOTES, "1\t1\t2\n", "line 1 comes before any"),
        (NOTES, "Patient 1\tNote 1\nx\n", "line 2 is not 'START START END'"),
        ("stray\n", "", "line 1 stands outside any record"),
        ("START_OF_RECORD=1||||1||||\nabc\n", "", "ends inside the record that begins on line 1"),
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
    with pytest.raises(CorpusError, match=r"line 2: a tag does not match|the tag on line 2 is never closed"):
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
