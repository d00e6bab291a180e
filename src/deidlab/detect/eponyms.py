"""Candidates in, candidates out: names of diseases, signs, scores and devices are no people and no places.

A listed eponym is one where a head word follows (`Wells score`, `Grey Turner sign`), or where it is one of
those that stand alone (`Foley in place`). After a title (`Dr. Foley`) it is a person again.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from deidlab import languages
from deidlab.languages.language import Language
from deidlab.rules.folding import Terms, folded
from deidlab.rules.wordlists import word_list
from deidlab.types import Span

_LABELS = frozenset({"PATIENT", "DOCTOR", "CITY", "STATE", "LOCATION-OTHER", "HOSPITAL", "ORGANIZATION"})
_KEPT = ("known", "deny")
_NEXT = re.compile(r"( s| |s )? {0,3}(?:and )?([a-z0-9]+)")
_TITLES = ("dr", "drs", "prof", "professor", "doctor", "nurse")


@functools.cache
def _eponyms() -> Terms:
    return Terms(word_list("eponyms") | word_list("eponyms_bare"))


@functools.lru_cache(maxsize=4)
def _titled(everyone: tuple[Language, ...]) -> re.Pattern[str]:
    """A title of any language that tells a gender, or one of those that tell none; or an initial."""
    told = {title for each in everyone for title, gender in each.people.titles.items() if gender}
    words = "|".join(map(re.escape, sorted({*_TITLES, *told})))
    return re.compile(rf"(?:\b(?:{words})\b\W{{0,3}}|\b[A-Z]\. ?)$", re.IGNORECASE)


@functools.lru_cache(maxsize=2)
def find_eponyms(text: str) -> list[tuple[int, int]]:
    """Where eponyms stand, in order and disjoint; those after a title are left out."""
    plain = folded(text)
    heads, names, bare = word_list("eponym_heads"), word_list("eponyms"), word_list("eponyms_bare")
    stretches: list[tuple[int, int]] = []
    titled = _titled(languages.everyone())
    for start, end, name in _eponyms().find(text):
        if (stretches and start < stretches[-1][1]) or titled.search(text[max(start - 12, 0) : start]):
            continue
        stop = end
        for _ in range(3):
            following = _NEXT.match(plain, stop)
            if following is None:
                break
            word = following[2]
            if word in heads or (word.isdigit() and name in bare):
                stretches.append((start, following.end()))
                break
            # Another part of the same eponym, or one plain word before the head (`Wells DVT score`).
            if word not in names and not text[following.start(2)].isupper():
                break
            stop = following.end()
        if (
            (not stretches or stretches[-1][0] != start)
            and name in bare
            and text[start].isupper()
            and _alone(text, start, end)
        ):
            stretches.append((start, end))
    return stretches


def _alone(text: str, start: int, end: int) -> bool:
    """Whether no other capitalised word makes a full name of it."""
    after = re.match(r"(?:, | )[A-Z][a-z]+", text[end : end + 16])
    before = re.search(r"[A-Z][a-z]+ $", text[max(start - 16, 0) : start])
    return not after and (before is None or text[max(start - 16, 0) : start].strip() == "")


def drop_eponyms(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without names and places that lie in an eponym; known and denied ones always stay."""
    from deidlab.detect.lexicon import outside

    spans = list(spans)
    if not any(span.label in _LABELS for span in spans):
        return spans
    stretches = find_eponyms(text)
    if not stretches:
        return spans
    return [
        span
        for span in spans
        if span.label not in _LABELS or span.source.startswith(_KEPT) or outside((span,), stretches)
    ]
