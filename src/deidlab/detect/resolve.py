"""Candidates in, clean spans out: in reading order, never overlapping, never cut inside a word.

The one way, in this order:

1. A candidate is trimmed of white space and widened to whole words; one below the threshold stands aside.
2. The more certain come first (then the longer, the earlier, the label and source by name). Each takes
   what is still free of its stretch; what an overlapped candidate has left over is kept as a span of its own,
   so that all text that a candidate covered stays covered.
3. Neighbours of one label that read as one name, date, address or the like are joined; the more certain
   part gives score and source.

Nothing is lost silently: all candidates stay with the detection, so that what gave way can be looked up.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right, insort
from collections.abc import Iterable

from deidlab.types import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
_WORDY = frozenset({"HOSPITAL", "ORGANIZATION", "STREET", "CITY", "PROFESSION", "LOCATION-OTHER", "COUNTRY"})
_NAME_GAP = re.compile(r"(?:\.? ?|[ \t]?[-'’][ \t]?|,? {0,2}(?=[A-Z]\.?(?!\w))|\^)", re.UNICODE)


def resolve(text: str, candidates: Iterable[Span], threshold: float = 0.5) -> tuple[Span, ...]:
    """The clean spans among `candidates`."""
    sure = [span for span in candidates if _certainty(span) >= threshold]
    whole = _widen(text, sorted(sure, key=lambda span: span.start))
    taken: list[tuple[int, int]] = []
    kept: list[Span] = []
    for span in sorted(whole, key=_certain_first):
        free = _free(span.start, span.end, taken)
        if free == [(span.start, span.end)]:
            # Only a left-over is trimmed of marks: a detector may mean the brackets of its own span.
            insort(taken, free[0])
            kept.append(span)
            continue
        for start, end in free:
            part = _trim_marks(text, start, end)
            if part:
                insort(taken, part)
                kept.append(Span(*part, span.label, span.score, span.source))
    return _join(text, sorted(kept, key=lambda span: span.start))


def _certainty(span: Span) -> float:
    return 1.0 if span.score is None else span.score


def _certain_first(span: Span) -> tuple[float, int, int, str, str]:
    return (-_certainty(span), span.start - span.end, span.start, span.label, span.source)


def _widen(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, in order of start, without white space at the edges and with whole words at both ends."""
    whole = []
    word = (0, 0)  # the last word looked up, so that many spans inside one giant word stay cheap
    for span in spans:
        start, end = span.start, min(span.end, len(text))
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start == end:
            continue
        if start and text[start - 1] != " " and _same_kind(text[start - 1], text[start]):
            word = word if word[0] <= start < word[1] else _word_at(text, start)
            start = word[0]
        if end < len(text) and text[end] != " " and _same_kind(text[end - 1], text[end]):
            word = word if word[0] < end <= word[1] else _word_at(text, end - 1)
            end = word[1]
        if (start, end) == (span.start, span.end):
            whole.append(span)
        else:
            whole.append(Span(start, end, span.label, span.score, span.source))
    return whole


def _word_at(text: str, place: int) -> tuple[int, int]:
    """The run of letters or of digits around a place; any other character is a word alone."""
    kind = _kind(text[place])
    start, end = place, place + 1
    if kind:
        while start and _kind(text[start - 1]) == kind:
            start -= 1
        while end < len(text) and _kind(text[end]) == kind:
            end += 1
    return start, end


def _same_kind(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    kind = _kind(one)
    return kind != 0 and kind == _kind(other)


def _kind(char: str) -> int:
    if char.isalpha() or (char > "\u02ff" and unicodedata.category(char)[0] == "M"):
        return 1
    return 2 if char.isdecimal() else 0


def _free(start: int, end: int, taken: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What `taken` (in order, disjoint) leaves of the stretch."""
    free = []
    index = max(bisect_right(taken, (start, start)) - 1, 0)
    while index < len(taken) and taken[index][0] < end:
        begins, stops = taken[index]
        if begins > start:
            free.append((start, min(begins, end)))
        start = max(start, stops)
        index += 1
    if start < end:
        free.append((start, end))
    return free


def _trim_marks(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A left-over without the commas and dashes at its edges; None where nothing else is in it."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return (start, end) if start < end else None


def _join(text: str, spans: list[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        before = joined[-1] if joined else None
        if before is not None and before.label == span.label and _reads_on(text, before, span):
            surer = max(before, span, key=_certainty)
            joined[-1] = Span(before.start, span.end, span.label, surer.score, surer.source)
        else:
            joined.append(span)
    return tuple(joined)


def _reads_on(text: str, left: Span, right: Span) -> bool:
    """Whether two neighbours of one label are parts of one thing."""
    gap = text[left.end : right.start] if right.start - left.end <= 12 else None
    if gap is None:
        return False
    if not gap:
        return True
    if left.label in NAMES:
        return bool(_NAME_GAP.fullmatch(gap) or _initial_follows(gap, text, right))
    if left.label == "DATE":
        return _one_date(gap, text[left.start : left.end], text[right.start : right.end])
    if left.label == "AGE":
        # `54` and `years` are one age; `8` and `5` are two.
        return gap in (" ", "-") and not any(map(str.isdigit, text[right.start : right.end]))
    return left.label in _WORDY and gap in (" ", "-", "'", "’")


def _initial_follows(gap: str, text: str, right: Span) -> bool:
    return gap.strip(" ") == "," and len(text[right.start : right.end].strip(".")) == 1


def _one_date(gap: str, left: str, right: str) -> bool:
    """`Tuesday, March 14`, `Mon. 3/14`, `3/14 Tuesday` and `Christmas 2070` are one date each."""
    if left.isalpha():
        return gap == " " or (gap == ", " and not right.isalpha()) or (gap == ". " and len(left) <= 4)
    return right.isalpha() and gap == " "
