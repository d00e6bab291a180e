"""Text and a number in, whether it is a time of day, a blood gas or a setting read as a telephone number."""

from __future__ import annotations

import re

from deidlab.rules.folding import lowered
from deidlab.rules.phones import last_cue
from deidlab.types import Span

_TIME = r"(?:[01]?\d|2[0-3])[:.h]?[0-5]\d"
_CLOCK = re.compile(rf"{_TIME}(?::[0-5]\d)?(?: ?[-–/] ?{_TIME})?(?: ?(?:hrs?|h|am|pm|hours|horas))?")
# Both hours with two figures: `555-0129` is a telephone.
_SPELL = re.compile(r"(?:[01]\d|2[0-3]):?[0-5]\d ?[-–] ?(?:[01]\d|2[0-3]):?[0-5]\d")
_SIGNED = re.compile(r"[+-]+\d{1,2}\.\d\d?")
_SERIES = re.compile(r"[\d.,]+(?:/[\d.,]+){2,6}/?|[+-]?\d{1,3}(?:[.,]\d{1,2}|\.\d{4})(?:/\d+)*|[+-]")


def drops(text: str, span: Span) -> bool:
    """Whether the number is one of those, and no word makes it a telephone's."""
    value = text[span.start : span.end].strip(" .,;")
    if span.label == "DATE":
        return bool(_SIGNED.fullmatch(text[max(span.start - 1, 0) : span.end].strip()))
    if span.label == "MEDICALRECORD":
        return bool(_SPELL.fullmatch(value) or _SERIES.fullmatch(value))
    if not any(map(str.isdigit, value)):
        return not any(map(str.isalpha, value))
    clock = _SPELL.fullmatch(value) or (":" in value and _CLOCK.fullmatch(value))
    if not (_SERIES.fullmatch(value) or (clock and not span.source.startswith("rules:"))):
        return False
    return not last_cue(lowered(text)[max(span.start - 28, 0) : span.start])
