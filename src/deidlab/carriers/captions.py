"""Words beside a field that help to tell what it holds."""

from __future__ import annotations

from deidlab.carriers.docx_values import words


def caption_of(text: str) -> str:
    """The text, if it is one of the words that forms have before what is filled in, without its colon."""
    said = text.strip().rstrip(":").rstrip()
    return said if said.casefold() in words("captions", "words") else ""
