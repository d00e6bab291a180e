"""Spans of a note in, further spans out: every name that was found once is found again, in any case.

Single words of a name are looked for too; a word that is also an everyday word must start with a capital,
and initials or two-letter words are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from deidlab.detect.folding import Terms, folded
from deidlab.detect.resolve import NAMES
from deidlab.detect.wordlists import everyday_in
from deidlab.types import Span

SOURCE = "echo"
_SHORTEST = 3
DOUBTFUL = 0.4


def find_echoes(text: str, spans: Iterable[Span], language: str = "") -> list[Span]:
    """Further mentions of the names among `spans`, with their label and a little less certainty."""
    is_everyday = everyday_in(language)
    plain = folded(text)
    sources: dict[str, Span] = {}
    known: dict[tuple[int, int, str], float] = {}
    for span in spans:
        if span.label in NAMES:
            known[span.start, span.end, span.label] = _certainty(span)
            for word in plain[span.start : span.end].split():
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
        if is_everyday(word):
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
