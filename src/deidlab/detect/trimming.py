"""Candidates in, candidates out: what stands around a name or a date is no part of it.

Titles before a name, and degrees and the 's of the possessive after it; the hour after a day.

A degree that is also a name (`Do`, `Ma`) is cut off only where its case tells it from the name before it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

_TRIMMED = frozenset({"PATIENT", "DOCTOR", "DATE"})
_KEPT = ("known", "deny")
_FIRST = re.compile(
    r"(?:mr|mrs|ms|miss|mx|dr|drs|prof|professor|doctor|sr|sra|srta|fr|rev|sgt|capt|lt|hon|mme|mlle|herr|frau|señora?|"
    r"nurse|mum|mom|dad|wife|husband|son|daughter|sister|brother)\b\.?[\s,:-]+(?=\w)",
    re.IGNORECASE,
)
_LAST = re.compile(r"[\s,]+\(?([A-Za-z][A-Za-z./-]*[A-Za-z.]\d?)\)?$")
_PLAIN = frozenset({"md", "rn"})
_POSSESSIVE = re.compile(r"(?<=\w)['’][sS]$")
_HOUR = re.compile(r"[\s,@T-]+\d{1,2}$")
_MINUTES = re.compile(r":[0-5]\d")


def trim_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, each without what stands around a name or a date; what people listed stays as it is."""
    return [_trim(text, span) for span in spans]


def _trim(text: str, span: Span) -> Span:
    if span.source.startswith(_KEPT) or span.label not in _TRIMMED:
        return span
    start, end = _trim_date(text, span) if span.label == "DATE" else _trim_name(text, span)
    if (start, end) == (span.start, span.end):
        return span
    return Span(start, end, span.label, span.score, span.source)


def _trim_date(text: str, span: Span) -> tuple[int, int]:
    """`Tue 10` before `:45` is a day and an hour."""
    hour = _HOUR.search(text, span.start, span.end) if _MINUTES.match(text, span.end) else None
    return span.start, hour.start() if hour is not None and hour.start() > span.start else span.end


def _trim_name(text: str, span: Span) -> tuple[int, int]:
    start, end = span.start, span.end
    # One word of letters, as most names are, has nothing around it: no blank, no mark.
    if text[start:end].isalpha():
        return start, end
    first = _FIRST.match(text, start, end)
    if first is not None and first.end() < end:
        start = first.end()
    if (own := _POSSESSIVE.search(text[start:end])) is not None:
        end = start + own.start()
    while (last := _LAST.search(text[start:end])) is not None and _is_degree(text[start:end], last):
        end = start + last.start()
    return start, end


def _is_degree(name: str, last: re.Match[str]) -> bool:
    word = last[1]
    plain = word.lower().replace(".", "")
    if plain not in _degrees() or not word[0].isupper():
        return False
    before = name[: last.start()]
    if word.isupper() and not before.isupper():
        return True
    # Capitals inside tell a degree (PhD, PharmD); in a name in capitals only its own letters can.
    inner = any(letter.isupper() for letter in word[1:]) and not word.isupper()
    return inner or plain in _PLAIN or len(plain) > 3 or "-" in word


@functools.cache
def _degrees() -> frozenset[str]:
    return frozenset(degree.replace(".", "") for degree in cue_words("names", "degrees"))
