"""Text in, logins and typists' codes out."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import scan
from deidlab.rules.wordlists import cue_words, is_everyday, word_list
from deidlab.types import Span

SOURCE = "rules:username"
_CUES = cue_words("usernames", "cues")
_GAP = re.compile(r"(?:\s?(?:id|name|is))?[\s:=\"'([/-]{0,6}")
_VALUE = re.compile(r"@?[A-Za-z](?:[A-Za-z0-9]|[._-](?=[A-Za-z0-9])|\\(?=\w)){1,30}(?![\w@])")
# Both are tried where a line starts, and nowhere else.
_TYPIST = re.compile(
    r"(?m)[ \t]{0,12}([A-Z]{2,4})[ ]?[/:][ ]?([a-z]{2,4}\d{0,5}|[A-Z]{2,4}\d{1,5}|"
    r"[a-z]{1,3}[A-Z]?)(?=[ \t]{0,8}(?:$|[/:\d]))"
)
_SMALL_TYPIST = re.compile(r"(?m)[ \t]{0,12}((?:typed: ?)?[a-z]{2,3}[/:][a-z]{2,3})[ \t]*$")
# A look behind comes after the first character here: a pattern that opens with one is slow to search for.
_DICTATION = re.compile(
    r"[DT](?<!\w[DT])[DT]?[:/ ]{1,3}\S{4,20}(?: "
    r"\d{1,2}:\d\d)?[ ]{1,4}([a-z]{2,4}\d{0,4}|[A-Z]{2,3})(?=[ ]{0,3}$)",
    re.MULTILINE,
)
_HANDLE = re.compile(r"@(?<![\w.@]@)[A-Za-z_][\w.]{3,30}(?<!\.)(?!@)")

_SLASHED_LINE = re.compile(r"\n(?=[ \t]{0,12}[A-Za-z]{2,5} ?[/:])")


@functools.cache
def _cues() -> Cues:
    return Cues(_CUES)


def find(text: str) -> list[Span]:
    """Every login and typist's code."""
    spans = list(_announced(text))
    starts = _line_starts(text)
    for match in scan(_SMALL_TYPIST, text, starts):
        if match.group().strip() not in ("and/or", "am/pm", "po/iv", "iv/po", "he/she", "his/her", "yes/no"):
            spans.append(Span(*match.span(1), "USERNAME", 0.55, SOURCE))
    for match in scan(_TYPIST, text, starts):
        if match[1] not in _CAPITALS:
            spans.append(Span(*match.span(1), "DOCTOR", 0.7, SOURCE))
            spans.append(Span(*match.span(2), "USERNAME", 0.7, SOURCE))
    spans += [Span(*match.span(1), "USERNAME", 0.6, SOURCE) for match in _DICTATION.finditer(text)]
    spans += [Span(*match.span(), "USERNAME", 0.7, SOURCE) for match in _HANDLE.finditer(text)]
    return spans


def _line_starts(text: str) -> list[int]:
    """Where lines begin that have a slash or colon near their start."""
    return [match.start() for match in _SLASHED_LINE.finditer("\n" + text)]


_CAPITALS = frozenset(
    ["BP", "HR", "RR", "CT", "MR", "AP", "PA", "IV", "PO", "PT", "OT", "ED", "ER", "OR", "IM", "SC", "NS"]
)


def _announced(text: str) -> Iterator[Span]:
    lower = lowered(text)
    for _, end, cue in _cues().find(text):
        gap = _GAP.match(lower, end)
        begin = gap.end() if gap else end
        if begin == end and not cue.endswith("="):
            continue
        match = _VALUE.match(text, begin)
        if match is None:
            continue
        value = match.group()
        signed = cue.endswith("=") or any(sign in text[end:begin] for sign in ":=")
        score = _certainty(value, signed)
        if not score and signed and value.isupper() and len(value) >= 4 and cue.startswith(("user", "login")):
            score = 0.0 if value.lower() in word_list("never") or is_everyday(value.lower()) else 0.75
        if score:
            yield Span(begin, match.end(), "USERNAME", score, SOURCE)


def _certainty(value: str, signed: bool) -> float:
    """Digits, dots or underscores inside make a login; plain words need a sign and must be no real ones."""
    plain = value.lower()
    if plain in word_list("never") or is_everyday(plain):
        return 0.0
    marked = any(char.isdigit() for char in value) or "_" in value or ("." in value and value.islower())
    if marked:
        return 0.9
    return 0.75 if signed and value.islower() and len(value) >= 3 else 0.0
