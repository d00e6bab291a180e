"""What a model found in a part of a corpus, as offsets alone, in; pairs to score, without any text, out.

The scorer reads words from a text, so each document gets one that has the same words at the same places
and says nothing: letters and digits by turns where words touch, blanks between. Words, entities and
privacy figures come out as they would from the notes. What depends on which letters stand there (the tokens
of the i2b2 2014 program, joined spans of other programs) does not, and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from deidlab.evaluate.pairing import Pair
from deidlab.types import Document, Span

# The words of such a text are cut as runs of letters and runs of digits.
BLANK_STYLE = "runs"


class Prediction(Protocol):
    """One document: its words, what people marked in it and what a model found."""

    @property
    def id(self) -> str: ...
    @property
    def patient(self) -> str: ...
    @property
    def words(self) -> Sequence[tuple[int, int]]: ...
    @property
    def gold(self) -> Sequence[Span]: ...
    @property
    def found(self) -> Sequence[Span]: ...


def pairs_of(predictions: Iterable[Prediction]) -> tuple[Pair, ...]:
    """Every document as gold and system, in the order of their ids."""
    return tuple(sorted(map(_pair, predictions), key=lambda pair: pair.gold.id))


def blank_text(words: Sequence[tuple[int, int]], length: int) -> str:
    """A text of at least that length with exactly these words."""
    parts: list[str] = []
    at, letter = 0, "x"
    for start, end in words:
        # A word that touches the one before must differ from it, or the two would be read as one.
        letter = ("0" if letter == "x" else "x") if start == at else "x"
        parts += (" " * (start - at), letter * (end - start))
        at = end
    parts.append(" " * (length - at))
    return "".join(parts)


def map_labels(pairs: Iterable[Pair], mapping: Mapping[str, str]) -> tuple[Pair, ...]:
    """The pairs under other labels; a span whose label is mapped to nothing goes, an unmapped one stays."""
    return tuple(Pair(_mapped(pair.gold, mapping), _mapped(pair.system, mapping)) for pair in pairs)


def _pair(prediction: Prediction) -> Pair:
    spans = (*prediction.gold, *prediction.found)
    length = max((span.end for span in spans), default=0)
    if prediction.words:
        length = max(length, prediction.words[-1][1])
    text = blank_text(prediction.words, length)
    gold, system = (
        Document(prediction.id, prediction.patient, text, tuple(side))
        for side in (prediction.gold, prediction.found)
    )
    return Pair(gold, system)


def _mapped(document: Document, mapping: Mapping[str, str]) -> Document:
    spans = tuple(
        replace(span, label=label)
        for span in document.spans
        if (label := mapping.get(span.label, span.label))
    )
    return replace(document, spans=spans)
