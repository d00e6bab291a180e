"""RTF: names are found over runs, what stays keeps its bytes, and what nobody has classified is gone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from striprtf.striprtf import rtf_to_text

from deidlab.carriers import Refused, rtf_walk
from deidlab.carriers.rtf import RTF
from deidlab.carriers.tables import load_table
from deidlab.corpus.formats import recognise_format
from tests.unit.carriers import letter_runs
from tests.unit.carriers.letter_runs import check_refused, converted, runs_of

HEAD = rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset204 Arial;}{\f2\fnil\fcharset128 MS Mincho;}}\uc1\pard\f0 "
SEEN = rb"Seen by Dr. Zebulon Quillfeather on 3/14/2064. "
LEAKS = ("ZZTOP", "zztop", "Zebulon", "uillfeather", "Quill", "feather", "3/14", "7781254")

# Every destination and table that there is, with something in it that must not come out.
TEXTS = sorted(load_table("rtf")["destinations"]["text"].split())
REMOVED = sorted(name for names in load_table("rtf")["removed"].values() for name in names.split())


def rtf(*inside: bytes) -> bytes:
    return HEAD + b"".join(inside) + b"}"


def full() -> bytes:
    parts = [SEEN, rb"{\b Mr. Zebulon Quill}{\i\fs30 feather} slept.\par "]
    for name in TEXTS:
        parts.append(rb"{\%s Text of Mr. Zebulon Quillfeather.\par}" % name.encode())
        parts.append(rb"{\*\%s Seen by Dr. Quillfeather.}" % name.encode())
    for name in REMOVED:
        parts.append(rb"{\%s ZZTOP{\b ZZTOP}\'5aZTOP \u90 ?ZTOP}" % name.encode())
        parts.append(rb"{\*\%s ZZTOP{\zztop ZZTOP}}" % name.encode())
    parts += [
        rb"{\colortbl ;\red0\green0\blue255;ZZTOP}",
        rb"{\stylesheet{\s0 Normal;}{\s1\sbasedon0 ZZTOP;}{\*\cs10 ZZTOP;}{\*\zztop ZZTOP}{\s2 ZZTOP}}",
        rb"{\fonttbl{\f5\fswiss ZZTOP{\*\falt ZZTOP};}{\f6\froman Georgia;}\f7 ZZTOP;}",
        (rb"{\*\listtable{\list\listtemplateid7781254\listhybrid{\listlevel\levelnfc0{\leveltext\leveltemplateid7781254\'02\'00.;}"
        rb"{\levelnumbers\'01;}\fi-360}{\listlevel{\leveltext\'07 ZZTOP;}{\levelnumbers ZZTOP;}}{\listname ZZTOP;}\listid7781254}}"),
        rb"{\*\listoverridetable{\listoverride\listid7781254\listoverridecount0\ls1}}",
        rb'{\field{\*\fldinst HYPERLINK "mailto:ZZTOP@x.org"}{\fldrslt mail}}',
        rb"{\field{\*\fldinst { PAGE  \\* MERGEFORMAT }}{\fldrslt 3}}{\field{\*\fldinst DOCVARIABLE ZZTOP}{\fldrslt shown}}",
        rb"{\field{\*\fldinst {\field{\*\fldinst ZZTOP}{\fldrslt ZZTOP}}}{\fldrslt {\b inner}}}",
        rb"\zztop ZZTOPLESS".replace(b"ZZTOPLESS", b"after.") + rb"\fs7781254 \b0 {\*\unknown ZZTOP}",
        rb"{\deleted ZZ{\b TOP}}\deleted ZZTOP\deleted0\plain ",
        (rb"{\shp{\*\shpinst\shpleft100{\sp{\sn shapeType}{\sv 202}}{\sp{\sn wzName}{\sv ZZTOP}}{\sp{\sn lineColor}{\sv 255}}"
        rb"{\sp{\sn fillColor}{\sv 77812540}}{\sp{\sn zztop}{\sv 1}}{\shptxt Box of Mr. Zebulon Quillfeather.\par}}{\shprslt ZZTOP}}"),
        rb"{\*\atnid ZZTOP}{\*\atnauthor ZZTOP}\chatn{\*\annotation{\*\atndate 7781254}Mr. Zebulon Quillfeather.}",
        rb"{\bin6 ZZTOP }\bin5 ZZ}OP",
        rb"{\upr{ZZTOP}{\*\ud{ZZTOP}}}{\uc5 \u65 ZZTOP rest}",
    ]  # fmt: skip
    return rtf(*parts) + b"ZZTOP"


def unchanged(content: bytes) -> bytes:
    return RTF().put_together(content, runs_of(RTF(), content))


def masked(notes: Path, out: Path, *more: str) -> list[bytes]:
    return letter_runs.masked(notes, out, *more, ending="rtf")


def seen(content: bytes) -> str:
    """All that an independent reader shows, and all that stands in the bytes, words over groups joined too."""
    raw = content.decode("latin-1")
    plain = re.sub(r"\\'([0-9a-fA-F]{2})", lambda match: chr(int(match[1], 16)), raw)
    plain = re.sub(r"\\u(-?\d+) ?\??", lambda match: chr(int(match[1]) & 0xFFFF), plain)
    bare = re.sub(r"\\[a-zA-Z]+-?\d* ?|[{}\r\n]", "", plain)
    return "\n".join((raw, plain, bare, rtf_to_text(raw, errors="ignore")))


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor"])
def test_nothing_is_left_in_any_destination(style: str, policy: str, tmp_path: Path) -> None:
    (tmp_path / "Quillfeather.rtf").write_bytes(full())
    (out,) = masked(tmp_path / "Quillfeather.rtf", tmp_path / "out", "--style", style, "--policy", policy)
    assert not [word for word in LEAKS if word in seen(out)]
    for word in ("slept.", "mail", "shown", "inner", "after.", "Box of Mr. ", "rest"):
        assert word in rtf_to_text(out.decode("latin-1"), errors="ignore") or word in seen(out)


def test_what_looks_are_made_of_stays_byte_for_byte() -> None:
    plain = rtf(
        rb"\trowd\trgaph70\cellx4000\intbl Name\cell Well\row"
        b"\r\n"
        rb"{\b\fs28 Caf\'e9}\tab\u8364 ?\~\_\{x\}\line \emdash "
        rb"{\header\qc Clinic\par}{\footnote\chftn  note}{\*\listtable{\list{\listlevel\levelnfc23{\leveltext\'01\u-3913 ?;}{\levelnumbers;}}\listid1 }}"
        rb"{\field{\*\fldinst  PAGE }{\fldrslt 1}}{\colortbl;\red1\green2\blue3;}{\stylesheet{\s0 Normal;}}\par"
        b"\n",
    )  # fmt: skip
    assert unchanged(plain + b"\r\n\0") == plain + b"\r\n\0"
    assert unchanged(unchanged(full())) == unchanged(full())


def test_a_name_over_runs_is_one_and_stands_where_it_began(tmp_path: Path) -> None:
    body = rb"Mr. {\b Zebulon Quill}{\i fea}ther slept{\footnote Well.}. {\fs20\b}Done."
    (tmp_path / "a.rtf").write_bytes(rtf(body))
    (out,) = masked(tmp_path / "a.rtf", tmp_path / "out", "--style", "tag")
    assert out == rtf(
        rb"Mr. {\b [PATIENT-1]}{\i }{} slept{\footnote Well.}. {\fs20\b}Done.".replace(b"}{} ", b"} ")
    )


def test_text_that_comes_to_stand_behind_a_control_word_is_kept_apart() -> None:
    content = rtf(rb"\b\'51x\par{\b1}\i\u81 ?z")
    texts = runs_of(RTF(), content)
    assert texts == ["Q", "x", "Q", "z"]
    new = RTF().put_together(content, ["12", "", "é{\\}\n😀", "z"])
    assert rb"\b 12\par{\b1}\i\u233 ?\{\\\}\line \u-10179 ?\u-8704 ?z" in new
    assert RTF().put_together(new, runs_of(RTF(), new)) == new


def test_letters_are_read_by_code_page_and_by_number() -> None:
    body = rb"\'e9 \f1 \'cf\f0 \u8364 EUR\uc0\u8364 \uc2\u26085 \'93\'fa.\f2\'93\'fa\u-10179 ??\u-8704 ??{\uc1\u65}b"
    (piece,) = RTF().take_apart(rtf(body)).pieces
    assert piece.text == "é П€UR€日.日😀Ab"
    hidden = rtf(rb"\uc9 \u65 Quillfeat!\uc1 \u66 Q\u233 \'e9\u8211 -")
    assert b"Quill" not in unchanged(hidden) and rb"\u66 ?" in unchanged(hidden)
    assert rb"\u233 \'e9\u8211 -" in unchanged(hidden)


def test_the_cell_beside_tells_what_a_cell_holds() -> None:
    body = rb"\intbl Date of Birth:\cell 3 March\cell Ann\cell\row Name\cell\row Ann\par"
    pieces = RTF().take_apart(rtf(body)).pieces
    assert [(each.text, each.caption) for each in pieces] == [
        ("Date of Birth:", ""), ("3 March", "Date of Birth"), ("Ann", ""), ("Name", ""), ("Ann", ""),
    ]  # fmt: skip


def test_what_was_removed_is_counted() -> None:
    removed = RTF().take_apart(full()).removed
    kinds = (*load_table("rtf")["removed"], "links", "fields", "control words", "numbers", "unknown destinations",
             "binary data", "properties of shapes", "words in list labels", "data behind the end")  # fmt: skip
    for kind in kinds:
        assert removed[kind] >= 1, kind


def test_a_folder_is_masked_under_pseudonyms_and_patients_are_told_by_names(tmp_path: Path) -> None:
    notes = tmp_path / "letters"
    notes.mkdir()
    for name in ("77-1", "77-2", "78-1"):
        (notes / f"{name}.rtf").write_bytes(rtf(b"Mr. Zebulon Quillfeather came on 3/14/2064."))
    more = ("--style", "surrogate", "--patient-from", r"^(\d+)-")
    first, second, third = sorted(masked(notes, tmp_path / "out", *more), key=len)
    told = sorted([first, second, third])
    assert len(set(told)) == 2, "two letters of a patient say the same, that of another does not"


def test_it_is_recognised_by_its_name_and_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(rtf())
    (tmp_path / "nameless").write_bytes(rtf())
    assert {recognise_format(path).name for path in tmp_path.iterdir()} == {"rtf"}


def _bad() -> Iterator[tuple[str, bytes, str]]:
    yield "cut", full()[:900], "cut short"
    yield "open", rtf(b"{Quillfeather"), "cut short"
    yield "bin", rtf(rb"\bin999999999 Quillfeather"), "cut short"
    yield "text", b"Quillfeather", "does not begin"
    yield "empty", b"", "does not begin"
    yield "deep", rtf(b"{" * 600 + b"}" * 600), "nested more than"
    yield "page", rb"{\rtf1\ansi\ansicpg99999 Quillfeather}", "code page"
    yield "word", b"PK\x03\x04" + bytes(60), "does not begin"


@pytest.mark.parametrize(("content", "said"), [pytest.param(*each[1:], id=each[0]) for each in _bad()])
def test_what_cannot_be_read_safely_is_refused_in_one_line_and_leaves_nothing(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(RTF(), "rtf", (content, said), tmp_path, capsys)


def test_more_text_than_a_letter_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtf_walk, "MAX_CHARACTERS", 50)
    assert RTF().take_apart(rtf(b"x" * 50)).pieces
    with pytest.raises(Refused, match="characters of text"):
        RTF().take_apart(rtf(b"x" * 51))


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("soffice") is None, reason="LibreOffice is not installed: no other program opens RTF"
)
def test_another_program_opens_it_and_reads_the_masked_text(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(full())
    masked(tmp_path / "a.rtf", tmp_path / "out", "--style", "tag")
    (written,) = (tmp_path / "out").glob("*.rtf")
    text = converted(written, "txt:Text", tmp_path).read_text("utf-8-sig")
    assert "[PATIENT-1] slept." in text
    assert not [word for word in LEAKS if word in text]
