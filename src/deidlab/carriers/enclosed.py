"""Text that is enclosed in a record, packed in base64, as pieces: plain or marked up; nothing else is."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from deidlab.carriers.carrier import Piece, Refused, Slot
from deidlab.carriers.markup import Markup, read_markup

_TYPE = re.compile(r"([a-z]+/[a-z0-9.+-]+)(?:\s*;\s*charset=\"?([A-Za-z0-9-]+)\"?)?", re.I)
_CHARSETS = {"utf-8": "utf-8", "us-ascii": "ascii", "iso-8859-1": "latin-1", "windows-1252": "cp1252"}


def is_media_type(kind: str) -> bool:
    """Whether it is a type such as text/plain, with nothing but a character set behind it."""
    return _TYPE.fullmatch(kind) is not None


@dataclass(slots=True)
class Enclosed:
    """Text out of its package; `markup` where it is marked up."""

    text: str = field(repr=False)
    charset: str
    markup: Markup | None = field(default=None, repr=False)

    def slots(self, put: Callable[[str], None]) -> Iterator[Slot]:
        """Its pieces; plain text is packed as it is put, marked-up text once all is put, by `packed`."""
        if self.markup is None:
            yield Slot(Piece(self.text), lambda new: None if new == self.text else put(self.pack(new)))
        else:
            yield from self.markup.slots()

    def packed(self) -> str:
        """Marked-up text as it is now."""
        assert self.markup is not None
        return self.pack(self.markup.written())

    def pack(self, text: str) -> str:
        """The package of a text."""
        return base64.b64encode(text.encode(self.charset, "replace")).decode("ascii")


def unpack(data: str, kind: str) -> Enclosed | str:
    """The text, or a word for why nothing can be searched; what is not base64 is refused."""
    match = _TYPE.fullmatch(kind)
    media, charset = (match[1].lower(), (match[2] or "utf-8").lower()) if match else ("", "")
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Refused("an attachment's data is not base64; mend it or take it out") from None
    if media not in ("text/plain", "text/markdown", "text/html") or charset not in _CHARSETS:
        return "attachments of other kinds"
    try:
        text = content.decode(_CHARSETS[charset])
    except UnicodeDecodeError:
        return "attachments that are not in their character set"
    markup = read_markup(text, whole=False) if media == "text/html" else None
    if media == "text/html" and markup is None:
        return "attachments that are cut off"
    return Enclosed(text, _CHARSETS[charset], markup)
