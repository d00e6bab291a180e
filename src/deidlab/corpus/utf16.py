"""Offsets that count UTF-16 units, as browsers and Java do, to ours, which count characters; and back.

They differ behind every character outside the Basic Multilingual Plane: an emoji is one character and two
units.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from deidlab.corpus.raw import Annotation, quote_fits

_PAIRED = re.compile("[\U00010000-\U0010ffff]")
INSIDE = -1
"""Stands for an offset between the two units of one character: no text begins or ends there."""


class Units:
    """The places of one text, counted both ways; an offset that no character begins at is `INSIDE`."""

    def __init__(self, text: str) -> None:
        # Where each character of two units stands, in characters; and in units.
        self._characters = [] if text.isascii() else [match.start() for match in _PAIRED.finditer(text)]
        self._units = [place + index for index, place in enumerate(self._characters)]

    def of(self, character: int) -> int:
        """The unit that a character begins with."""
        return character + bisect_left(self._characters, character)

    def character(self, unit: int) -> int:
        """The mirror."""
        n_before = bisect_left(self._units, unit)
        is_inside = n_before > 0 and self._units[n_before - 1] + 1 == unit
        return INSIDE if is_inside else unit - n_before

    def to_characters(self, annotation: Annotation) -> Annotation:
        """The annotation with offsets of ours."""
        if not self._units:
            return annotation
        return replace(annotation, start=self.character(annotation.start), end=self.character(annotation.end))


def as_quoted(text: str, annotations: Sequence[Annotation]) -> tuple[Annotation, ...]:
    """Annotations of a program that counted units once and characters later: what their quotes bear out.

    Where neither way fits all of them, they stay as they are, and are told as any that do not fit.
    """
    found = tuple(annotations)
    if text.isascii() or all(quote_fits(text, each) for each in found):
        return found
    turned = tuple(map(Units(text).to_characters, found))
    return turned if all(quote_fits(text, each) for each in turned) else found
