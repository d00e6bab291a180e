"""What may stand in the tables and properties of RTF: what is well known, numbers, names made anew."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from deidlab.carriers.docx_values import words
from deidlab.carriers.tables import load_table

MAX_NUMBER = 99_999
_MAX_COLOUR = 0xFFFFFF
FAMILIES = frozenset(["fnil", "froman", "fswiss", "fmodern", "fscript", "fdecor", "ftech", "fbidi"])
_OTHER_FONTS = {"froman": "Times New Roman", "fmodern": "Courier New", "ftech": "Symbol"}
_SCRIPT = re.compile(r" (?:CE|Cyr|Greek|Tur|Baltic|\((?:Hebrew|Arabic|Vietnamese|Thai)\))$")
_PROPERTY = re.compile(rb"\\sp\s*\{\\sn\s+(\w+)\s*\}\s*\{\\sv\s+(-?[0-9]{1,8})\s*\}\s*")
_TEMPLATE = re.compile(rb"\\leveltemplateid-?[0-9]+ ?")
# The label of a list: its length, places of numbers, signs, and a letter that a picture font shows as a dot.
_LABEL = re.compile(
    rb"(?:\\'[089a-fA-F][0-9a-fA-F]|\\u(?:-[0-9]{1,5}|[89][0-9]{3}|[0-9]{5}) ?|[^\\{}\r\na-zA-Z0-9;])*"
    rb"[a-zA-Z0-9]?[^\\{}a-zA-Z0-9;]*;"
)
_PLACES = re.compile(rb"(?:\\'0[0-9a-fA-F])*;")
_MARKUP = re.compile(rb"\\\*|\\[a-zA-Z]+-?[0-9]* ?|[{}\r\n]")
SECOND = re.compile(rb"\\u(-?[0-9]{1,6}) ?")


@functools.cache
def listed() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """What the table says: destinations to their kinds, those that go to what they are, words that stay."""
    table = load_table("rtf")
    kinds = {
        name: kind
        for kind, names in table["destinations"].items()
        for name in (names if isinstance(names, dict) else names.split())
    }
    removed = {name: kind for kind, names in table["removed"].items() for name in names.split()}
    return kinds, removed, frozenset(name for names in table["words"].values() for name in names.split())


@functools.cache
def _properties_of_shapes() -> frozenset[str]:
    return frozenset(load_table("rtf")["shapes"]["properties"].split())


@dataclass(slots=True)
class Numbers:
    """Names of styles and ids of lists, made anew in the order in which they come."""

    _styles: dict[str, int] = field(default_factory=dict, repr=False)
    _lists: dict[int, int] = field(default_factory=dict, repr=False)

    def style(self, name: str) -> str:
        if name in words("vocabulary", "styles"):
            return name
        return f"Style {self._styles.setdefault(name, len(self._styles) + 1)}"

    def list(self, id: int) -> int:
        return self._lists.setdefault(id, len(self._lists) + 1)


def font_name(name: str, family: str) -> str:
    """The font, or where it is not well known, one of its family."""
    return (
        name if _SCRIPT.sub("", name) in words("vocabulary", "fonts") else _OTHER_FONTS.get(family, "Arial")
    )


def field_code(instruction: bytes) -> str:
    """The code of a field, without what it looks like."""
    plain = _MARKUP.sub(b"", instruction.replace(b"\\\\", b"\0"))
    return plain.replace(b"\0", b"\\").decode("latin-1")


def is_number_of_shape(written: bytes) -> bool:
    """Whether a property of a shape is one that is known, and a number."""
    match = _PROPERTY.fullmatch(written)
    if match is None or match[1].decode() not in _properties_of_shapes():
        return False
    return abs(int(match[2])) <= (_MAX_COLOUR if b"olor" in match[1] else MAX_NUMBER)


def list_label(written: bytes) -> bytes | None:
    """The label of a list's level; None where it says more than a number or a dot."""
    label = _TEMPLATE.sub(b"", written)
    return label if _LABEL.fullmatch(label) else None


def places_in_label(written: bytes) -> bytes:
    """Where in a label numbers stand."""
    return written if _PLACES.fullmatch(written) else b";"


def is_first_half(unit: int) -> bool:
    """Whether a UTF-16 unit needs another."""
    return -0x8000 <= unit <= 0xFFFF and 0xD800 <= unit & 0xFFFF <= 0xDBFF


def character(units: Sequence[int]) -> str:
    """The character that UTF-16 units are, signed as RTF writes them, or a number beyond them."""
    if any(not -0x8000 <= each <= 0xFFFF for each in units):
        return chr(units[0]) if len(units) == 1 and 0 <= units[0] <= 0x10FFFF else "\ufffd"
    whole = b"".join((each & 0xFFFF).to_bytes(2, "little") for each in units)
    return whole.decode("utf-16-le", "replace")[:1]


def shows_no_other(fallback: bytes, text: str, codec: str) -> bool:
    """Whether readers that do not know Unicode are shown the same character, a sign or question marks."""
    if re.fullmatch(rb"\\'[0-9a-fA-F]{2}", fallback):
        fallback = bytes.fromhex(fallback[2:].decode())
    shown = fallback.decode(codec, "replace")
    return not fallback.strip(b"?") or shown == text or (len(shown) == 1 and not shown.isalnum())
