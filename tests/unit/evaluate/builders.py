"""Documents for scoring, written as people would mark them: `[PATIENT Marta Odell] seen on [DATE 3/14]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.tally import Tally, tally_pairs
from deidlab.types import Document, Span

_MARK = re.compile(r"\[([A-Z-]+)(?:@([0-9.]+))? ([^\]]*)\]")


def marked(id: str, marked_text: str, patient: str = "", meta: Mapping[str, Any] | None = None) -> Document:
    """The document whose spans stand in brackets; `[DATE@0.7 3/14]` has a score."""
    text, spans, last = "", [], 0
    for match in _MARK.finditer(marked_text):
        text += marked_text[last : match.start()]
        start = len(text)
        text += match[3]
        spans.append(Span(start, len(text), match[1], None if match[2] is None else float(match[2])))
        last = match.end()
    return Document(id, patient, text + marked_text[last:], tuple(spans), meta or {})


def pair(
    gold: str, system: str, id: str = "a", patient: str = "", meta: Mapping[str, Any] | None = None
) -> Pair:
    made = Pair(marked(id, gold, patient, meta), marked(id, system, patient))
    assert made.gold.text == made.system.text, "gold and system of a test must hold the same text"
    return made


def tally(gold: str, system: str, style: str = "runs") -> Tally:
    return tally_pairs([pair(gold, system)], style=style)


def span_pair(text: str, gold: list[Span], system: list[Span], id: str = "a", patient: str = "") -> Pair:
    return Pair(Document(id, patient, text, tuple(gold)), Document(id, patient, text, tuple(system)))
