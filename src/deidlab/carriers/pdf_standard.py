"""The fonts that every reader has, and how wide their letters are as pdfium knows it."""

from __future__ import annotations

import ctypes
import functools
import threading
import unicodedata

import pypdfium2.raw as pdfium

_LOOKS = ("", "-Bold", "-Oblique", "-BoldOblique")
STANDARD = frozenset(
    (
        *(f"{family}{look}" for family in ("Courier", "Helvetica") for look in _LOOKS),
        *(f"Times-{look}" for look in ("Roman", "Bold", "Italic", "BoldItalic")),
        "Symbol",
        "ZapfDingbats",
    )
)
PICTURES = ("Symbol", "ZapfDingbats")
PDFIUM = threading.Lock()
"""pdfium works for one thread at a time."""


@functools.cache
def standard_width(name: str, text: str) -> float:
    """How wide a character is in one of the fonts that every reader has, in thousandths."""
    width = ctypes.c_float()
    with PDFIUM:
        document = pdfium.FPDF_CreateNewDocument()
        font = pdfium.FPDFText_LoadStandardFont(document, name.encode())
        pdfium.FPDFFont_GetGlyphWidth(font, ord(text), 1000.0, ctypes.byref(width))
        pdfium.FPDFFont_Close(font)
        pdfium.FPDF_CloseDocument(document)
    return width.value


def standard_codes(text: str) -> bytes:
    """The text in WinAnsi codes; a letter that these fonts lack goes without its accents, or as `?`."""
    out = b""
    for each in text:
        plain = "".join(c for c in unicodedata.normalize("NFKD", each) if not unicodedata.combining(c))
        try:
            out += each.encode("cp1252")
        except UnicodeEncodeError:
            out += plain.encode("cp1252", "replace")
    return out
