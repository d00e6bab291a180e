"""Parts of a note in, the note as hurried hands and old systems leave it: case, typos, lost and extra space.

Marked parts may be touched too; a part keeps its label whatever becomes of its text.
"""

from __future__ import annotations

from deidlab.make.pen import Part, Pen

_NEAR = {
    "a": "sq",
    "b": "vn",
    "c": "xv",
    "d": "sf",
    "e": "wr",
    "f": "dg",
    "g": "fh",
    "h": "gj",
    "i": "uo",
    "j": "hk",
    "k": "jl",
    "l": "k",
    "m": "n",
    "n": "bm",
    "o": "ip",
    "p": "o",
    "q": "wa",
    "r": "et",
    "s": "ad",
    "t": "ry",
    "u": "yi",
    "v": "cb",
    "w": "qe",
    "x": "zc",
    "y": "tu",
    "z": "x",
}
_ALIKE = {
    "0": "O",
    "O": "0",
    "o": "0",
    "1": "lI",
    "l": "1",
    "I": "l1",
    "i": "1",
    "5": "S",
    "S": "5",
    "8": "B",
    "B": "8",
    "2": "Z",
    "m": "n",
    "e": "c",
    "g": "q",
    "6": "G",
    "a": "o",
    "t": "f",
    "u": "v",
}
_KEEP_CASE = frozenset({"URL", "EMAIL"})


def finish(pen: Pen, parts: list[Part]) -> list[Part]:
    """The parts after all that may befall a note; most notes stay as they are."""
    kind = pen.draw()
    if kind < 0.09:
        parts = [(text.lower(), label) for text, label in parts]
    elif kind < 0.19:
        parts = [(text if label in _KEEP_CASE else text.upper(), label) for text, label in parts]
    elif kind < 0.22:
        parts = [(text.lower() if label else text, label) for text, label in parts]
    elif kind < 0.25:
        parts = [
            (text.upper() if label in ("PATIENT", "DOCTOR", "HOSPITAL") else text, label)
            for text, label in parts
        ]
    if pen.often(0.16):
        parts = _mistype(pen, parts, pen.pick((0.004, 0.01, 0.02)))
    if pen.often(0.05):
        parts = _misread(pen, parts, pen.pick((0.03, 0.08, 0.2)))
    if pen.often(0.12):
        parts = _glue(pen, parts)
    if pen.often(0.14):
        parts = wrap(parts, pen.pick((40, 50, 60, 65, 72, 72, 76, 80)))
    if pen.often(0.04):
        parts = [
            (text.replace(". ", " ").replace(", ", " ") if not label else text, label)
            for text, label in parts
        ]
    if pen.often(0.03):
        old, new = pen.pick(
            (
                ("'", "\u2019"),
                (" - ", " \u2013 "),
                (" ", "\u00a0"),
                ("\n", "\r\n"),
                (" ", "  "),
                ("\n", " "),
                ("\n", "\n\n"),
            )
        )
        parts = [(text.replace(old, new), label) for text, label in parts]
    return parts


def _mistype(pen: Pen, parts: list[Part], rate: float) -> list[Part]:
    """Letters swapped, doubled, lost or struck beside; rate is a share of the letters."""
    typed = []
    for text, label in parts:
        n = len(text)
        if n < 4 or label in ("DATE", "AGE") or pen.draw() > rate * n:
            typed.append((text, label))
            continue
        at = pen.number(1, n - 2)
        letter = text[at]
        if letter.isalpha():
            kind = pen.draw()
            if kind < 0.3 and text[at + 1].isalpha():
                text = text[:at] + text[at + 1] + letter + text[at + 2 :]
            elif kind < 0.55:
                text = text[:at] + text[at + 1 :]
            elif kind < 0.75:
                text = text[:at] + letter + text[at:]
            else:
                text = text[:at] + pen.pick(_NEAR.get(letter.lower(), "e")) + text[at + 1 :]
        typed.append((text, label))
    return typed


def _misread(pen: Pen, parts: list[Part], rate: float) -> list[Part]:
    """Letters and digits that a scanner takes for one another, and gaps that it widens."""
    draw = pen.draw
    wide = draw() < 0.4
    read = []
    for text, label in parts:
        text = "".join(pen.pick(_ALIKE[sign]) if sign in _ALIKE and draw() < rate else sign for sign in text)
        read.append((text.replace(" ", "  ") if wide and draw() < 0.5 else text, label))
    return read


def _glue(pen: Pen, parts: list[Part]) -> list[Part]:
    """Space lost after marks and between letters and digits, in some places."""
    glued = []
    for number, (text, label) in enumerate(parts):
        if not label and pen.draw() < 0.5:
            for mark in (": ", ", ", ". ", "; "):
                if pen.draw() < 0.5:
                    text = text.replace(mark, mark[0])
            beside = parts[number + 1][0][0] if number + 1 < len(parts) else ""
            if (
                text.endswith(" ")
                and len(text) > 1
                and pen.draw() < 0.3
                and (text[-2].isalpha() and beside.isdigit())
            ):
                text = text[:-1]
        glued.append((text, label))
    return glued


def wrap(parts: list[Part], width: int) -> list[Part]:
    """The parts with lines of at most the width, broken at spaces, inside of names and dates too."""
    wrapped: list[Part] = []
    column = 0
    for text, label in parts:
        pieces = []
        for line_number, line in enumerate(text.split("\n")):
            if line_number:
                pieces.append("\n")
                column = 0
            for word_number, word in enumerate(line.split(" ")):
                if word_number and column + len(word) >= width:
                    pieces.append("\n")
                    column = 0
                elif word_number:
                    pieces.append(" ")
                    column += 1
                pieces.append(word)
                column += len(word)
        wrapped.append(("".join(pieces), label))
    return wrapped
