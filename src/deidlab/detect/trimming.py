"""Candidates in, candidates out: titles before a name and degrees after it are no part of the name.

A degree that is also a name (`Do`, `Ma`) is cut off only where its case tells it from the name before it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from deidlab.detect.wordlists import cue_words
from deidlab.types import Span

_NAMES = frozenset({"PATIENT", "DOCTOR"})
_KEPT = ("known", "deny")
_FIRST = re.compile(
    r"(?:mr|mrs|ms|miss|mx|dr|drs|prof|professor|doctor|sr|sra|srta|fr|rev|sgt|capt|lt|hon|mme|mlle|herr|frau|señora?|"
    r"nurse|mum|mom|dad|wife|husband|son|daughter|sister|brother)\b\.?[\s,:-]+(?=\w)",
    re.IGNORECASE,
)
_LAST = re.compile(r"[\s,]+\(?([A-Za-z][A-Za-z./-]*[A-Za-z.]\d?)\)?$")
_PLAIN = frozenset({"md", "rn"})


def trim_names(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans; those of people without what stands around a name."""
    return [_trim(text, span) if span.label in _NAMES else span for span in spans]


def _trim(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    if span.source.startswith(_KEPT):
        return span
    first = _FIRST.match(text, start, end)
    if first is not None and first.end() < end:
        start = first.end()
    while (last := _LAST.search(text[start:end])) is not None and _is_degree(text[start:end], last):
        end = start + last.start()
    return (
        span
        if (start, end) == (span.start, span.end)
        else Span(start, end, span.label, span.score, span.source)
    )


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
