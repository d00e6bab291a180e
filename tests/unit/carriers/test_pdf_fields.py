"""Filled forms in PDF: what was filled in is text of its page, and no field comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from deidlab.carriers.pdf import PDF
from tests.unit.carriers.letter_runs import masked, runs_of
from tests.unit.carriers.pdfs import (
    LEAKS,
    all_of,
    fill_in,
    form,
    looks,
    pdf,
    read,
    text,
    texts_of,
    type3_font,
)


def filled(kind: str = "Tx", **more: Any) -> bytes:
    """A form of which the patient's name, a day and a tick were filled in."""
    page = text("Patient name:", "Seen on:", "Smoker:", "Thank you.")
    fields = (
        (
            kind,
            b"/Tx BMC q 1 1 198 18 re W n BT /F1 12 Tf 2 4 Td (Zebulon Quillfeather) Tj ET Q EMC",
            (200, 696, 400, 716),
        ),
        (kind, b"BT /F1 12 Tf 2 4 Td (3/14/2064) Tj ET", (200, 676, 300, 696)),
        ("Btn", b"BT /F1 12 Tf 2 4 Td (x) Tj ET", (200, 656, 220, 676)),
    )
    return pdf(page, change=fill_in(*fields, **more))


def test_what_was_filled_in_is_text_of_its_page_and_no_field_is_left(tmp_path: Path) -> None:
    content = filled()
    assert texts_of(content) == [
        "Patient name:\tZebulon Quillfeather\nSeen on:\t3/14/2064\nSmoker:\tx\nThank you."
    ]
    (tmp_path / "a.pdf").write_bytes(content)
    (out,) = masked(tmp_path / "a.pdf", tmp_path / "out", "--style", "tag", ending="pdf")
    (seen,) = read(out)
    assert "[PATIENT-1]" in seen and "[DATE-1]" in seen and "Thank you." in seen
    assert not [word for word in (*LEAKS, "Annots", "AcroForm") if word in all_of(out)]


def test_looks_are_drawn_where_their_fields_stand() -> None:
    look = b"BT /F1 12 Tf 2 4 Td (Well.) Tj ET"
    turned = (Array([0, 0, 100, 50]), Array([0, 1, -1, 0, 50, 0]))

    def turn(new: pikepdf.Pdf) -> None:
        fill_in(("Tx", look, (50, 600, 150, 700)))(new)
        found = new.pages[0].obj.Annots[0].AP.N
        found.BBox, found.Matrix = turned

    def drawn(new: pikepdf.Pdf) -> Any:
        made = form(look)(new)
        made.BBox, made.Matrix = turned
        return made

    def upright(new: pikepdf.Pdf) -> Any:
        made = form(look)(new)
        made.BBox = Array([0, 0, 50, 20])
        return made

    # A page may leave its own coordinates behind.
    for page in (text("He slept."), b"2 0 0 2 0 0 cm q " + text("He slept.", y=300) + b" Q"):
        for change, made, place in (
            (fill_in(("Tx", look, (50, 600, 100, 620))), upright, b"1 0 0 1 50 600"),
            (turn, drawn, b"2 0 0 1 50 600"),
        ):
            content = pdf(page, change=change)
            same = PDF().put_together(content, runs_of(PDF(), content))
            by_hand = pdf(b"q " + page + b" Q q " + place + b" cm /Fm1 Do Q", XObject={"Fm1": made})
            assert looks(same).tobytes() == looks(by_hand).tobytes()
            assert "Well." in texts_of(content)[0] and read(same) == read(by_hand)


def test_a_value_is_drawn_where_its_look_is_missing_or_out_of_date(tmp_path: Path) -> None:
    def fill(is_stale: bool, **values: Any) -> Any:
        def change(new: pikepdf.Pdf) -> None:
            fill_in(("Tx", b"BT /F1 12 Tf 2 4 Td (Old.) Tj ET", (160, 690, 300, 716)), **values)(new)
            new.Root.AcroForm.NeedAppearances = is_stale
            if not is_stale:
                del new.pages[0].obj.Annots[0].AP

        return pdf(text("Patient name:", "Thank you."), change=change)

    for is_stale in (True, False):
        content = fill(is_stale, V="Zebulon Quillfeather\nwas Łukasz")
        assert texts_of(content) == ["Patient name:\nZebulon Quillfeather\nwas ?ukasz\nThank you."]
        (tmp_path / "a.pdf").write_bytes(content)
        (out,) = masked(tmp_path / "a.pdf", tmp_path / "out", "--style", "tag", "--overwrite", ending="pdf")
        assert "[PATIENT-1]" in read(out)[0] and not [word for word in LEAKS if word in all_of(out)]
    assert texts_of(fill(False, V="Quillfeather", Ff=1 << 13)) == ["Patient name:\nThank you."]


@pytest.mark.parametrize(("kind", "more"), [("Sig", {}), ("Tx", {"F": 2}), ("Tx", {"F": 32}), ("", {})])
def test_signatures_and_fields_that_nobody_sees_are_gone(kind: str, more: dict[str, int]) -> None:
    content = filled(kind or "Zztop", **more)
    out = PDF().put_together(content, runs_of(PDF(), content))
    assert not [word for word in LEAKS if word in all_of(out)] and "Thank you." in read(out)[0]
    assert PDF().take_apart(content).removed["comments and fields"] >= 2


def test_a_field_whose_look_cannot_be_read_is_gone_and_counted() -> None:
    def change(new: pikepdf.Pdf) -> None:
        fill_in(("Tx", b"BT /F1 12 Tf 0 0 Td (Quill) Tj /F2 9 Tf (feather) Tj ET", (200, 696, 400, 716)))(new)
        new.pages[0].obj.Annots[0].AP.N.Resources.Font.F2 = type3_font(new)
        bare = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, V="Quillfeather")
        new.pages[0].obj.Annots.append(new.make_indirect(bare))

    content = pdf(text("He slept."), change=change)
    out = PDF().put_together(content, runs_of(PDF(), content))
    assert read(out) == ["He slept."] and not [word for word in LEAKS if word in all_of(out)]
    assert PDF().take_apart(content).removed["comments and fields"] == 2
