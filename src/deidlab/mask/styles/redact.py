"""Blocks, or a mark, in place of a span."""

from __future__ import annotations

from deidlab.mask.mention import Mention
from deidlab.mask.style import Style, register

BLOCK = "█"


def write(mention: Mention) -> str:
    """The mark, or a block for every character; line ends stay, so that the note keeps its lines."""
    mark = mention.note.redact_mark
    return mark if mark is not None else "".join(c if c in "\r\n" else BLOCK for c in mention.text)


STYLE = register(Style("redact", write))
