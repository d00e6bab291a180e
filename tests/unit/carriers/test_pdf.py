"""PDF: glyphs go and are not covered, what stays keeps its place, and nothing else comes out."""

from __future__ import annotations

import io
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name

from deidlab.carriers import Refused, pdf_content, pdf_file, pdf_write
from deidlab.carriers.pdf import PDF
from deidlab.carriers.pdf_standard import standard_width
from deidlab.corpus.formats import recognise_format
from tests.unit.carriers import letter_runs
from tests.unit.carriers.letter_runs import check_refused, converted, runs_of
from tests.unit.carriers.letters import full_letter
from tests.unit.carriers.pdfs import (
    LEAKS,
    all_of,
    form,
    full,
    glyphs_of,
    helvetica,
    image,
    looks,
    pdf,
    read,
    saved,
    text,
    texts_of,
    type3_font,
    wide_font,
)

SEEN = "Mr. Zebulon Quillfeather came on 3/14/2064."


def masked(notes: Path, out: Path, *more: str, ending: str = "pdf") -> list[bytes]:
    return letter_runs.masked(notes, out, *more, ending=ending)


def replaced(content: bytes, old: str, new: str) -> bytes:
    """The file with every place of a text masked by hand."""
    runs = runs_of(PDF(), content)
    whole, starts = "".join(runs), []
    for each in runs:
        starts.append((starts[-1][1] if starts else 0, (starts[-1][1] if starts else 0) + len(each)))
    at = whole.find(old)
    assert at >= 0
    while at >= 0:
        inside = [n for n, (start, end) in enumerate(starts) if start < at + len(old) and end > at]
        for n in inside:
            runs[n] = new if n == inside[0] else ""
        at = whole.find(old, at + 1)
    return PDF().put_together(content, runs)


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor"])
def test_nothing_is_left_in_any_place(style: str, policy: str, tmp_path: Path) -> None:
    content = full(SEEN)
    assert [word for word in ("ZZTOP", "Quill", "earlier version") if word in all_of(content)]
    (tmp_path / "Quillfeather.pdf").write_bytes(content)
    (out,) = masked(tmp_path / "Quillfeather.pdf", tmp_path / "out", "--style", style, "--policy", policy)
    whole = all_of(out)
    assert not [word for word in LEAKS if word in whole]
    one, two = read(out)
    assert "He slept well." in one and "Well." in one and "éA" in one and two.startswith("Page two. Mr. ")
    assert (
        one.count("Field: Mr. ") == 1
        and one.count("Inner: Mr. ") == one.count("Outer: Mr. ") == 2
        and one.count("Wide: Mr. ") == 1
    )
    if style == "tag":
        assert one.count("[PATIENT-1]") == 7 and "[PATIENT-1] came on " in two


def test_only_what_is_known_comes_out(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(replaced(full(SEEN), "Quillfeather", "X"))) as new:
        assert set(new.Root.keys()) == {"/Type", "/Pages"}
        assert set(new.pages[0].obj.keys()) <= {"/Type", "/Parent", "/MediaBox", "/Contents", "/Resources"}
        assert set(new.trailer.keys()) <= {"/Root", "/Size", "/ID"}
        kinds = {str(each.get("/Subtype")) for each in new.objects if isinstance(each, pikepdf.Stream)}
        assert "/Image" not in kinds


def test_what_stays_looks_as_it_did(tmp_path: Path) -> None:
    content = pdf(
        text("Caf\xe9 slept (well).".replace("(", "\\(").replace(")", "\\)"))
        + b" 1 0 0 rg 72 600 80 30 re f 0 0 1 RG 3 w 72 500 m 300 500 l S BT /F2 20 Tf 0.9 0.1 -0.1 0.9 80 300 Tm 3 Tc 120 Tz <"
        + glyphs_of("Turned Wide").hex().encode()
        + b"> Tj ET",
        Font={"F2": wide_font()},
    )
    same = PDF().put_together(content, runs_of(PDF(), content))
    assert looks(same).tobytes() == looks(content).tobytes()
    assert PDF().put_together(same, runs_of(PDF(), same)) == PDF().put_together(
        content, runs_of(PDF(), content)
    )
    gone = looks(replaced(content, "Turned", "")).tobytes()
    top = slice(0, 400 * 350)
    assert gone[top] == looks(content).tobytes()[top] and gone != looks(content).tobytes()


def _boxes(content: bytes, word: str) -> list[tuple[float, ...]]:
    """Where pdfium sees a word."""
    page = pypdfium2.PdfDocument(content)[0].get_textpage()
    found = page.search(word)
    boxes = []
    while (at := found.get_next()) is not None:
        boxes.append((*page.get_charbox(at[0])[:2], *page.get_charbox(at[0] + at[1] - 1)[2:]))
    return boxes


@pytest.mark.parametrize(
    "new", ["", "I", "[PATIENT-1]", "A name that is far longer than the one that it stands for"]
)
def test_what_follows_stays_in_its_place_and_the_new_text_fits(new: str) -> None:
    ways = (
        b"BT /F1 12 Tf 72 700 Td (Mr. Quillfeather went on.) Tj ET",
        b"BT /F1 12 Tf 72 700 Td [(Mr. Qui) -20 (llfeat) 30 (her) -278 (went on.)] TJ ET",
        b"BT /F1 12 Tf 0.5 Tc 2 Tw 90 Tz 72 700 Td (Mr. Quillfeather went on.) Tj ET",
        b"BT /F1 1 Tf 12 0 0 12 72 700 Tm 14 TL (Before.) Tj (Mr. Quillfeather) ' 1 0 (went on.) \" ET",
    )
    for way in ways:
        content = pdf(way)
        out = replaced(content, "Quillfeather", new)
        (stays,), (stood,) = _boxes(out, "went on."), _boxes(content, "went on.")
        assert stays == pytest.approx(stood, abs=0.2)
        assert "Quill" not in all_of(out)
        if new:
            (old_box,), (new_box,) = _boxes(content, "Quillfeather"), _boxes(out, new)
            assert new_box[0] >= old_box[0] - 1 and new_box[2] <= old_box[2] + 1


def test_a_name_is_one_however_it_is_drawn() -> None:
    at = [
        72 + 12 * sum(standard_width("Helvetica", each) for each in "Quillfeather"[:n]) / 1000
        for n in range(12)
    ]
    placed = [b"1 0 0 1 %.2f 700 Tm (%c) Tj" % each for each in zip(at, b"Quillfeather", strict=True)]
    ways = (
        b"BT /F1 12 Tf 72 700 Td (Quill) Tj (feather) Tj ET",
        b"BT /F1 12 Tf 72 700 Td (Quill) Tj ET BT /F1 12 Tf 97.35 700 Td (feather) Tj ET",
        b"BT /F1 12 Tf 97.35 700 Td (feather) Tj ET BT /F1 12 Tf 72 700 Td (Quill) Tj ET",
        b"BT /F1 12 Tf " + b" ".join(placed) + b" ET",
        b"BT /F1 12 Tf " + b" ".join(reversed(placed)) + b" ET",
        b"BT /F1 12 Tf 72 700 Td (Quillfeather) Tj ET BT /F1 12 Tf 72.3 700 Td (Quillfeather) Tj ET",
        b"BT /F1 12 Tf 72 700 Td (Quill) Tj ET /Fm1 Do",
        b"BT /F1 12 Tf 3 Tr 72 700 Td (Quillfeather) Tj ET",
        b"0 1 -1 0 300 10 cm BT /F1 12 Tf 72 700 Td (Quill) Tj (feather) Tj ET",
        b"BT /F1 12 Tf 30 700 Td (........................) Tj ET BT /F1 12 Tf 72 700 Td (Quillfeather) Tj ET",
    )
    for way in ways:
        content = pdf(way, XObject={"Fm1": form(b"BT /F1 12 Tf 97.35 700 Td (feather) Tj ET")})
        assert "Quillfeather" in "".join(texts_of(content)), way
        assert "Quill" not in all_of(replaced(content, "Quillfeather", "[P]")) and "[P]" in read(
            replaced(content, "Quillfeather", "[P]")
        )[0].replace(" ", "")


def test_lines_and_columns_are_read_apart() -> None:
    table = b"BT /F1 12 Tf 72 700 Td (Name:) Tj 150 0 Td (Ann Smith) Tj -150 -15 Td (of) Tj 20 0 Td (Rome) Tj 0 -60 Td (End) Tj ET"
    assert texts_of(pdf(table)) == ["Name:\tAnn Smith\nof Rome\n\nEnd"]


def test_a_word_goes_on_behind_a_hyphen_and_letters_apart_are_a_word() -> None:
    content = pdf(text("Mr. Quill-", "feather slept.", "A non-", "Smoker."))
    assert texts_of(content) == ["Mr. Quillfeather slept.\nA non-\nSmoker."]
    assert read(replaced(content, "Quillfeather", "[P]"))[0].startswith("Mr. [P] slept. A non")
    spread = b" ".join(
        b"%d 0 Td (%c) Tj" % (30 if n == 5 else 16, each) for n, each in enumerate(b"Quillfeather")
    )
    content = pdf(b"BT /F1 12 Tf 30 700 Td " + spread + b" 20 0 Td (slept.) Tj ET")
    assert texts_of(content) == ["Quill feather slept."]
    assert "Qu" not in read(replaced(content, "Quill feather", "[P]"))[0].replace(" ", "")


def test_what_was_hidden_over_a_scan_is_seen_and_the_scan_is_gone() -> None:
    content = pdf(b"/Im1 Do BT /F1 12 Tf 3 Tr 72 700 Td (He slept.) Tj ET", XObject={"Im1": image})
    out = PDF().put_together(content, runs_of(PDF(), content))
    assert read(out) == ["He slept."] and looks(out).getextrema()[0] < 60
    assert PDF().take_apart(content).removed["pictures"] == 1


def test_outlines_of_letters_are_gone_and_boxes_and_rules_stay() -> None:
    kept = (b"72 600 80 30 re f", b"72 500 m 300 500 l S", b"72 400 m 80 400 l 80 408 l 72 408 l h f",
            b"72 300 m 200 300 l 200 340 l 90 340 l S")  # fmt: skip
    letters = (b"72 400 m 72 412 l 75 412 l 75 403 l 80 403 l 80 400 l h f", b"72 400 m 76 412 l 80 400 l S",
               b"10 0 0 10 0 0 cm 7 40 m 7 41.2 l 7.9 41.2 l S", b"10 10 m 20 30 40 50 60 70 c S")  # fmt: skip
    for drawing in kept:
        content = pdf(text("He slept.") + b" " + drawing)
        assert (
            looks(PDF().put_together(content, runs_of(PDF(), content))).tobytes() == looks(content).tobytes()
        )
        assert "drawings" not in PDF().take_apart(content).removed
    for drawing in letters:
        content, bare = pdf(text("He slept.") + b" " + drawing), pdf(text("He slept."))
        assert PDF().take_apart(content).removed["drawings"] == 1
        assert looks(PDF().put_together(content, runs_of(PDF(), content))).tobytes() == looks(bare).tobytes()


def test_redacted_text_is_a_row_of_blocks() -> None:
    out = replaced(pdf(text("Mr. Quillfeather slept.")), "Quillfeather", "█" * 12)
    assert "■" in read(out)[0] and read(out)[0].endswith("slept.")
    assert (
        "Lukasz ?"
        in read(
            replaced(pdf(text("Mr. Quillfeather slept.")), "Quillfeather", "Łukasz 日".replace("Ł", "L"))
        )[0]
    )


def test_what_was_removed_is_counted() -> None:
    removed = PDF().take_apart(full(SEEN)).removed
    for kind in ("forms", "outlines", "properties", "actions", "structure", "page labels", "layers", "private data",
                 "destinations", "threads", "attachments", "comments and fields", "thumbnails", "pictures",
                 "shadings", "drawings", "instructions"):  # fmt: skip
        assert removed[kind] >= 1, kind


def test_it_is_recognised_by_its_name_and_by_its_content(tmp_path: Path) -> None:
    for name in ("a.pdf", "nameless"):
        (tmp_path / name).write_bytes(pdf(b""))
    assert {recognise_format(path).name for path in tmp_path.iterdir()} == {"pdf"}


def test_a_file_in_which_a_masked_word_can_still_be_read_is_not_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = pdf_write.Writer._show

    def show(self: Any, each: Any, used: set[str]) -> list[bytes]:
        for part in each.parts:
            if isinstance(part, pdf_write.Glyph):
                part.is_removed = False
        return real(self, each, used)

    monkeypatch.setattr(pdf_write.Writer, "_show", show)
    for old in ("Quillfeather", "3/14"):
        with pytest.raises(Refused, match="could still be read"):
            replaced(pdf(text(SEEN)), old, "X")


def _lying(new: pikepdf.Pdf) -> Any:
    font = helvetica()
    font.ToUnicode = new.make_stream(b"1 beginbfrange <51> <51> <0041> endbfrange")
    return font


def _stray(new: pikepdf.Pdf) -> Any:
    font = helvetica()
    font.Encoding = Dictionary(Differences=Array([81, Name("/zztop")]))
    return font


def _loop(new: pikepdf.Pdf) -> None:
    stream = form(b"/Fm1 Do")(new)
    stream.Resources = Dictionary(XObject=Dictionary(Fm1=stream))
    new.pages[0].obj.Resources.XObject = Dictionary(Fm1=stream)


def _made_by_its_reader(new: pikepdf.Pdf) -> None:
    new.Root.NeedsRendering = True
    new.Root.AcroForm = Dictionary(XFA=new.make_stream(b"<xfa>Quillfeather</xfa>"))


def _encrypted(user: str) -> bytes:
    with pikepdf.open(io.BytesIO(pdf(text(SEEN)))) as new:
        return saved(new, encryption=pikepdf.Encryption(owner="o", user=user))


def _bomb(filters: Array, data: bytes) -> bytes:
    def change(new: pikepdf.Pdf) -> None:
        stream = pikepdf.Stream(new, b"")
        stream.write(data, filter=filters)
        new.pages[0].obj.Contents = stream

    return pdf(text(SEEN), change=change, how={"stream_decode_level": pikepdf.StreamDecodeLevel.none})


def _bad() -> Iterator[tuple[str, bytes, str]]:
    whole, flate = pdf(text(SEEN)), Name.FlateDecode
    packed = zlib.compress(bytes(33 << 20))
    yield "cut", whole[: len(whole) // 2], "damaged or cut short"
    yield "text", b"Quillfeather", "does not begin"
    yield "empty", b"", "does not begin"
    yield "head", b"%PDF-1.7\nQuillfeather", "damaged"
    yield "locked", _encrypted("user"), "encrypted"
    yield "owned", _encrypted(""), "encrypted"
    yield "bomb", _bomb(Array([flate]), packed), "unpacks to too much"
    yield "twice", _bomb(Array([flate, flate]), zlib.compress(packed)), "unpacks to too much"
    yield "lzw", whole.replace(b"/FlateDecode", b"/LZWDecode  "), "page 1: a stream of it is packed"
    yield "scan", pdf(text(SEEN), b"/Im1 Do", XObject={"Im1": image}), "page 2 is an image without text"
    yield "lines", pdf(text(SEEN), b"1 0 m 9 9 8 8 7 7 c S"), "page 2 is an image without text"
    yield (
        "outlines",
        pdf(text(SEEN), b"72 400 m 72 412 l 75 412 l 75 403 l h f"),
        "page 2 is an image without text",
    )
    yield "blank", pdf(b""), "no text"
    yield "type3", pdf(text("Quill", font="F2"), Font={"F2": type3_font}), "page 1: a font is of a kind"
    yield (
        "unmapped",
        pdf(b"BT /F2 9 Tf <0001> Tj ET", Font={"F2": wide_font(False)}),
        "page 1: the text of a font",
    )
    yield "stray", pdf(text("Quill", font="F2"), Font={"F2": _stray}), "page 1: the text of a font"
    yield "lying", pdf(text("Quill", font="F2"), Font={"F2": _lying}), "page 1: a font shows other letters"
    yield "nofont", pdf(text("Quill", font="F9")), "page 1: it shows text in a font that is not there"
    yield "loop", pdf(text(SEEN) + b" /Fm1 Do", change=_loop), "page 1: forms in it are nested"
    yield "odd", pdf(b"BT (Quill) Tf (Quill) Td ET"), "page 1: it shows|damaged"
    yield "order", pdf(b"1 2 cm " + text(SEEN)), "page 1: its content is damaged"
    state = {"G": lambda new: Dictionary(Font=Array([helvetica(), 9]))}
    yield "form", pdf(text(SEEN), change=_made_by_its_reader), "its pages are made by its reader"
    yield "state", pdf(b"/G gs " + text(SEEN), ExtGState=state), "page 1: a font is set"


@pytest.mark.parametrize(("content", "said"), [pytest.param(*each[1:], id=each[0]) for each in _bad()])
def test_what_cannot_be_read_safely_is_refused_in_one_line_and_leaves_nothing(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(PDF(), "pdf", (content, said), tmp_path, capsys)


def test_a_content_that_ends_too_soon_says_nothing_on_the_screen(recwarn: pytest.WarningsRecorder) -> None:
    assert texts_of(pdf(text("He slept.") + b" BT (Quill")) == ["He slept."]
    assert texts_of(pdf(text("He slept.") + b" 1 2 (Quill)")) == ["He slept."]
    assert not [each for each in recwarn if "nexpected" in str(each.message)]


def test_more_instructions_than_a_letter_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_content, "MAX_INSTRUCTIONS", 100)
    assert texts_of(pdf(text(SEEN)))
    with pytest.raises(Refused, match="more than 100 instructions"):
        texts_of(pdf(text(*[SEEN] * 60)))
    with pytest.raises(Refused, match="page 1: its content has more than 8 MiB"):
        texts_of(pdf(text(SEEN) + b" " * (8 << 20)))


def test_more_than_a_letter_unpacks_to_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pdf(text(SEEN) + b" " * (300 << 10), text(SEEN) + b" " * (300 << 10))
    monkeypatch.setattr(pdf_file.Source.__init__, "__defaults__", (1 << 20,))
    assert texts_of(content)
    monkeypatch.setattr(pdf_file.Source.__init__, "__defaults__", (500 << 10,))
    with pytest.raises(Refused, match="page 2: unpacked it has more than"):
        texts_of(content)


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("soffice") is None, reason="LibreOffice is not installed: no letter of its making is masked"
)
def test_a_letter_that_another_program_made_is_masked(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(full_letter())
    (out,) = masked(converted(tmp_path / "a.docx", "pdf", tmp_path), tmp_path / "out", "--style", "tag")
    assert "who came on [DATE-1] from home." in read(out)[0]
    assert not [word for word in ("Quill", "Zebulon", "Harkness", "555-0142") if word in all_of(out)]
