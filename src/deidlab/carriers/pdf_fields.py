"""Fields of a form that was filled in: what is seen of each, and where on its page it is drawn.

A look is drawn on its page like any other form, so that what was filled in is text like all else; the field
itself, with its value, goes. Where the file has no look, or says that looks are out of date, the value is
drawn, as a reader of the file would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream

from deidlab.carriers.pdf_file import numbers
from deidlab.carriers.pdf_standard import standard_codes, standard_width
from deidlab.carriers.pdf_state import IDENTITY, Matrix

_UNSEEN = 0b100010  # hidden, or not on the screen
_SECRET = 1 << 13  # a password
_VALUED = frozenset(("/Tx", "/Ch"))
_PARENTS = 32
_SIZE, _LEADING, _EDGE = 11.0, 1.2, 2.0


def looks(pdf: pikepdf.Pdf, page: Any) -> Iterator[tuple[Stream, Matrix]]:
    """What is seen of the fields of a page, each with its place; signatures and all other marks have none."""
    form = pdf.Root.get("/AcroForm", Dictionary())
    is_stale = isinstance(form, Dictionary) and bool(form.get("/NeedAppearances", False))
    for each in page.get("/Annots", Array()):
        if not isinstance(each, Dictionary) or str(each.get("/Subtype")) != "/Widget":
            continue
        kind, box = str(_inherited(each, "/FT")), numbers(each.get("/Rect"), 4)
        if int(each.get("/F", 0)) & _UNSEEN or kind not in (*_VALUED, "/Btn") or box is None:
            continue
        look = _look(each)
        if kind in _VALUED and (look is None or is_stale):
            look = _look_of_value(pdf, each, box) or look
        place = None if look is None else _place(look, box)
        if look is not None and place is not None:
            yield look, place


def is_made_by_its_reader(root: Any) -> bool:
    """Whether pages show nothing until a program makes them from an XFA form."""
    form = root.get("/AcroForm", Dictionary())
    return bool(root.get("/NeedsRendering", False)) and isinstance(form, Dictionary) and "/XFA" in form


def resources(root: Any) -> Any:
    """What looks use that have no resources of their own."""
    form = root.get("/AcroForm", Dictionary())
    return form.get("/DR", Dictionary()) if isinstance(form, Dictionary) else Dictionary()


def _inherited(field: Any, key: str) -> Any:
    for _ in range(_PARENTS):
        if key in field:
            return field[key]
        field = field.get("/Parent")
        if not isinstance(field, Dictionary):
            break
    return ""


def _look(field: Any) -> Stream | None:
    found = field.get("/AP", Dictionary()).get("/N")
    if isinstance(found, Dictionary):
        found = found.get(str(field.get("/AS", "/Off")))
    return found if isinstance(found, Stream) else None


def _look_of_value(pdf: pikepdf.Pdf, field: Any, box: tuple[float, ...]) -> Stream | None:
    """Lines of the field's value, in a font that every reader has, as small as they must be to fit."""
    value = _inherited(field, "/V")
    texts = list(value) if isinstance(value, Array) else [value]
    lines = [line for each in texts if isinstance(each, pikepdf.String) for line in str(each).splitlines()]
    width, height = abs(box[2] - box[0]), abs(box[3] - box[1])
    if not any(map(str.strip, lines)) or int(_inherited(field, "/Ff") or 0) & _SECRET:
        return None
    longest = max(sum(standard_width("Helvetica", each) for each in line) for line in lines) / 1000
    size = min(_SIZE, height / len(lines) / _LEADING, (width - 2 * _EDGE) / longest if longest else _SIZE)
    if size <= 0:
        return None
    rows = b" ".join(b"<%s> Tj T*" % standard_codes(line).hex().encode() for line in lines)
    start = f"BT /F1 {size:.3f} Tf {size * _LEADING:.3f} TL {_EDGE} {height - size:.3f} Td ".encode()
    look = pdf.make_stream(start + rows + b" ET")
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    look.BBox, look.Resources = Array([0, 0, width, height]), Dictionary(Font=Dictionary(F1=font))
    return look


def _place(look: Any, wanted: tuple[float, ...]) -> Matrix | None:
    """How a look is moved so that its box fills the field; None where it has no box."""
    box = numbers(look.get("/BBox"), 4)
    if box is None:
        return None
    a, b, c, d, e, f = numbers(look.get("/Matrix"), 6) or IDENTITY
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in box[::2] for y in box[1::2]]
    across, up = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    width, height = across[-1] - across[0], up[-1] - up[0]
    if not (width > 0 and height > 0):
        return None
    wide, tall = abs(wanted[2] - wanted[0]) / width, abs(wanted[3] - wanted[1]) / height
    left, low = min(wanted[::2]), min(wanted[1::2])
    return wide, 0.0, 0.0, tall, left - wide * across[0], low - tall * up[0]
