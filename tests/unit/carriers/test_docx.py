"""Word documents: names are found over runs, what is known stays as it looks, and nothing else comes out."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deidlab.carriers import Refused, xml_text
from deidlab.carriers.beginnings import is_docx
from deidlab.carriers.docx import Docx
from deidlab.corpus.formats import recognise_format
from tests.containers import DERIVED
from tests.unit.carriers import letter_runs
from tests.unit.carriers.letter_runs import check_refused, converted, runs_of
from tests.unit.carriers.letters import (
    W,
    field,
    full_letter,
    letter,
    packed,
    paragraph,
    part,
    relations,
    text_box,
    unpacked,
)
from tests.unit.carriers.masking import unchanged

TEXT = f"{{{W}}}t"
LEAKS = (
    "ZZTOP",
    "zztop",
    "Zebulon",
    "uillfeather",
    "Quill",
    "feather",
    "Harkness",
    "4/2064",
    "2064-",
    "03/1",
    "555-0142",
)


def _masked(notes: Path, out: Path, *more: str, code: int = 0) -> list[bytes]:
    return letter_runs.masked(notes, out, *more, ending="docx", code=code)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "Quillfeather.docx").write_bytes(full_letter())
    return folder


def _runs(content: bytes, name: str = "word/document.xml") -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(unpacked(content)[name]).iter(TEXT)]


def _unchanged(content: bytes) -> bytes:
    """Taken apart and put together again with its own texts."""
    return Docx().put_together(content, runs_of(Docx(), content))


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor"])
def test_nothing_is_left_in_any_part_or_attribute(
    style: str, policy: str, notes: Path, tmp_path: Path
) -> None:
    (out,) = _masked(notes, tmp_path / "out", "--style", style, "--policy", policy)
    for name, data in unpacked(out).items():
        # Without tags, so that a word over two runs would be seen too.
        seen = f"{name} {data.decode('latin-1')} {re.sub('<[^>]*>', '', data.decode('latin-1'))}"
        assert not [word for word in LEAKS if word in seen], name
    assert not [word for word in LEAKS if word in out.decode("latin-1")]
    shown = "".join(_runs(out))
    assert (
        "Discharge letter" in shown and " slept." in shown and " from home." in shown and " chose." in shown
    )
    assert shown.count("Box of Mr. ") == 2


def test_what_the_document_looks_like_stays(notes: Path, tmp_path: Path) -> None:
    (out,) = _masked(notes, tmp_path / "out", "--style", "tag", "--policy", "safe-harbor")
    parts = unpacked(out)
    assert set(parts) == {
        "[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels", "word/_rels/header1.xml.rels",
        "word/document.xml", "word/styles.xml", "word/theme.xml", "word/numbering.xml", "word/settings.xml",
        "word/header1.xml", "word/footer1.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml",
        "word/media/blank.png",
    }  # fmt: skip
    body, styles = parts["word/document.xml"].decode(), parts["word/styles.xml"].decode()
    assert '<wp:extent cx="990000" cy="792000"/>' in body and parts["word/media/blank.png"].startswith(
        b"\x89PNG"
    )
    assert '<w:pgSz w:w="11906" w:h="16838"/>' in body and "<w:instrText> PAGE </w:instrText>" in body
    assert 'w:color w:val="1F3763"' in styles and 'w:name w:val="Normal"' in styles
    style = re.search(r'w:pStyle w:val="(\w+)"', body)
    assert style is not None and f'w:customStyle="1" w:styleId="{style[1]}"' in styles.replace(
        f'w:styleId="{style[1]}" w:customStyle="1"', f'w:customStyle="1" w:styleId="{style[1]}"'
    )
    assert 'w:author="Author"' in parts["word/comments.xml"].decode()


def test_every_relationship_leads_to_a_part_and_every_part_has_a_type(notes: Path, tmp_path: Path) -> None:
    (out,) = _masked(notes, tmp_path / "out")
    parts = unpacked(out)
    types = parts["[Content_Types].xml"].decode()
    for name, data in parts.items():
        ending = name.rpartition(".")[2]
        assert f'PartName="/{name}"' in types or f'Extension="{ending}"' in types
        if not name.endswith(".rels"):
            continue
        source = name.replace("_rels/", "").removesuffix(".rels")
        found = {each.get("Id"): each.get("Target", "") for each in ElementTree.fromstring(data)}
        folder = source.rpartition("/")[0]
        assert all(f"{folder}/{target}".lstrip("/") in parts for target in found.values())
        if source:
            used = set(re.findall(r'r:(?:id|embed)="([^"]*)"', parts[source].decode()))
            assert used <= set(found)


def test_a_name_over_runs_is_found_and_stands_in_the_run_where_it_began(tmp_path: Path) -> None:
    runs = (
        "Mr. Zebulon Quill",
        "fea",
        "ther slept. ",
        "Quillfeather",
        " woke; seen by Dr. Tom",
        " Harkness, who left.",
    )
    (tmp_path / "a.docx").write_bytes(letter(paragraph(*runs)))
    (out,) = _masked(tmp_path / "a.docx", tmp_path / "out", "--style", "tag")
    assert _runs(out) == [
        "Mr. [PATIENT-1]",
        "",
        " slept. ",
        "[PATIENT-1]",
        " woke; seen by Dr. [DOCTOR-1]",
        ", who left.",
    ]
    assert unpacked(out)["word/document.xml"].decode().count("<w:b/>") == 6


def test_tabs_and_breaks_are_text_and_go_where_a_name_runs_over_them() -> None:
    content = letter(paragraph("<w:r><w:t>Ann</w:t><w:tab/><w:t>Smith</w:t><w:br/><w:t>went</w:t></w:r>"))
    (piece,) = Docx().take_apart(content).pieces
    assert (piece.text, piece.cuts) == ("Ann\tSmith\nwent", (3, 4, 9, 10))
    new = unpacked(Docx().put_together(content, ["X", "", "", "\n", "went"]))["word/document.xml"].decode()
    assert "<w:tab/>" not in new and "<w:br/>" in new and ">X<" in new and "Smith" not in new


def test_the_cell_beside_or_above_tells_what_a_cell_holds_and_never_comes_out() -> None:
    rows = (("Date of Birth:", "3 March"), ("Zebulon", "Ann")), (("Date", "Doctor"), ("1", "Ann"))
    body = "".join(f"<w:tbl>{''.join(map(_row, table))}</w:tbl>" for table in rows)
    pieces = Docx().take_apart(letter(body)).pieces
    assert [(each.text, each.caption) for each in pieces] == [
        ("Date of Birth:", ""), ("3 March", "Date of Birth"), ("Zebulon", ""), ("Ann", ""),
        ("Date", ""), ("Doctor", ""), ("1", "Date"), ("Ann", "Doctor"),
    ]  # fmt: skip
    assert _runs(unchanged(Docx(), letter(body)))[:2] == ["Date of Birth:", "3 March"]


def _row(cells: tuple[str, ...]) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{paragraph(each)}</w:tc>' for each in cells)}</w:tr>"


def test_what_was_removed_is_counted() -> None:
    removed = Docx().take_apart(full_letter()).removed
    for kind in ("elements", "attributes", "parts", "relationships", "pictures", "links", "fields", "form controls",
                 "tracked changes", "embedded objects"):  # fmt: skip
        assert removed[kind] >= 1, kind


def test_what_was_written_is_not_changed_by_going_through_again(notes: Path, tmp_path: Path) -> None:
    once = unchanged(Docx(), full_letter())
    assert unchanged(Docx(), once) == once
    first, second = (_masked(notes, tmp_path / name) for name in ("one", "two"))
    assert first == second and len(first) == 1


def test_a_folder_of_letters_is_masked_under_pseudonyms_and_a_bad_one_is_listed(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        content = letter(paragraph(f"Mr. Zebulon Quillfeather {number}."))
        (notes / f"Quillfeather {number}.docx").write_bytes(content)
    (notes / "broken.docx").write_bytes(full_letter()[:900])
    out = tmp_path / "out"
    assert len(_masked(notes, out, code=3)) == 4
    assert not any("uill" in path.name for path in out.rglob("*"))
    assert "not a whole zip file" in capsys.readouterr().err


def test_a_run_over_letters_that_was_killed_goes_on(notes: Path, tmp_path: Path) -> None:
    for number in range(400):
        content = letter(paragraph(f"Mr. Zebulon Quillfeather had {number} tablets."))
        (notes / f"{number}.docx").write_bytes(content)
    whole = _masked(notes, tmp_path / "whole")
    out, parts = tmp_path / "out", tmp_path / ".out.deidlab-run" / "parts"
    command = [sys.executable, "-m", "deidlab", "mask", str(notes), "--out", str(out), "--rules", "only"]
    process = subprocess.Popen(
        [*command, "--key-file", str(tmp_path / "key"), *DERIVED, "--workers", "1"], stderr=subprocess.DEVNULL
    )
    while not list(parts.glob("*.part")):
        assert process.poll() is None, "the run was over before it could be killed"
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert not out.exists()
    assert _masked(notes, out, "--workers", "1") == whole and len(whole) == 401


def test_a_letter_is_recognised_by_its_name_and_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(letter(""))
    (tmp_path / "nameless").write_bytes(letter(""))
    assert (
        recognise_format(tmp_path / "a.docx").name == recognise_format(tmp_path / "nameless").name == "docx"
    )
    assert not is_docx(b"PK\x03\x04 something else")


def _deep() -> bytes:
    return letter("<w:ins>" * 200 + "</w:ins>" * 200)


def _bomb() -> bytes:
    return letter("", {"word/x.xml": bytes(64 << 20)})


def _doubled() -> bytes:
    content = letter("", {"word/one.xml": b"1", "word/two.xml": b"2"})
    return content.replace(b"word/two.xml", b"word/ONE.xml")


def _encrypted() -> bytes:
    content = bytearray(letter(""))
    start = content.index(b"PK\x01\x02")
    content[start + 8] |= 1
    return bytes(content)


def _damaged() -> bytes:
    content = letter(paragraph("Quillfeather"))
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        at = whole.getinfo("word/document.xml").header_offset
    return content[: at + 60] + b"\0\0\0\0" + content[at + 64 :]


def _bad() -> Iterator[tuple[str, bytes, str]]:
    yield "old", b"\xd0\xcf\x11\xe0" + bytes(600), "encrypted, or of an older Word"
    yield "cut", full_letter()[:-100], "not a whole zip"
    yield "text", b"Quillfeather", "not a whole zip"
    yield "empty", b"", "not a whole zip"
    yield "other", packed({"a.txt": b"Quillfeather"}), "no main document"
    yield "bomb", _bomb(), "too much for its size"
    yield "many", packed({f"{number}": b"" for number in range(5000)}), "more than 4096 parts"
    yield "twice", _doubled(), "the same name"
    yield "away", letter("", {"../../etc/Quillfeather": b""}), "leads out"
    yield "root", letter("", {"/etc/Quillfeather": b""}), "leads out"
    yield "locked", _encrypted(), "encrypted"
    yield "damaged", _damaged(), "damaged"
    yield "deep", _deep(), "nested more than"
    entity = b'<!DOCTYPE w [<!ENTITY q SYSTEM "file:///etc/passwd">]><w>&q;</w>'
    yield "entity", letter("", {"word/document.xml": entity}), "entities"
    yield "unclosed", letter("", {"word/document.xml": b"<w:document>"}), "well-formed"
    yield "sheet", letter("", {"word/document.xml": part("w:styles", "")}), "no Word document"
    lost = relations(("a", "header", "gone.xml"))
    yield "lost", letter("", {"word/_rels/document.xml.rels": lost}), "missing"
    wrong = {
        "word/_rels/document.xml.rels": relations(("a", "header", "h.xml")),
        "word/h.xml": part("w:styles", ""),
    }
    yield "wrong", letter("", wrong), "not of the kind"


@pytest.mark.parametrize(("content", "said"), [pytest.param(*each[1:], id=each[0]) for each in _bad()])
def test_what_cannot_be_read_safely_is_refused_in_one_line_and_leaves_nothing(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(Docx(), "docx", (content, said), tmp_path, capsys)


def test_a_part_of_too_much_xml_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_text, "MAX_BYTES", 5000)
    assert Docx().take_apart(letter(paragraph("x" * 100))).pieces
    with pytest.raises(Refused, match="MiB of XML"):
        Docx().take_apart(letter(paragraph("x" * 6000)))


def test_names_and_numbers_of_the_standard_cannot_carry_anything() -> None:
    body = (
        '<w:p><w:pPr><w:jc w:val="center"/><w:numPr><w:numId w:val="7781254"/></w:numPr><w:spacing w:after="123456789"/>'
        '</w:pPr><w:r><w:rPr><w:rFonts w:ascii="Arial" w:cs="Quillfeather"/><w:lang w:val="en-US" w:quill="en-US"/>'
        '<w:color w:val="Quillfeather"/></w:rPr><w:t w:quill="1">one</w:t></w:r></w:p>'
    )
    out = unpacked(unchanged(Docx(), letter(body)))["word/document.xml"].decode()
    assert "uill" not in out and "7781254" not in out and "123456789" not in out
    assert '<w:jc w:val="center"/>' in out and 'w:ascii="Arial"' in out and '<w:lang w:val="en-US"/>' in out


def test_an_element_without_the_value_that_it_needs_goes_whole() -> None:
    body = '<w:p><w:pPr><w:jc w:val="Quill"/><w:jc w:val="end"/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>'
    out = unpacked(unchanged(Docx(), letter(body)))["word/document.xml"].decode()
    assert out.count("<w:jc ") == 1 and '<w:jc w:val="end"/>' in out


def test_text_at_places_where_there_is_none_is_gone() -> None:
    body = f"<w:t>odd</w:t>{paragraph('two', '<w:r><w:rPr><w:t>three</w:t></w:rPr>four</w:r>')}five"
    out = unpacked(unchanged(Docx(), letter(body)))["word/document.xml"].decode()
    assert "two" in out and not any(word in out for word in ("odd", "three", "four", "five"))


def test_fields_that_do_not_end_or_hold_more_leave_no_code() -> None:
    runs = (
        field(" IF x = Quill", field(" PAGE ", "2")),
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>Quill</w:instrText></w:r>',
        "<w:r><w:instrText> PAGE Quill</w:instrText></w:r>",
    )
    out = unpacked(unchanged(Docx(), letter(paragraph(*runs))))["word/document.xml"].decode()
    assert "Quill" not in out and "IF" not in out and out.count("fldChar ") == 3


def test_boxes_are_told_by_the_way_that_is_known() -> None:
    old = text_box("Inside").replace('Requires="wps"', 'Requires="wpc"')
    out = unpacked(unchanged(Docx(), letter(f"<w:p>{old}</w:p>")))["word/document.xml"].decode()
    assert "<v:rect" in out and "AlternateContent" not in out and out.count(">Inside<") == 1


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_another_program_opens_it_and_reads_the_masked_text(notes: Path, tmp_path: Path) -> None:
    _masked(notes, tmp_path / "out", "--style", "tag")
    (written,) = (tmp_path / "out").glob("*.docx")
    text = converted(written, "txt:Text", tmp_path).read_text("utf-8-sig")
    assert "Seen: Mr. [PATIENT-1], who came on [DATE" in text and "slept." in text
    assert not [word for word in LEAKS if word in text]
