"""Whole notes, parted by `====`, in; each as something that writes it out.

They were written by hand from beginning to end, with slots for everything about somebody. A first line
such as `@MX` names the country whose usage a note has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from deidlab.make.grammar import Grammar, Slot
from deidlab.make.pen import Pen

_BETWEEN = re.compile(r"^====[ ]*$", re.MULTILINE)
_STARTS = re.compile(r"(?:\n|[.!?])[ \t]*$")
_COUNTRY = re.compile(r"@([A-Z]{2}|\*)[ ]*\n")
SLOT = re.compile(r"<[^<>]*>")
"""A slot or rule in a note's text."""


@dataclass(frozen=True, slots=True)
class WholeNote:
    """One note; `country` is empty where it may stand anywhere, `case` says how it is typed throughout."""

    write: Slot
    country: str
    case: str

    def restyle(self, pen: Pen) -> None:
        """Whoever types without capitals, or in nothing else, writes names so too."""
        if self.case and pen.often(0.85):
            pen.parts[:] = [(styled(text, self.case), label) for text, label in pen.parts]


class WholeNotes:
    """The notes of a text, by country."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        texts = [note.strip("\n") for note in _BETWEEN.split(text) if note.strip()]
        self.all = tuple(_read(note, grammar, number) for number, note in enumerate(texts, 1))
        self._of: dict[str, tuple[WholeNote, ...]] = {}

    def of(self, country: str) -> tuple[WholeNote, ...]:
        """Those with the usage of the country, and those that may stand anywhere."""
        if country not in self._of:
            self._of[country] = tuple(note for note in self.all if note.country in ("", country))
        return self._of[country]


def sign_further(pen: Pen, grammar: Grammar, share: float) -> None:
    """Put something behind a name that is all of the last line or sentence: that would else wear out."""
    *_, (before, _), (_, label) = [("\n", ""), *pen.parts]
    if label == "DOCTOR" and _STARTS.search(before) and pen.often(share):
        grammar.write("after.name", pen)


def _read(text: str, grammar: Grammar, number: int) -> WholeNote:
    told = _COUNTRY.match(text)
    body = text[told.end() :] if told else text
    country = told[1].strip("*") if told else ""
    return WholeNote(grammar.compile(body, f"whole note {number}"), country, case_of(body))


def case_of(text: str) -> str:
    """How a note is typed: all in capitals, without any, or as usual."""
    letters = [letter for letter in SLOT.sub("", text) if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters) / max(1, len(letters))
    return "upper" if capitals > 0.85 else "lower" if capitals < 0.01 else ""


def styled(text: str, case: str) -> str:
    """The text in capitals, without any, or as it is."""
    if case == "upper":
        return text.upper()
    return text.lower() if case == "lower" else text
