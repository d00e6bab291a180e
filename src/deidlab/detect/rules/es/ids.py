"""Spanish text in, numbers that identify out, by the word that announces them: `NHC 48221`."""

from __future__ import annotations

import functools
import re

from deidlab.detect.folding import Cues
from deidlab.detect.wordlists import cue_table
from deidlab.types import Span

SOURCE = "rules:id"
_GAP = re.compile(
    r"\.?[\s:#=|(\"-]{0,4}(?:(?:n[ºo°.]{1,2}|núm(?:ero)?\.?|nro\.?|num\.?|id|de referencia|#)[\s:#.]{0,3})?"
    r"(?=\w)",
    re.IGNORECASE,
)
# Parts with a digit in them, or a few capitals, with single marks between them.
_VALUE = re.compile(
    r"(?:[A-Z]{1,6}(?=[\d.\- /])|[A-Z]{0,6}\d[\dA-Z]{0,20})"
    r"(?:[ ./-]?(?=[\dA-Z.-]*\d)[\dA-Z]{1,20}){0,6}(?:-?[A-Z\d])?(?!\w)"
)
_DATE = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}")
_FEWEST_DIGITS = 4


@functools.cache
def _cues() -> tuple[Cues, dict[str, str]]:
    labels = {cue: label for label, cues in cue_table("es", "ids").items() for cue in cues}
    return Cues(labels), labels


def find(text: str) -> list[Span]:
    """Every value of at least four digits after a cue; short cues need their capitals."""
    finder, labels = _cues()
    spans = []
    for start, end, cue in finder.find(text):
        gap = _GAP.match(text, end)
        value = _VALUE.match(text, gap.end()) if gap else None
        if value is None or gap is None or (len(cue) < 4 and not text[start].isupper()):
            continue
        bare = gap.end() == end and not cue.endswith((".", "º"))
        if bare or _DATE.fullmatch(value.group()):
            continue
        if sum(map(str.isdigit, value.group())) >= _FEWEST_DIGITS:
            spans.append(Span(*value.span(), labels[cue], 0.9, SOURCE))
    return spans
