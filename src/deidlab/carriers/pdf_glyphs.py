"""What the codes of a font stand for: glyphs by their names, and the maps that a PDF brings along."""

from __future__ import annotations

import functools
import re
import unicodedata

from deidlab.carriers.carrier import Refused

_ACCENTS = {
    "grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304",
    "breve": "\u0306", "dotaccent": "\u0307", "dieresis": "\u0308", "ring": "\u030a",
    "hungarumlaut": "\u030b", "caron": "\u030c", "commaaccent": "\u0327", "cedilla": "\u0327",
    "ogonek": "\u0328",
}  # fmt: skip
_SIGNS = """
space exclam:21 quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus
comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal
greater question at bracketleft:5b backslash bracketright asciicircum underscore grave braceleft:7b bar
braceright asciitilde nbspace:a0 exclamdown cent sterling currency yen brokenbar section dieresis copyright
ordfeminine guillemotleft logicalnot uni00AD registered macron degree plusminus twosuperior threesuperior
acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright onequarter onehalf
threequarters questiondown AE:c6 Eth:d0 multiply:d7 Oslash Thorn:de germandbls ae:e6 eth:f0 divide:f7 oslash
thorn:fe Dcroat:110 dcroat dotlessi:131 Lslash:141 lslash OE:152 oe florin:192 circumflex:2c6 caron:2c7
breve:2d8 dotaccent ring ogonek tilde hungarumlaut endash:2013 emdash quoteleft:2018 quoteright
quotesinglbase quotedblleft:201c quotedblright quotedblbase dagger:2020 daggerdbl bullet ellipsis:2026
perthousand:2030 guilsinglleft:2039 guilsinglright fraction:2044 Euro:20ac trademark:2122 Omega:2126
partialdiff:2202 Delta:2206 product:220f summation:2211 minus radical:221a infinity:221e integral:222b
approxequal:2248 notequal:2260 lessequal:2264 greaterequal lozenge:25ca ff:fb00 fi fl ffi ffl sfthyphen:ad
"""
MAX_CODES = 300_000
_UNICODE = re.compile(r"uni([0-9A-F]{4})|u([0-9A-F]{4,6})")
_NUMBERED = re.compile(r"\.notdef|[A-Za-z]{0,3}[0-9]{1,4}")
_UPPER = (
    "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ*–†‡·*¶•‚„”»…‰*¿*`´ˆ˜¯˘˙¨*˚¸*˝˛ˇ—" + "*" * 16 + "Æ*ª****ŁØŒº*****æ***ı**łøœß"
)  # fmt: skip


@functools.cache
def glyph_names() -> dict[str, str]:
    """Glyph names of Latin text to characters."""
    found: dict[str, str] = {}
    place = 0x1F
    for each in _SIGNS.split():
        name, _, number = each.partition(":")
        place = int(number, 16) if number else place + 1
        found[name] = chr(place)
        if name == "at":
            place = 0x5A
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz":
        found[letter] = letter
        for accent, mark in _ACCENTS.items():
            whole = unicodedata.normalize("NFC", letter + mark)
            if len(whole) == 1:
                found[letter + accent] = whole
    return found


def text_of_name(name: str) -> str | None:
    """The text of a glyph by its name; None where the name does not say."""
    base = name.split(".", 1)[0] if not name.startswith(".") else name
    parts = []
    for each in base.split("_"):
        match = _UNICODE.fullmatch(each)
        if match:
            number = int(match[1] or match[2], 16)
            parts.append(chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else "\ufffd")
        elif each in glyph_names():
            parts.append(glyph_names()[each])
        else:
            return None
    return "".join(parts)


def is_harmless_name(name: str) -> bool:
    """Whether the name of a glyph is one of the standard's, or a number."""
    return _NUMBERED.fullmatch(name) is not None or text_of_name(name) is not None


@functools.cache
def encoding(name: str) -> dict[int, str]:
    """The codes of an encoding that the standard names."""
    if name == "/StandardEncoding":
        found = {code: chr(code) for code in range(0x20, 0x7F)} | {0x27: "’", 0x60: "‘"}
        return found | {0xA1 + place: each for place, each in enumerate(_UPPER) if each != "*"}
    codec = {"/WinAnsiEncoding": "cp1252", "/MacRomanEncoding": "mac_roman"}.get(name)
    if codec is None:
        return {}
    found = {code: bytes([code]).decode(codec, "ignore") for code in range(0x20, 0x100)}
    return {code: each for code, each in found.items() if each}


_BLOCK = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.DOTALL)
_CHAR = re.compile(rb"<([0-9a-fA-F\s]*)>\s*<([0-9a-fA-F\s]*)>")
_RANGE = re.compile(rb"<([0-9a-fA-F\s]*)>\s*<([0-9a-fA-F\s]*)>\s*(?:<([0-9a-fA-F\s]*)>|\[([^\]]*)\])")


def read_map(data: bytes) -> dict[int, str]:
    """The codes of a ToUnicode map, as far as it can be read."""
    found: dict[int, str] = {}
    n_left = MAX_CODES
    for kind, inside in _BLOCK.findall(data):
        if kind == b"bfchar":
            found.update((_number(code), _text(text)) for code, text in _CHAR.findall(inside))
            continue
        for first, last, text, texts in _RANGE.findall(inside):
            start, n = _number(first), _number(last) - _number(first) + 1
            n_left -= max(0, n)
            if n_left < 0:
                raise Refused("a font in it has more letters than there are")
            listed = re.findall(rb"<([0-9a-fA-F\s]*)>", texts)
            for step in range(n):
                if listed:
                    found.update({start + step: _text(listed[step])} if step < len(listed) else {})
                else:
                    whole = _text(text)
                    last_one = ord(whole[-1]) + step if whole else 0
                    if whole and last_one <= 0x10FFFF and not 0xD800 <= last_one < 0xE000:
                        found[start + step] = whole[:-1] + chr(last_one)
    return found


def _number(written: bytes) -> int:
    return int(b"".join(written.split())[:8] or b"0", 16)


def _text(written: bytes) -> str:
    plain = b"".join(written.split())
    return bytes.fromhex((plain + b"0" * (len(plain) % 2)).decode()).decode("utf-16-be", "replace")


def write_map(texts: dict[int, str], n_bytes: int) -> bytes:
    """A ToUnicode map of these codes."""
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Text def /CMapType 2 def",
        f"1 begincodespacerange <{'00' * n_bytes}> <{'ff' * n_bytes}> endcodespacerange",
    ]
    whole = sorted(texts.items())
    for start in range(0, len(whole), 100):
        part = whole[start : start + 100]
        lines.append(f"{len(part)} beginbfchar")
        lines += [f"<{code:0{2 * n_bytes}x}> <{text.encode('utf-16-be').hex()}>" for code, text in part]
        lines.append("endbfchar")
    return "\n".join([*lines, "endcmap end end"]).encode()


def readable(text: str | None) -> str | None:
    """The text without what only fonts of pictures mean; None where it cannot be told."""
    if not text:
        return None
    plain = "".join(chr(ord(each) - 0xF000) if 0xF020 <= ord(each) <= 0xF0FF else each for each in text)
    plain = "".join(unicodedata.normalize("NFKC", each) if "ﬀ" <= each <= "ﬆ" else each for each in plain)
    for each in plain:
        if each == "\ufffd" or unicodedata.category(each) in ("Cc", "Co", "Cn", "Cs"):
            return None
    return plain
