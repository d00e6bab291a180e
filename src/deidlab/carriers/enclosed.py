"""What is enclosed in a container (a letter in a record, a record in a letter): unpacked by its own carrier.

Its pieces become pieces of the container around it, so that all is masked together. What no carrier that
stands can unpack is left out by whoever found it, as is what lies deeper, or is larger, than the limits.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from deidlab.carriers.carrier import Carrier, Piece, Refused, Removed, Slot
from deidlab.carriers.markup import Markup, read_markup
from deidlab.carriers.standing import carrier_of
from deidlab.carriers.tables import load_table

MAX_DEPTH = 2
MAX_BYTES = 64 << 20
OTHER_KINDS = "attachments of other kinds"
_DAMAGED = "attachments that cannot be taken apart"
_CUT_OFF = "attachments that are cut off"
_UNREADABLE = "attachments that are not in their character set"
_TOO_DEEP = f"attachments more than {MAX_DEPTH} deep"
_CHARSETS = {"utf-8": "utf-8", "us-ascii": "ascii", "iso-8859-1": "latin-1", "windows-1252": "cp1252"}
_UTF8 = ("utf-8", "us-ascii")
_TYPE = re.compile(r"([a-z-]+/[a-z0-9.+-]+)(?:\s*;\s*charset=\"?([A-Za-z0-9-]+)\"?)?", re.I)


def is_media_type(kind: str) -> bool:
    """Whether it is a type such as text/plain, with nothing but a character set behind it."""
    return _TYPE.fullmatch(kind) is not None


def pack_base64(content: bytes) -> str:
    """The characters that stand for bytes in a record."""
    return base64.b64encode(content).decode("ascii")


@dataclass(frozen=True, slots=True)
class Enclosed:
    """What was unpacked: its pieces, and what is written once all of them are back in their places."""

    content: bytes = field(repr=False)
    slots: tuple[Slot, ...] = field(repr=False)
    written: Callable[[], bytes] = field(repr=False)


@dataclass(slots=True)
class _Budget:
    """How deep a container lies, and how many bytes may still be unpacked in it and those around it."""

    depth: int
    around: _Budget | None = None
    left: int = field(default_factory=lambda: MAX_BYTES)

    def spend(self, n_bytes: int) -> None:
        self.left -= n_bytes
        if self.left < 0:
            raise Refused(f"what is enclosed in it has more than {MAX_BYTES >> 20} MiB; split it")
        if self.around is not None:
            self.around.spend(n_bytes)


_INSIDE: ContextVar[_Budget | None] = ContextVar("inside", default=None)


@contextmanager
def _within(budget: _Budget) -> Iterator[None]:
    token = _INSIDE.set(budget)
    try:
        yield
    finally:
        _INSIDE.reset(token)


class Enclosures:
    """All that one container encloses, within limits; `removed` counts what is not unpacked, by kinds."""

    def __init__(self, removed: Removed) -> None:
        around = _INSIDE.get()
        self._budget = _Budget(around.depth + 1 if around else 0, around)
        self._removed = removed

    def unpack_base64(self, data: str, kind: str) -> Enclosed | None:
        """The same from base64, of a type as records write it: `text/plain; charset=utf-8`."""
        match = _TYPE.fullmatch(kind)
        try:
            content = base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            raise Refused("an attachment's data is not base64; mend it or take it out") from None
        return self.unpack(content, match[1] if match else "", (match and match[2]) or "utf-8")

    def unpack(self, data: bytes, media: str, charset: str = "utf-8") -> Enclosed | None:
        """The pieces of what is enclosed; None, and counted, where nothing of it may stay."""
        kind = load_table("enclosed")["media"].get(media.lower(), "")
        self._budget.spend(len(data))
        if self._budget.depth >= MAX_DEPTH:
            return self._left_out(_TOO_DEEP)
        carrier = carrier_of(kind)
        # A page in another character set may not say so itself.
        if carrier is not None and (kind != "html" or charset.lower() in _UTF8):
            return self._by_carrier(carrier, data)
        if kind not in ("text", "html") or charset.lower() not in _CHARSETS:
            return self._left_out(OTHER_KINDS)
        encoding = _CHARSETS[charset.lower()]
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            return self._left_out(_UNREADABLE)
        if kind == "text":
            return _text(data, text, encoding)
        markup = read_markup(text, whole=False)
        return _markup(data, markup, encoding) if markup else self._left_out(_CUT_OFF)

    def _by_carrier(self, carrier: Carrier, data: bytes) -> Enclosed | None:
        depth = self._budget.depth
        try:
            with _within(self._budget):
                parts = carrier.take_apart(data)
        except Refused:
            if self._budget.left < 0:
                raise
            return self._left_out(_DAMAGED)
        self._budget.spend(sum(len(piece.text) for piece in parts.pieces))
        self._removed.update(parts.removed)
        texts: list[str] = []

        def written() -> bytes:
            # What it was unpacked into is paid for.
            with _within(_Budget(depth)):
                return carrier.put_together(data, texts)

        def put(*new: str) -> None:
            texts.extend(new)

        return Enclosed(data, tuple(Slot(piece, put) for piece in parts.pieces), written)

    def _left_out(self, why: str) -> Enclosed | None:
        self._removed[why] += 1
        return None


def _text(data: bytes, text: str, encoding: str) -> Enclosed:
    now = [text]

    def put(new: str) -> None:
        now[0] = new

    return Enclosed(data, (Slot(Piece(text), put),), lambda: now[0].encode(encoding, "replace"))


def _markup(data: bytes, markup: Markup, encoding: str) -> Enclosed:
    return Enclosed(data, tuple(markup.slots()), lambda: markup.written().encode(encoding, "replace"))
