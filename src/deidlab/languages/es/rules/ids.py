"""Spanish text in, numbers that identify out, by the word that announces them: `NHC 48221`."""

from __future__ import annotations

import re

from deidlab.languages.es.rules.words import cues_of
from deidlab.rules.numbers import digit_starts, scan
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
    r"(?:[ ./-]?(?=[\dA-Z.-]*\d)[\dA-Z]{1,20}|[/-][A-Z]{1,4}(?=[/-])| [A-Z]{2}\b){0,6}"
    r"(?:-?[A-Z\d]{1,3})?(?!\w)"
)
_DATE = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}")
_FEWEST_DIGITS = 4
_PLATE = re.compile(r"(?<![\w-])\d{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}(?![\w-])")
_LOGIN = re.compile(r"[ :]{1,3}(?P<it>[a-zA-Z]{2,}\d*\w*)")


def find(text: str) -> list[Span]:
    """What a cue announces, and plates."""
    finder, labels = cues_of("ids")
    spans = [Span(*match.span(), "VEHICLE", 0.8, SOURCE) for match in scan(_PLATE, text, digit_starts(text))]
    for start, end, cue in finder.find(text):
        label = labels[cue]
        place = _login(text, end) if label == "USERNAME" else _value(text, start, end, cue)
        if place is not None:
            spans.append(Span(*place, label, 0.9, SOURCE))
    return spans


def _value(text: str, start: int, end: int, cue: str) -> tuple[int, int] | None:
    """A value of at least four digits, no date; short cues need their capitals, and a gap behind them."""
    gap = _GAP.match(text, end)
    value = _VALUE.match(text, gap.end()) if gap else None
    if gap is None or value is None or (len(cue) < 4 and not text[start].isupper()):
        return None
    bare = gap.end() == end and not cue.endswith((".", "º"))
    n_digits = sum(map(str.isdigit, value.group()))
    if bare or n_digits < _FEWEST_DIGITS or _DATE.fullmatch(value.group()):
        return None
    return value.span()


def _login(text: str, end: int) -> tuple[int, int] | None:
    """What follows `usuario:`, if it looks like a login: letters with numbers, or capitals."""
    login = _LOGIN.match(text, end)
    if login is None or not (any(map(str.isdigit, login["it"])) or login["it"].isupper()):
        return None
    return login.span("it")
