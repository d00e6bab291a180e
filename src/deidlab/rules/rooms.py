"""Text in, numbers of rooms, beds and wards out: `Room 412`, `Rm 4-112B`, `cama 12`; several languages."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:room"
_SHORT = frozenset(cue_words("rooms", "short"))
_KINDS = frozenset(cue_words("rooms", "kinds"))
_AMOUNTS = frozenset(cue_words("rooms", "amounts"))
_GAP = re.compile(
    r"(?P<stop>\.?)[ \t]{0,2}(?P<sign>(?:[:=]|#|-(?=\w))?[ \t]{0,2}"
    r"(?:(?:no\.?|number|num\.?|nr\.?|n[º°]|núm\.?|número)(?!\w)[ \t]?:?[ \t]?)?#?)[ \t]?"
)
_VALUE = re.compile(
    r"(?:[A-Z]{1,3}-?)?\d{1,4}[A-Za-z]?(?:-(?:\d{1,4}[A-Z]?|[A-Z]{1,2}\d{0,4}))?(?![\w%°º]|[/.:,-]\d|[+*])"
)
_WORD_AFTER = re.compile(r"[ -]?([^\W\d_][^\s,;()]{0,11})")
_WORD_BEFORE = re.compile(r"([^\W\d_]{1,14})[ -]$")
_DIGITS = re.compile(r"\d{4}")


@functools.cache
def _cues() -> Cues:
    return Cues(cue_words("rooms", "cues"))


def find(text: str) -> list[Span]:
    """Every number of a room, a bed or a ward."""
    return list(_numbered(text))


def _numbered(text: str) -> Iterator[Span]:
    lower = lowered(text)
    for start, end, cue in _cues().find(text):
        gap = _GAP.match(lower, end)
        if gap is None or (gap["stop"] and cue not in _SHORT):
            continue
        named = text[start].isupper() or bool(gap["sign"].strip())
        if gap.end() == end and not text[start].isupper():
            continue
        value = _VALUE.match(text, gap.end())
        if value is None or _is_amount(lower, value.end()):
            continue
        before = _WORD_BEFORE.search(lower[max(start - 16, 0) : start])
        kind = before is not None and before[1] in _KINDS
        if not named and (kind or _DIGITS.match(value.group())):
            continue
        yield Span(*value.span(), "ROOM", 0.85 if named else 0.7, SOURCE)


def _is_amount(lower: str, end: int) -> bool:
    """`Back in the room 10 minutes later`."""
    word = _WORD_AFTER.match(lower, end)
    return word is not None and (word[1] in _AMOUNTS or word[1].rstrip(".:") in _AMOUNTS)
