"""Text and a span in, whether it is clinical abbreviations out (`CHF`, `LAD`, `w/ SOB`) and no initials.

A span counts when all of its words are listed and what proposed it is not all but sure. Letters at the
end of a line, behind `by` or with a degree behind them are somebody's initials.
"""

from __future__ import annotations

import functools
import re

from deidlab.detect.vetoes.initials import are_initials, has_capitals_beside, is_part
from deidlab.rules.wordlists import read_table
from deidlab.types import Span

SURE, _LONGEST = 0.98, 24
_INSTITUTIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
_WORD = re.compile(r"[^\W_][\w&/'’-]*")


@functools.cache
def _abbreviations() -> frozenset[str]:
    table = read_table("deidlab", "data/detect/vetoes/abbreviations.toml")
    return frozenset(word for words in table.values() for word in words)


def drops(text: str, span: Span) -> bool:
    """Whether all that is in the span is clinical abbreviations."""
    value = text[span.start : span.end]
    # With one capital in front it may be a name (`Pa`, `Lima`): abbreviations are in capitals or mixed.
    if span.score is None or span.score >= SURE or len(value) > _LONGEST or value.istitle():
        return False
    if is_part(text, span):
        return False
    words = _WORD.findall(value)
    if not words or not all(map(_is_abbreviation, words)):
        return False
    if span.label in _INSTITUTIONS and has_capitals_beside(text, span):
        return False
    return not are_initials(text, span)


def _is_abbreviation(word: str) -> bool:
    plain = word.lower().rstrip("'’-/")
    if word.istitle():
        return False
    return plain in _abbreviations() or (plain.endswith("s") and plain[:-1] in _abbreviations())
