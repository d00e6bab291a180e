"""What an attribute of Word's may hold: numbers, colours, words of the standard, names made anew.

A value goes in; what may stand in its place comes out, or nothing where nobody has classified it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import Any

from deidlab.carriers.tables import load_table

_UNIT = r"(?:pt|in|cm|mm|pc|pi|px|%)?"
_HARMLESS = re.compile(
    rf"-?\d{{0,8}}(?:\.\d{{1,6}})?{_UNIT}|[0-9A-F]{{2}}|0[0-9A-F]{{3}}|#?[0-9A-Fa-f]{{6}}|#[0-9A-Fa-f]{{3}}"
)
_LANGUAGE = re.compile(r"[a-z]{2}-[A-Z]{2}")
_THEME_FONT = re.compile(r"\+m[nj]-(?:lt|ea|cs)")
_SYMBOL = re.compile(r"[0-9A-Fa-f]{4}")
_PAGE_FIELD = re.compile(
    r"\s*(PAGE|NUMPAGES|SECTIONPAGES)\s*(?:\\\*\s*(?:MERGEFORMAT|Arabic|roman|Roman)\s*)*"
)
_STYLED = frozenset(
    f"w:{name}"
    for name in ("pStyle", "rStyle", "tblStyle", "basedOn", "next", "link", "styleLink", "numStyleLink")
)
_SYMBOLS = frozenset(("Symbol", "Webdings", "Wingdings", "Wingdings 2", "Wingdings 3"))
_FONTED = frozenset(("w:rFonts", "a:latin", "a:ea", "a:cs"))
_BOX_WORDS = frozenset(("absolute", "relative", "static", "visible", "hidden", "square", "none"))
GRAPHICS = frozenset(
    (
        "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    )
)
_STRICT_PICTURE = "http://purl.oclc.org/ooxml/drawingml/picture"
TEXTS = frozenset(
    (
        *((name, key) for name in ("wp:docPr", "pic:cNvPr", "wps:cNvPr") for key in ("descr", "title")),
        ("w:tblCaption", "w:val"), ("w:tblDescription", "w:val"), ("w:lvlText", "w:val"),
    )
)  # fmt: skip
"""Attributes that hold text, which is searched."""


def known() -> dict[str, Any]:
    """The table of Word's documents."""
    return load_table("docx")


@functools.cache
def words(section: str, key: str) -> frozenset[str]:
    """A list of the table as a set."""
    text: str = known()[section][key].strip()
    return frozenset(re.split(r"[|\n]", text) if "|" in text else text.split())


def is_harmless(value: str) -> bool:
    """Whether a value is a number, a colour, or a word of the standard."""
    return value in words("vocabulary", "words") or _HARMLESS.fullmatch(value) is not None


def page_field(code: str) -> str:
    """The code of a field that counts pages, as the standard writes it; empty for any other field."""
    match = _PAGE_FIELD.fullmatch(code)
    return f" {match[1]} " if match else ""


@dataclass(slots=True)
class Names:
    """Names of styles and numbers of notes: what a document calls them may say who wrote it."""

    _styles: dict[str, str] = field(default_factory=dict, repr=False)
    _titles: dict[str, str] = field(default_factory=dict, repr=False)
    _numbers: dict[str, str] = field(default_factory=dict, repr=False)
    _shapes: int = 0

    def style(self, id: str) -> str:
        return self._styles.setdefault(id, f"S{len(self._styles) + 1}")

    def number(self, number: str) -> str:
        """A short number stays; a long one could be a patient's."""
        if not re.fullmatch(r"-?\d+", number):
            return "0"
        return (
            number if len(number) < 5 else self._numbers.setdefault(number, str(10000 + len(self._numbers)))
        )

    def _title(self, name: str) -> str:
        return self._titles.setdefault(name, f"Style {len(self._titles) + 1}")

    def shape(self) -> str:
        self._shapes += 1
        return str(self._shapes)

    def value(self, name: str, key: str, value: str) -> str | None:
        """What may stand in the attribute of an element, or None."""
        if (name, key) in TEXTS:
            return value
        own = self._own(name, key, value)
        if own is not None:
            return own if own or not value else None
        prefix = name.partition(":")[0]
        local = key.removeprefix("w:") if prefix == "w" else key
        listed = (prefix != "w" or key.startswith("w:")) and local in words("attributes", prefix)
        return value if listed and is_harmless(value) else None

    def _own(self, name: str, key: str, value: str) -> str | None:
        """The value of an attribute that is treated in a way of its own; empty where it goes."""
        if (name, key) == ("w:style", "w:styleId") or (name in _STYLED and key == "w:val"):
            return self.style(value)
        if name == "w:name" and key == "w:val":
            return value if value in words("vocabulary", "styles") else self._title(value)
        if key in _NUMBERED or (name in _NUMBERED and key == "w:val"):
            return self.number(value)
        if name in ("wp:docPr", "pic:cNvPr", "wps:cNvPr"):
            return {"id": self.shape(), "name": "Picture"}.get(key, "")
        if (name, key) == ("wp:anchor", "relativeHeight"):
            return self.shape()
        if name == "w:comment" and key == "w:author":
            return "Author"
        if name in ("w:lang", "w:themeFontLang"):
            return value if key in _LANGUAGES and _LANGUAGE.fullmatch(value) else ""
        if name == "w:sym":
            fits = value in _SYMBOLS if key == "w:font" else _SYMBOL.fullmatch(value) and key == "w:char"
            return value if fits else ""
        if name in ("a:theme", "a:clrScheme", "a:fontScheme", "a:fmtScheme") and key == "name":
            return "Theme"
        return self._look(name, key, value)

    def _look(self, name: str, key: str, value: str) -> str | None:
        if name in _FONTED and not key.lower().endswith("theme") and key != "w:hint":
            is_font = value in words("vocabulary", "fonts") or _THEME_FONT.fullmatch(value)
            return value if is_font and key in _FONT_KEYS else ""
        if name == "a:graphicData" and key == "uri":
            value = min(GRAPHICS) if value == _STRICT_PICTURE else value
            return value if value in GRAPHICS else ""
        if name == "mc:Choice" and key == "Requires":
            return value if value in ("wps", "wp14") else ""
        if name.startswith("v:") and key == "style":
            return ";".join(filter(_is_box, value.split(";")))
        return None


_NUMBERED = frozenset(("w:id", "w:numId", "w:abstractNumId"))
_LANGUAGES = frozenset(("w:val", "w:eastAsia", "w:bidi"))
_FONT_KEYS = frozenset(("w:ascii", "w:hAnsi", "w:cs", "w:eastAsia", "typeface"))


def _is_box(declaration: str) -> bool:
    name, _, value = declaration.partition(":")
    return name.strip() in words("vocabulary", "boxes") and (value in _BOX_WORDS or is_harmless(value))
