"""Spans of a note in, further spans out: every name that was found once is found again, in any case.

Single words of a name are looked for too; a word that is also an everyday word must start with a capital,
and initials or two-letter words are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from deidlab import languages
from deidlab.detect.resolve import NAMES
from deidlab.rules.folding import Terms, fold_term, folded
from deidlab.rules.readings import readings
from deidlab.rules.wordlists import is_everyday
from deidlab.types import Span

SOURCE = "echo"
_SHORTEST = 3
DOUBTFUL = 0.4


def find_echoes(text: str, spans: Iterable[Span], language: str = "") -> list[Span]:
    """Further mentions of the names among `spans`, with their label and a little less certainty."""
    spans = [span for span in spans if span.label in NAMES]
    if not spans:
        return []
    found = [way.back(_find_in(way.text, way.forth(spans), language)) for way in readings(text)]
    return found[0] if len(found) == 1 else list(dict.fromkeys(span for each in found for span in each))


def _find_in(text: str, spans: Iterable[Span], language: str) -> list[Span]:
    everyday = languages.of(language).everyday()
    plain = folded(text)
    sources: dict[str, Span] = {}
    known: dict[tuple[int, int, str], float] = {}
    for span in spans:
        known[span.start, span.end, span.label] = _certainty(span)
        for word in map(fold_term, plain[span.start : span.end].split()):
            if len(word) >= _SHORTEST and not word.isdigit():
                before = sources.get(word)
                if before is None or (before.score or 0.0) < (span.score or 0.0):
                    sources[word] = span
    if not sources:
        return []
    echoes = []
    for start, end, word in Terms(sources).find(text):
        source = sources[word]
        score = min(_certainty(source), 0.9)
        # What was found there with as much certainty is no echo: it keeps its own source.
        if known.get((start, end, source.label), -1.0) >= score:
            continue
        if word in everyday or is_everyday(word):
            if not text[start].isupper():
                continue
            if _opens_sentence(text, start):
                score = min(score, DOUBTFUL)
        echoes.append(Span(start, end, source.label, score, SOURCE))
    return echoes


def _certainty(span: Span) -> float:
    return 1.0 if span.score is None else span.score


def _opens_sentence(text: str, start: int) -> bool:
    """Whether a capital at `start` says nothing, because any word would have one there."""
    before = text[max(start - 3, 0) : start].rstrip(" \t")
    return not before or before[-1] in ".!?:;\n\r-*"
