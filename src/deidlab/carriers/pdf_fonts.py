"""Fonts of a PDF: what each code stands for and how wide it is, and the same font again without words.

A font whose codes cannot be told, or that shows letters other than those it says, makes the file `Refused`:
what cannot be read cannot be searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream

from deidlab.carriers import pdf_glyphs as glyphs
from deidlab.carriers.carrier import Refused
from deidlab.carriers.pdf_file import Source, known_entries, numbers
from deidlab.carriers.pdf_fontfile import clean_cff, clean_truetype, clean_type1
from deidlab.carriers.pdf_standard import PICTURES, STANDARD, standard_width

_NUMBERS = (
    "/Flags", "/ItalicAngle", "/Ascent", "/Descent", "/CapHeight", "/XHeight", "/StemV", "/StemH",
    "/AvgWidth", "/MaxWidth", "/MissingWidth", "/Leading",
)  # fmt: skip
_SYMBOLIC, _SERIF, _FIXED = 4, 2, 1


@dataclass(frozen=True, slots=True)
class Code:
    """One code as it is shown."""

    data: bytes = field(repr=False)
    text: str = field(repr=False)
    width: float


@dataclass(slots=True)
class Font:
    """A font that is read; `used` are the codes that the new file shows, with their texts."""

    name: str
    source: Source = field(repr=False)
    found: Any = field(repr=False)
    used: dict[int, str] = field(default_factory=dict, repr=False)
    _texts: dict[int, str] = field(default_factory=dict, repr=False)
    _widths: dict[int, float] = field(default_factory=dict, repr=False)
    _default: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("/Type0", "/Type1", "/TrueType", "/MMType1"):
            raise Refused("a font is of a kind whose text cannot be told (Type 3 or unknown)")
        if self.is_wide and str(self.found.get("/Encoding", "")) != "/Identity-H":
            raise Refused("a font has an encoding that is not read here")
        declared = self.found.get("/ToUnicode")
        mapped = glyphs.read_map(self.source.read(declared)) if isinstance(declared, Stream) else {}
        shown = {} if self.is_wide else self._encoded()
        if any(_differ(mapped.get(code), text) for code, text in shown.items()):
            raise Refused("a font shows other letters than those that it says")
        self._texts = {
            code: text
            for code, each in (shown | mapped).items()
            if (text := glyphs.readable(each) or glyphs.readable(shown.get(code)))
        }
        self._read_widths()

    @property
    def kind(self) -> str:
        return str(self.found.get("/Subtype", ""))

    @property
    def is_wide(self) -> bool:
        return self.kind == "/Type0"

    @property
    def _inner(self) -> Any:
        return self.found["/DescendantFonts"][0] if self.is_wide else self.found

    @property
    def _descriptor(self) -> Any:
        return self._inner.get("/FontDescriptor", Dictionary())

    @property
    def _base(self) -> str:
        return str(self.found.get("/BaseFont", "")).lstrip("/").rpartition("+")[2]

    @property
    def _is_embedded(self) -> bool:
        return any(key in self._descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3"))

    def _encoded(self) -> dict[int, str]:
        """What the encoding of a simple font says."""
        listed = self.found.get("/Encoding")
        flags = int(self._descriptor.get("/Flags", 0))
        base = str(listed.get("/BaseEncoding", "")) if isinstance(listed, Dictionary) else str(listed or "")
        if self._base in PICTURES and not self._is_embedded:
            texts = dict.fromkeys(range(0x20, 0x100), "•") | {0x20: " "}
            # Symbol has the digits and most signs where they usually are.
            texts |= {code: chr(code) for code in range(0x20, 0x40)} if self._base == PICTURES[0] else {}
        elif base:
            texts = dict(glyphs.encoding(base))
        elif self._is_embedded and (flags & _SYMBOLIC or "/ToUnicode" in self.found):
            texts = {}
        else:
            texts = dict(glyphs.encoding("/StandardEncoding"))
        for code, name in _differences(listed):
            text = glyphs.text_of_name(name)
            texts.pop(code, None)
            if text is not None:
                texts[code] = text
        return texts

    def _read_widths(self) -> None:
        if self.is_wide:
            self._default = float(self._inner.get("/DW", 1000))
            self._widths = dict(_wide_widths(self._inner.get("/W", Array([]))))
            return
        first = int(self.found.get("/FirstChar", 0))
        self._default = float(self._descriptor.get("/MissingWidth", 0))
        if "/Widths" in self.found:
            self._widths = {first + place: float(each) for place, each in enumerate(self.found["/Widths"])}
        else:
            name = self.standard_name()
            self._widths = {code: standard_width(name, text[:1]) for code, text in self._texts.items()}

    def codes(self, data: bytes) -> Iterator[Code]:
        """The codes of a string that is shown."""
        size = 2 if self.is_wide else 1
        if len(data) % size:
            raise Refused("its text is damaged")
        for place in range(0, len(data), size):
            part = data[place : place + size]
            number = int.from_bytes(part)
            text = self._texts.get(number)
            if text is None:
                raise Refused("the text of a font cannot be told; mask what the PDF was made from")
            yield Code(part, text, self._widths.get(number, self._default))

    def standard_name(self) -> str:
        """The font that every reader has that looks most like it."""
        if self._base in STANDARD:
            return self._base
        flags, base = int(self._descriptor.get("/Flags", 0)), self._base.casefold()
        bold, slanted = "bold" in base, "italic" in base or "oblique" in base
        if flags & _FIXED or "courier" in base:
            family = "Courier"
        elif flags & _SERIF or "times" in base or ("serif" in base and "sans" not in base):
            return f"Times-{'Bold' * bold}{'Italic' * slanted}" if bold or slanted else "Times-Roman"
        else:
            family = "Helvetica"
        return family + ("-" if bold or slanted else "") + "Bold" * bold + "Oblique" * slanted

    def written(self, pdf: pikepdf.Pdf) -> Any:
        """The font for a new file: glyphs, widths and the codes that are used."""
        base = f"/AAAAAA+{self.name}" if self._is_embedded else f"/{self.standard_name()}"
        new = Dictionary(Type=Name.Font, Subtype=Name(self.kind), BaseFont=Name(base))
        size = 2 if self.is_wide else 1
        new.ToUnicode = pdf.make_stream(glyphs.write_map(self.used, size))
        if self.is_wide:
            new.Encoding = Name("/Identity-H")
            new.DescendantFonts = Array([pdf.make_indirect(self._descendant(pdf, base))])
            return pdf.make_indirect(new)
        codes = range(min(self.used, default=0), max(self.used, default=0) + 1)
        new.FirstChar, new.LastChar = codes[0], codes[-1]
        new.Widths = Array(
            [self._widths.get(code, self._default) if code in self.used else 0 for code in codes]
        )
        new.FontDescriptor = pdf.make_indirect(self._described(pdf, base))
        written = self._encoding()
        if written is not None:
            new.Encoding = written
        return pdf.make_indirect(new)

    def _encoding(self) -> Any:
        listed = self.found.get("/Encoding")
        base = str(listed.get("/BaseEncoding", "")) if isinstance(listed, Dictionary) else str(listed or "")
        known = glyphs.encoding(base)
        if not isinstance(listed, Dictionary):
            return Name(base) if known else None
        new = Dictionary(Type=Name.Encoding)
        if known:
            new.BaseEncoding = Name(base)
        differences: list[Any] = []
        for code, name in _differences(listed):
            if code in self.used and glyphs.is_harmless_name(name):
                differences += [code, Name(f"/{name}")]
        new.Differences = Array(differences)
        return new

    def _descendant(self, pdf: pikepdf.Pdf, base: str) -> Any:
        inner = self._inner
        kind = "/CIDFontType0" if str(inner.get("/Subtype")) == "/CIDFontType0" else "/CIDFontType2"
        new = Dictionary(Type=Name.Font, Subtype=Name(kind), BaseFont=Name(base), DW=self._default)
        new.CIDSystemInfo = Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0)
        widths: list[Any] = []
        for code in sorted(self.used):
            widths += [code, Array([self._widths.get(code, self._default)])]
        new.W = Array(widths)
        if kind == "/CIDFontType2":
            new.CIDToGIDMap = Name.Identity
            if isinstance(inner.get("/CIDToGIDMap"), Stream):
                places = bytearray(2 * (max(self.used, default=0) + 1))
                listed = self.source.read(inner["/CIDToGIDMap"])
                for code in self.used:
                    places[2 * code : 2 * code + 2] = listed[2 * code : 2 * code + 2].ljust(2, b"\0")
                new.CIDToGIDMap = pdf.make_stream(bytes(places))
        if not self._is_embedded:
            raise Refused("a font of many letters is not part of the file, so that its text cannot be told")
        new.FontDescriptor = pdf.make_indirect(self._described(pdf, base))
        return new

    def _described(self, pdf: pikepdf.Pdf, base: str) -> Any:
        found = self._descriptor
        new = Dictionary(Type=Name.FontDescriptor, FontName=Name(base))
        for key, value in known_entries(found, _NUMBERS, {}).items():
            new[key] = value
        if "/Flags" not in new:
            new.Flags = 32
        box = found.get("/FontBBox")
        new.FontBBox = Array(list(numbers(box, 4) or (0, 0, 1000, 1000)))
        for key, clean in (("/FontFile", clean_type1), ("/FontFile2", clean_truetype)):
            if key in found:
                new[key] = pdf.make_stream(clean(self.source.read(found[key])))
                for length in ("/Length1", "/Length2", "/Length3"):
                    if length in found[key]:
                        new[key][length] = int(found[key][length])
                if key == "/FontFile2":
                    new[key].Length1 = len(new[key].read_bytes())
        if "/FontFile3" in found:
            kind = str(found["/FontFile3"].get("/Subtype"))
            if kind not in ("/Type1C", "/CIDFontType0C", "/OpenType"):
                raise Refused("a font in it is of a kind that is not known")
            data = self.source.read(found["/FontFile3"])
            new.FontFile3 = pdf.make_stream(clean_truetype(data) if kind == "/OpenType" else clean_cff(data))
            new.FontFile3.Subtype = Name(kind)
        return new


def _differ(said: str | None, shown: str) -> bool:
    """Whether a letter that is shown is said to be another letter or a sign."""
    if not said or glyphs.readable(said) is None:
        return False
    one, other = glyphs.readable(said) or "", glyphs.readable(shown) or ""
    return one.casefold() != other.casefold() and other.isalnum() and other.isascii()


def _differences(listed: Any) -> Iterator[tuple[int, str]]:
    code = 0
    for each in listed.get("/Differences", Array([])) if isinstance(listed, Dictionary) else ():
        if isinstance(each, Name):
            yield code, str(each)[1:]
            code += 1
        else:
            code = int(each)


def _wide_widths(listed: Any) -> Iterator[tuple[int, float]]:
    row = list(listed)
    place, n_left = 0, glyphs.MAX_CODES
    while place + 1 < len(row):
        first = int(row[place])
        if isinstance(row[place + 1], Array):
            yield from ((first + step, float(each)) for step, each in enumerate(row[place + 1]))
            place += 2
        elif place + 2 < len(row):
            last = int(row[place + 1])
            n_left -= max(0, last - first)
            if n_left < 0:
                raise Refused("a font in it has more letters than there are")
            yield from ((code, float(row[place + 2])) for code in range(first, last + 1))
            place += 3
        else:
            return
