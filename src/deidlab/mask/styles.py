"""The two plain styles: blocks or a mark, and numbered tags."""

from __future__ import annotations

BLOCK = "█"


def redact(text: str, mark: str | None = None) -> str:
    """The mark, or a block for every character; line ends stay, so that the note keeps its lines."""
    if mark is not None:
        return mark
    return "".join(c if c in "\r\n" else BLOCK for c in text)


def tag(label: str, number: int | None = None) -> str:
    return f"[{label}]" if number is None else f"[{label}-{number}]"
