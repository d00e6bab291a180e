"""Content of a page read into what is written again: lines, boxes, colours and text; all else is left out.

Every form that is drawn becomes a form of its own, so that text which stands on several pages can become
another on each. Names of fonts, forms and states are made anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Object, Stream

from deidlab.carriers.carrier import Refused
from deidlab.carriers.pdf_book import Book, Form
from deidlab.carriers.pdf_fields import looks, resources
from deidlab.carriers.pdf_file import DAMAGED, instructions_of, known_entries, numbers
from deidlab.carriers.pdf_paint import (
    BLENDS,
    BY_NUMBER,
    COLOURS,
    DEVICES,
    DRAWS,
    PAINTS,
    Path,
    as_device,
    device_of,
    shown,
)  # fmt: skip
from deidlab.carriers.pdf_state import IDENTITY, Glyph, Look, Matrix, Pen, Show, times

MAX_INSTRUCTIONS = 2_000_000
MAX_DEPTH = 12
_STATES = ("/LW", "/LC", "/LJ", "/ML", "/CA", "/ca", "/SA", "/OP", "/op", "/OPM", "/AIS", "/FL", "/SM")
_PLAIN = {"w": 1, "J": 1, "j": 1, "M": 1, "i": 1}
_SET = {"Tc": "spacing", "Tw": "word_spacing", "TL": "leading", "Ts": "rise", "Tz": "stretch"}
_DROPPED = frozenset(("BMC", "BDC", "EMC", "MP", "DP", "BX", "EX", "ri", "d0", "d1"))


@dataclass(slots=True)
class ContentReader:
    """Reads the content of one page; `glyphs` are those of all its forms, in the order of drawing."""

    book: Book = field(repr=False)
    glyphs: list[Glyph] = field(default_factory=list, repr=False)
    has_drawing: bool = False
    fields: list[int] = field(default_factory=list)
    """At which of the glyphs each field of the page begins; they come behind what it draws itself."""

    def page(self, page: Any) -> Form:
        form = Form()
        content = _Content(self, form, page.get("/Resources", Dictionary()), 0)
        content.run(self.book.source.contents(page), Look())
        fields = list(looks(self.book.source.pdf, page))
        if fields:
            form.parts = [b"q", *form.parts, b"Q"]
        for look, place in fields:
            self._field(form, look, place)
        return form

    def _field(self, form: Form, look: Stream, place: Matrix) -> None:
        """The look of a field, drawn on the page; one that cannot be read is left out."""
        n_glyphs, n_parts = len(self.glyphs), len(form.parts)
        content = _Content(self, form, resources(self.book.source.pdf.Root), 0, Look(matrix=place))
        form.parts.append(" ".join(["q", *map(shown, place), "cm"]).encode())
        try:
            content.draw(look)
        except (Refused, *DAMAGED):
            del self.glyphs[n_glyphs:], form.parts[n_parts:]
            return
        form.parts.append(b"Q")
        self.fields.append(n_glyphs)


@dataclass(slots=True)
class _Content:
    """One content stream on its way through."""

    reader: ContentReader = field(repr=False)
    form: Form = field(repr=False)
    resources: Any = field(repr=False)
    depth: int
    look: Look = field(default_factory=Look, repr=False)
    pen: Pen = field(default_factory=Pen, repr=False)
    saved: list[Look] = field(default_factory=list, repr=False)
    path: Path = field(default_factory=Path, repr=False)

    def run(self, data: bytes, look: Look) -> None:
        self.look = look
        for each in instructions_of(data):
            self.reader.book.n_instructions += 1
            if self.reader.book.n_instructions > MAX_INSTRUCTIONS:
                raise Refused(f"it has more than {MAX_INSTRUCTIONS} instructions")
            self._take(str(each.operator), list(each.operands))
        self.form.parts += [b"Q"] * len(self.saved)

    def _take(self, name: str, operands: list[Any]) -> None:
        heed: Callable[[list[Any]], None] | None = getattr(self, _METHODS.get(name, "-"), None)
        if heed is not None:
            heed(operands)
        elif name in _SET:
            self._set_text(name, operands)
        elif name in DRAWS:
            self.path.draw(name, _floats(operands), math.hypot(*self.look.matrix[:2]))
        elif name in PAINTS:
            self._paint(name)
        elif name in _PLAIN:
            self._write(_floats(operands, _PLAIN[name]), name)
        elif name in COLOURS:
            self._set_colour(name, _floats(operands, COLOURS[name]))
        elif name in ("sc", "scn", "SC", "SCN"):
            self._colour(name.isupper(), operands)
        elif name not in _DROPPED:
            self._leave_out({"INLINE IMAGE": "pictures", "sh": "shadings"}.get(name, "instructions"))

    def _leave_out(self, kind: str) -> None:
        self.reader.book.removed[kind] += 1
        self.reader.has_drawing = self.reader.has_drawing or kind in ("pictures", "shadings", "drawings")

    def _write(self, values: list[float], name: str) -> None:
        self.form.parts.append(" ".join([*map(shown, values), name]).encode())

    # What is saved, moved and set.

    def _save(self, operands: list[Any]) -> None:
        self.saved.append(replace(self.look))
        self._write([], "q")

    def _restore(self, operands: list[Any]) -> None:
        if self.saved:
            self.look = self.saved.pop()
            self._write([], "Q")

    def _turn(self, operands: list[Any]) -> None:
        values = _floats(operands, 6)
        self.look.matrix = times(_matrix(values), self.look.matrix)
        self._write(values, "cm")

    def _dash(self, operands: list[Any]) -> None:
        lengths = " ".join(shown(float(each)) for each in operands[0])
        self.form.parts.append(f"[{lengths}] {shown(float(operands[1]))} d".encode())

    def _state(self, operands: list[Any]) -> None:
        found = self._resource("/ExtGState", operands)
        if found is None:
            return
        if "/Font" in found:
            raise Refused("a font is set in a way that is not read here")
        kept = known_entries(found, _STATES, {"/BM": BLENDS})
        name = f"G{len(self.form.states) + 1}"
        self.form.states[name] = kept
        self.form.parts.append(f"/{name} gs".encode())

    def _resource(self, kind: str, operands: list[Any]) -> Any:
        return self.resources.get(kind, Dictionary()).get(str(operands[0]))

    def _space(self, operands: list[Any], is_stroke: bool) -> None:
        found = operands[0]
        space = device_of(
            self._resource("/ColorSpace", operands) or found if str(found) not in DEVICES else found
        )
        if is_stroke:
            self.look.stroke = space
        else:
            self.look.fill = space
        self._write([0.0], "G" if is_stroke else "g")

    def _fill_space(self, operands: list[Any]) -> None:
        self._space(operands, is_stroke=False)

    def _stroke_space(self, operands: list[Any]) -> None:
        self._space(operands, is_stroke=True)

    def _colour(self, is_stroke: bool, operands: list[Any]) -> None:
        values = [float(each) for each in operands if not isinstance(each, Object)]
        device, values = as_device(self.look.stroke if is_stroke else self.look.fill, values)
        if len(values) == COLOURS[device]:
            self._write(values, device.upper() if is_stroke else device)

    def _set_colour(self, name: str, values: list[float]) -> None:
        self._write(values, name)
        if name.isupper():
            self.look.stroke = BY_NUMBER[len(values)]
        else:
            self.look.fill = BY_NUMBER[len(values)]

    def _paint(self, name: str) -> None:
        painted = self.path.painted(name)
        if painted is None:
            self._leave_out("drawings")
        else:
            self.form.parts += painted
            self.reader.has_drawing = self.reader.has_drawing or (name != "n" and bool(painted))

    # Forms.

    def _do(self, operands: list[Any]) -> None:
        found = self._resource("/XObject", operands)
        if not isinstance(found, Stream) or str(found.get("/Subtype")) != "/Form":
            self._leave_out("pictures")
            return
        self.draw(found)

    def draw(self, found: Stream) -> None:
        """A form, in its place."""
        if self.depth >= MAX_DEPTH:
            raise Refused(f"forms in it are nested more than {MAX_DEPTH} deep")
        matrix = numbers(found.get("/Matrix"), 6) or IDENTITY
        box = numbers(found.get("/BBox"), 4)
        if box is None:
            raise Refused("a form in it is damaged")
        form = Form(matrix=matrix, box=box, is_group="/Group" in found)
        inner = _Content(self.reader, form, found.get("/Resources", self.resources), self.depth + 1)
        look = replace(self.look, matrix=times(_matrix(list(matrix)), self.look.matrix))
        inner.run(self.reader.book.source.read(found), look)
        self.reader.book.n_forms += 1
        self.form.parts.append((f"X{self.reader.book.n_forms}", form))

    # Text.

    def _begin_text(self, operands: list[Any]) -> None:
        self.pen = Pen()
        self._write([], "BT")

    def _end_text(self, operands: list[Any]) -> None:
        self._write([], "ET")

    def _set_font(self, operands: list[Any]) -> None:
        found = self._resource("/Font", operands)
        if not isinstance(found, Dictionary):
            raise Refused("it shows text in a font that is not there")
        font, (size,) = self.reader.book.font(found), _floats(operands[1:], 1)
        self.look.font, self.look.size = font, size
        self.form.fonts[font.name] = font
        self.form.parts.append(f"/{font.name} {shown(size)} Tf".encode())

    def _set_text(self, name: str, operands: list[Any]) -> None:
        (value,) = _floats(operands, 1)
        setattr(self.look, _SET[name], value / 100 if name == "Tz" else value)
        if name != "TL":
            self._write([value], name)

    def _render(self, operands: list[Any]) -> None:
        # What was drawn unseen over a scan is to be seen, and text does not cut out what is drawn.
        mode = int(_floats(operands, 1)[0]) % 4
        self._write([0.0 if mode == 3 else float(mode)], "Tr")

    def _move(self, operands: list[Any]) -> None:
        x, y = _floats(operands, 2)
        self.pen.move(x, y)
        self._write([x, y], "Td")

    def _move_and_lead(self, operands: list[Any]) -> None:
        self.look.leading = -_floats(operands, 2)[1]
        self._move(operands)

    def _place(self, operands: list[Any]) -> None:
        values = _floats(operands, 6)
        self.pen.text = self.pen.line = _matrix(values)
        self._write(values, "Tm")

    def _next_line(self, operands: list[Any]) -> None:
        self._move([0.0, -self.look.leading])

    def _show_next(self, operands: list[Any]) -> None:
        self._next_line([])
        self._show(operands)

    def _show_spaced(self, operands: list[Any]) -> None:
        self._set_text("Tw", operands[:1])
        self._set_text("Tc", operands[1:2])
        self._show_next(operands[2:])

    def _show(self, operands: list[Any]) -> None:
        self._show_all([Array([operands[0]])])

    def _show_all(self, operands: list[Any]) -> None:
        look, glyphs = self.look, self.reader.glyphs
        if look.font is None:
            raise Refused("it shows text without a font")
        parts: list[Glyph | float] = []
        for each in operands[0]:
            if isinstance(each, pikepdf.String):
                for code in look.font.codes(bytes(each)):
                    glyph = self.pen.draw(code, look, len(glyphs))
                    glyphs.append(glyph)
                    parts.append(glyph)
            else:
                parts.append(float(each))
                self.pen.advance(-float(each) / 1000 * look.size * look.stretch)
        self.form.fonts[look.font.name] = look.font
        self.form.parts.append(Show(parts, replace(look)))


_METHODS = {
    "q": "_save", "Q": "_restore", "cm": "_turn", "d": "_dash", "gs": "_state", "cs": "_fill_space",
    "CS": "_stroke_space", "Do": "_do", "BT": "_begin_text", "ET": "_end_text", "Tf": "_set_font",
    "Tr": "_render", "Td": "_move", "TD": "_move_and_lead", "Tm": "_place", "T*": "_next_line",
    "Tj": "_show", "TJ": "_show_all", "'": "_show_next", '"': "_show_spaced",
}  # fmt: skip


def _matrix(values: list[float]) -> Matrix:
    a, b, c, d, e, f = values
    return a, b, c, d, e, f


def _floats(operands: list[Any], n: int | None = None) -> list[float]:
    """Operands that are numbers, and that many."""
    try:
        values = [float(each) for each in operands]
    except DAMAGED:
        raise Refused("its content is damaged") from None
    if n is not None and len(values) != n:
        raise Refused("its content is damaged")
    return values
