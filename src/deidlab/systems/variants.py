"""Notes with gold in, the same notes as they come out of poorer sources out, character for character.

Every change keeps the length of the text, so that the gold stays where it is and figures can be compared.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from deidlab.types import Document

_WIDTH = 60
_NOISE = 0.02
# What a scanner takes for another, a character for a character.
_LOOKALIKES = {
    "0": "O", "O": "0", "1": "l", "l": "1", "I": "l", "5": "S", "S": "5", "8": "B", "B": "8", "e": "c",
    "c": "e", "a": "o", "o": "a", "n": "u", "u": "n", "h": "b", "g": "q", "i": "!", "t": "f", ".": ",",
    ",": ".", "2": "Z", "Z": "2", "6": "G", "G": "6", "/": "l", "-": "~",
}  # fmt: skip


def lower_case(document: Document) -> Document:
    return _with_text(document, "".join(_same_length(c, c.lower()) for c in document.text))


def upper_case(document: Document) -> Document:
    return _with_text(document, "".join(_same_length(c, c.upper()) for c in document.text))


def scanning_noise(document: Document) -> Document:
    """One character in fifty is taken for another; the same ones each time, for the same note."""
    draw = random.Random(f"noise {document.id}")
    return _with_text(
        document, "".join(_LOOKALIKES.get(c, c) if draw.random() < _NOISE else c for c in document.text)
    )


def wrapped_lines(document: Document) -> Document:
    """A line break in place of the last blank before sixty characters, as narrow reports have it."""
    text, start, blank = list(document.text), 0, -1
    for place, character in enumerate(document.text):
        if character == "\n":
            start, blank = place + 1, -1
        elif place - start >= _WIDTH and blank >= 0:
            text[blank] = "\n"
            start, blank = blank + 1, -1
        if character == " ":
            blank = place
    return _with_text(document, "".join(text))


VARIANTS: dict[str, Callable[[Document], Document]] = {
    "lower case": lower_case,
    "upper case": upper_case,
    "scanning noise": scanning_noise,
    "wrapped lines": wrapped_lines,
}


def _same_length(before: str, after: str) -> str:
    return after if len(after) == 1 else before


def _with_text(document: Document, text: str) -> Document:
    return replace(document, text=text)
