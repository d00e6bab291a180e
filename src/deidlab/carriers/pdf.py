"""PDF letters with a text layer: a page is read as text, and written anew without the masked glyphs.

A new file is made of what is known: the size of pages, lines, boxes, colours, text and its fonts, and what
was filled into forms, as text. Pictures, drawings, comments, attachments, properties and all else stay
behind, and earlier versions too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from deidlab.carriers.carrier import Parts, Piece, Refused
from deidlab.carriers.pdf_book import Book, Form
from deidlab.carriers.pdf_check import check_alike, check_gone, read_again
from deidlab.carriers.pdf_content import ContentReader
from deidlab.carriers.pdf_fields import is_made_by_its_reader
from deidlab.carriers.pdf_file import DAMAGED, open_pdf, written
from deidlab.carriers.pdf_layout import Unit, read_page
from deidlab.carriers.pdf_write import Writer

_PARTS = {
    "/AcroForm": "forms", "/Outlines": "outlines", "/Metadata": "properties", "/OpenAction": "actions",
    "/AA": "actions", "/StructTreeRoot": "structure", "/PageLabels": "page labels", "/OCProperties": "layers",
    "/PieceInfo": "private data", "/Dests": "destinations", "/Threads": "threads", "/AF": "attachments",
}  # fmt: skip


@dataclass(slots=True)
class _Pages:
    """A file that is read, page by page."""

    book: Book = field(repr=False)
    forms: list[Form] = field(default_factory=list, repr=False)
    pages: list[list[Unit]] = field(default_factory=list, repr=False)

    @classmethod
    def read(cls, content: bytes) -> _Pages:
        found = cls(Book(open_pdf(content)))
        if is_made_by_its_reader(found.book.source.pdf.Root):
            raise Refused("its pages are made by its reader (an XFA form); print it to a PDF first")
        try:
            for number, page in enumerate(found.book.source.pdf.pages, 1):
                found._read_page(number, page.obj)
            found._count()
        except DAMAGED:
            raise Refused("it is damaged, or unpacks to too much") from None
        if not any(unit.glyphs for units in found.pages for unit in units):
            raise Refused("it has no text")
        check_alike(found.texts(), read_again(content))
        return found

    def _read_page(self, number: int, page: Any) -> None:
        reader = ContentReader(self.book)
        try:
            form = reader.page(page)
        except Refused as error:
            raise Refused(f"page {number}: {error}") from None
        units = read_page(reader.glyphs, reader.fields)
        if reader.has_drawing and not any(unit.text.strip() for unit in units):
            raise Refused(f"page {number} is an image without text; images are not read, so remove it")
        self.book.removed["comments and fields"] += len(page.get("/Annots", ())) - len(reader.fields)
        self.forms.append(form)
        self.pages.append(units)

    def _count(self) -> None:
        pdf, removed = self.book.source.pdf, self.book.removed
        for key, kind in _PARTS.items():
            removed[kind] += key in pdf.Root
        removed["properties"] += "/Info" in pdf.trailer
        for key, kind in (
            ("/EmbeddedFiles", "attachments"),
            ("/JavaScript", "actions"),
            ("/Dests", "destinations"),
        ):
            removed[kind] += key in pdf.Root.get("/Names", {})
        for page in pdf.pages:
            removed["thumbnails"] += "/Thumb" in page.obj
            removed["private data"] += "/PieceInfo" in page.obj

    def texts(self) -> list[str]:
        return ["".join(unit.text for unit in units) for units in self.pages]

    def put(self, texts: Iterator[str]) -> tuple[list[str], list[str]]:
        """Texts in the place of all units; what was masked, and what pages then say."""
        gone, expected = [], []
        for units in self.pages:
            new = [next(texts) for _ in units]
            expected.append("".join(new))
            gone += list(_masked(units, new))
            _replace(units, new)
        return gone, expected


def _masked(units: Sequence[Unit], new: Sequence[str]) -> Iterator[str]:
    """What stood where something else stands now, each stretch whole."""
    held = ""
    for unit, text in zip(units, new, strict=True):
        if unit.text == text or (text and held):
            if held.strip():
                yield held
            held = ""
        if unit.text != text:
            held += unit.text
    if held.strip():
        yield held


def _replace(units: Sequence[Unit], new: Sequence[str]) -> None:
    """Glyphs go, and the first of each stretch gets the text, and the room of those on its line."""
    first = None
    waiting = ""
    for unit, text in zip(units, new, strict=True):
        if unit.text == text and (text or first is None):
            first = None
            continue
        for glyph in unit.glyphs:
            glyph.is_removed = True
        if not unit.glyphs:
            waiting += text.strip()
            continue
        glyph = unit.glyphs[0]
        text, waiting = " ".join((waiting + text).split()), ""
        if text or first is None:
            first = glyph
            glyph.new = text
        if first.angle == glyph.angle and abs(first.height - glyph.height) < first.size / 2:
            first.room = max(first.room, glyph.end - first.start)


class PDF:
    """The carrier: one file. Each glyph is a run of its own, so that what stays keeps its place."""

    def take_apart(self, content: bytes) -> Parts:
        found = _Pages.read(content)
        pieces = []
        for units in found.pages:
            cuts = tuple(accumulate(len(unit.text) for unit in units[:-1]))
            pieces.append(Piece("".join(unit.text for unit in units), "", "", cuts))
        return Parts(tuple(pieces), removed=+found.book.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        found = _Pages.read(content)
        gone, expected = found.put(_in_step(found.pages, iter(texts)))
        writer = Writer()
        try:
            for page, form in zip(found.book.source.pdf.pages, found.forms, strict=True):
                writer.page(page.obj, form)
            new = writer.finish()
            out = written(new)
            check_gone(gone, expected, out, open_pdf(out).pdf)
        except DAMAGED:
            raise Refused("a part of it is damaged") from None
        return out


def _in_step(pages: Sequence[Sequence[Unit]], texts: Iterator[str]) -> Iterator[str]:
    """The texts of all units; a page without any has one text, which is empty."""
    for units in pages:
        yield from (next(texts) for _ in units)
        if not units:
            next(texts)
