"""The text of RTF: tokens and their offsets, bytes to characters by code page, and characters to RTF."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from deidlab.carriers.carrier import Refused

TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<symbol>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<line>[\r\n]+)|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_BARE = re.compile(rb"\\[a-zA-Z]+(?:-?[0-9]+)?")
_ESCAPED = {"\\": b"\\\\", "{": b"\\{", "}": b"\\}", "\n": b"\\line ", "\t": b"\\tab ", "\xa0": b"\\~"}


def token_at(content: bytes, place: int) -> re.Match[bytes]:
    """The token there; a file that ends before its last group does is `Refused`."""
    match = TOKEN.match(content, place)
    if match is None:
        raise Refused("it ends before its last group is closed; it may be cut short")
    return match


def end_of(match: re.Match[bytes]) -> int:
    """Where a token ends, with the bytes that it says it brings along."""
    return match.end() + (max(0, int(match["number"] or 0)) if match["word"] == b"bin" else 0)


def end_of_group(content: bytes, place: int) -> int:
    """Where the brace stands that closes the group of that place."""
    depth = 0
    while True:
        match = token_at(content, place)
        depth += {b"{": 1, b"}": -1}.get(match[0], 0)
        if depth < 0:
            return place
        place = end_of(match)


@dataclass(slots=True)
class Char:
    """A character, the bytes that stand for it, and what becomes of it."""

    text: str = field(repr=False)
    source: bytes = field(repr=False)
    n_fallbacks: int = 1
    new: str | None = field(default=None, repr=False)

    def put(self, text: str) -> None:
        if text != self.text:
            self.new = text

    def written(self) -> bytes:
        return self.source if self.new is None else to_rtf(self.new, self.n_fallbacks)


def to_rtf(text: str, n_fallbacks: int) -> bytes:
    """Text as RTF writes it, each character beyond ASCII with that many question marks behind it."""
    out = []
    for each in text:
        if each in _ESCAPED:
            out.append(_ESCAPED[each])
        elif " " <= each <= "~":
            out.append(each.encode())
        elif each > "~":
            units = each.encode("utf-16-le", "replace")
            for low, high in zip(units[::2], units[1::2], strict=True):
                unit = low | high << 8
                number = unit - 0x10000 if unit > 0x7FFF else unit
                out.append(b"\\u%d %s" % (number, b"?" * n_fallbacks))
    return b"".join(out)


def join(items: Iterable[bytes | Char]) -> bytes:
    """The file: a space goes between a control word and text that came to stand behind it."""
    out: list[bytes] = []
    bare = False
    for item in items:
        data = item if isinstance(item, bytes) else item.written()
        if not data:
            continue
        if bare and (data[:1].isalnum() or data[:1] in b" -"):
            out.append(b" ")
        out.append(data)
        bare = _BARE.fullmatch(data) is not None
    return b"".join(out)


def code_page(number: int) -> str:
    """The codec of a Windows code page; one that is not known is `Refused`."""
    name = {65001: "utf-8", 10000: "mac_roman", 1361: "johab", 936: "gbk"}.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise Refused("it is written in a code page that is not known; save it again as RTF") from None


@dataclass(slots=True)
class Decoder:
    """Bytes of one code page to characters; some take more than one byte."""

    codec: str
    _held: bytearray = field(default_factory=bytearray, repr=False)

    @property
    def is_waiting(self) -> bool:
        return bool(self._held)

    def flush(self) -> None:
        self._held.clear()

    def take(self, byte: int) -> str:
        """The character that ends with this byte; empty where it goes on."""
        self._held.append(byte)
        try:
            text = codecs.getincrementaldecoder(self.codec)().decode(bytes(self._held))
        except UnicodeDecodeError:
            text = bytes(self._held).decode("latin-1") if len(self._held) == 1 else "\ufffd"
        if text:
            self._held.clear()
        return text
