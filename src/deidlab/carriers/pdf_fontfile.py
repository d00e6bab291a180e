"""Font programs without the words in them: glyphs stay, names, notices and unknown tables go."""

from __future__ import annotations

import itertools
import re
import struct

from deidlab.carriers.carrier import Refused
from deidlab.carriers.pdf_glyphs import is_harmless_name

_TABLES = frozenset(b"cmap|cvt |fpgm|glyf|head|hhea|hmtx|loca|maxp|prep|vhea|vmtx|CFF ".split(b"|"))
_WORDS = re.compile(rb"(/(?:version|Notice|FullName|FamilyName|Weight|Copyright)\s*\()([^()]*)(?=\))")
_COMMENT = re.compile(rb"(?<=[\r\n])%[^\r\n]*")


def clean_truetype(data: bytes) -> bytes:
    """A TrueType or OpenType font of the tables that draw it."""
    try:
        kind, n_tables = struct.unpack(">4sH", data[:6])
        if kind not in (b"\0\1\0\0", b"true", b"OTTO"):
            raise ValueError
        rows = [struct.unpack(">4sLLL", data[12 + 16 * row : 28 + 16 * row]) for row in range(n_tables)]
        rows = [row for row in rows if row[0] in _TABLES]
        if any(start + size > len(data) for _, _, start, size in rows):
            raise ValueError
        kept = [(tag, data[start : start + size]) for tag, _, start, size in rows]
        kept = [(tag, clean_cff(part) if tag == b"CFF " else part) for tag, part in kept]
    except (struct.error, ValueError):
        raise Refused("a font in it is damaged") from None
    power = max(1, len(kept)).bit_length() - 1
    out = [kind, struct.pack(">HHHH", len(kept), 16 << power, power, 16 * len(kept) - (16 << power))]
    place, bodies = 12 + 16 * len(kept), []
    for tag, part in sorted(kept):
        padded = part + bytes(-len(part) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}L", padded)) & 0xFFFFFFFF
        out.append(struct.pack(">4sLLL", tag, total, place, len(part)))
        bodies.append(padded)
        place += len(padded)
    return b"".join(out + bodies)


def clean_type1(data: bytes) -> bytes:
    """A Type 1 font whose words are blanks; no byte moves."""
    end = data.find(b"eexec")
    head = _WORDS.sub(lambda match: match[1] + b" " * len(match[2]), data[: max(0, end)])
    head = _COMMENT.sub(lambda match: b" " * len(match[0]), head)
    if end < 0 or not head:
        raise Refused("a font in it is damaged")
    return head + data[end:]


def clean_cff(data: bytes) -> bytes:
    """A CFF font whose strings are blanks, but for the names of glyphs; no byte moves."""
    out = bytearray(data)
    try:
        place, names = _index(data, data[2])
        place, _ = _index(data, place)
        _, strings = _index(data, place)
    except (IndexError, ValueError):
        raise Refused("a font in it is damaged") from None
    for start, end in (*names, *strings):
        if not is_harmless_name(data[start:end].decode("latin-1")):
            out[start:end] = b"x" * (end - start)
    return bytes(out)


def _index(data: bytes, place: int) -> tuple[int, list[tuple[int, int]]]:
    """Where an index ends, and where each of its entries stands."""
    n = int.from_bytes(data[place : place + 2])
    if n == 0:
        return place + 2, []
    size = data[place + 2]
    if not 1 <= size <= 4:
        raise ValueError
    first = place + 3
    offsets = [int.from_bytes(data[first + size * row : first + size * (row + 1)]) for row in range(n + 1)]
    base = first + size * (n + 1) - 1
    if offsets != sorted(offsets) or base + offsets[-1] > len(data):
        raise ValueError
    return base + offsets[-1], [(base + start, base + end) for start, end in itertools.pairwise(offsets)]
