"""The new file: pages of what was read, without the masked glyphs, and with what stands for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

from deidlab.carriers.pdf_book import Form
from deidlab.carriers.pdf_file import known_entries, numbers
from deidlab.carriers.pdf_fonts import Font
from deidlab.carriers.pdf_paint import shown
from deidlab.carriers.pdf_standard import PICTURES, standard_codes, standard_width
from deidlab.carriers.pdf_state import Glyph, Look, Show

_SIGNS = "ZapfDingbats"
_BLOCK, _BLOCK_WIDTH = "█", 761.0
_NARROWEST = 0.6
_BOXES = ("/MediaBox", "/CropBox")


@dataclass(slots=True)
class Writer:
    """Writes pages into a new file; fonts come last, when it is known what they show."""

    pdf: pikepdf.Pdf = field(default_factory=pikepdf.new, repr=False)
    _fonts: dict[str, tuple[Font, Any]] = field(default_factory=dict, repr=False)
    _own: dict[str, Any] = field(default_factory=dict, repr=False)

    def page(self, page: Any, form: Form) -> None:
        """A page: its size, and its content."""
        new = Dictionary(Type=Name.Page)
        for key in _BOXES:
            box = numbers(page.get(key), 4)
            if box is not None:
                new[key] = Array([float(each) for each in box])
        if "/MediaBox" not in new:
            new.MediaBox = Array([0, 0, 612, 792])
        for key, value in known_entries(page, ("/UserUnit",), {}).items():
            new[key] = value
        rotate = page.get("/Rotate", 0)
        if rotate in (90, 180, 270, -90):
            new.Rotate = int(rotate)
        data, new.Resources = self._content(form)
        new.Contents = self.pdf.make_stream(data)
        self.pdf.pages.append(pikepdf.Page(self.pdf.make_indirect(new)))

    def finish(self) -> pikepdf.Pdf:
        """The file, with its fonts."""
        for font, place in self._fonts.values():
            written = font.written(self.pdf)
            for key in list(written.keys()):
                place[key] = written[key]
        return self.pdf

    def _content(self, form: Form) -> tuple[bytes, Any]:
        out: list[bytes] = []
        used: set[str] = set()
        objects = Dictionary()
        for part in form.parts:
            if isinstance(part, bytes):
                out.append(part)
            elif isinstance(part, Show):
                out += self._show(part, used)
            else:
                name, inner = part
                objects[f"/{name}"] = self._form(inner)
                out.append(f"/{name} Do".encode())
        fonts = Dictionary()
        for name, font in form.fonts.items():
            if name not in self._fonts:
                self._fonts[name] = font, self.pdf.make_indirect(Dictionary(Type=Name.Font))
            fonts[f"/{name}"] = self._fonts[name][1]
        for name in used:
            fonts[f"/{name}"] = self._own[name]
        states = Dictionary({f"/{name}": Dictionary(found) for name, found in form.states.items()})
        return b"\n".join(out), Dictionary(Font=fonts, XObject=objects, ExtGState=states)

    def _form(self, form: Form) -> Any:
        data, resources = self._content(form)
        stream = self.pdf.make_stream(data)
        stream.Type, stream.Subtype = Name.XObject, Name.Form
        stream.BBox, stream.Matrix = Array(list(form.box)), Array(list(form.matrix))
        stream.Resources = resources
        if form.is_group:
            stream.Group = Dictionary(Type=Name.Group, S=Name.Transparency)
        return stream

    def _show(self, show: Show, used: set[str]) -> list[bytes]:
        """A string without its masked glyphs; what follows them stays where it is."""
        out: list[bytes] = []
        row: list[str] = []
        font = show.look.font
        for part in show.parts:
            if not isinstance(part, Glyph):
                row.append(shown(part))
            elif not part.is_removed:
                row.append(f"<{part.code.data.hex()}>")
                if font is not None:
                    font.used[int.from_bytes(part.code.data)] = part.code.text
            else:
                if part.new:
                    out += [_row(row), *self._replacement(part, show.look, used)]
                    row = []
                if show.look.size:
                    row.append(shown(-part.advance))
        return [*out, _row(row)]

    def _replacement(self, glyph: Glyph, look: Look, used: set[str]) -> list[bytes]:
        """Text in a font that every reader has, narrower and then smaller until it fits; and back again."""
        like = look.font.standard_name() if look.font is not None else "Helvetica"
        base = _SIGNS if set(glyph.new) <= {_BLOCK, " "} else "Helvetica" if like in PICTURES else like
        name = f"New-{base}"
        data = _coded(glyph.new, is_blocks=base == _SIGNS)
        if name not in self._own:
            font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"))
            if base != _SIGNS:
                font.Encoding = Name.WinAnsiEncoding
            self._own[name] = self.pdf.make_indirect(font)
        used.add(name)
        width = sum(_BLOCK_WIDTH if base == _SIGNS else _width(base, each) for each in data)
        room = glyph.room / glyph.em * 1000 if glyph.em else width
        share = min(1.0, max(room, 1.0) / max(width, 1.0))
        narrow = max(share, _NARROWEST)
        size, stretch = look.size * share / narrow, look.stretch * 100 * narrow
        font_name = look.font.name if look.font is not None else name
        return [
            f"/{name} {shown(size)} Tf 0 Tc 0 Tw {shown(stretch)} Tz".encode(),
            f"[<{data.hex()}> {shown(width)}] TJ".encode(),
            f"/{font_name} {shown(look.size)} Tf {shown(look.spacing)} Tc {shown(look.word_spacing)} Tw "
            f"{shown(look.stretch * 100)} Tz".encode(),
        ]


def _row(row: list[str]) -> bytes:
    return f"[{' '.join(row)}] TJ".replace("> <", "").encode() if row else b""


def _coded(text: str, is_blocks: bool) -> bytes:
    """The text in the codes of its font."""
    return text.replace(_BLOCK, "n").encode() if is_blocks else standard_codes(text)


def _width(base: str, code: int) -> float:
    return standard_width(base, bytes([code]).decode("cp1252", "replace"))
