"""Text and a span in, whether it is a name of a disease, sign, score or device out, and no person or place.

A listed eponym is one where a head word follows (`Wells score`, `Grey Turner sign`), or where it is one of
those that stand alone (`Foley in place`). After a title (`Dr. Foley`) it is a person again. Any one
capitalised word before a grade (`Regan II`, `Nottingham grade 2`) is the name of what is graded.
"""

from __future__ import annotations

import functools
import re

from deidlab import languages
from deidlab.detect.lexicon import outside
from deidlab.languages.language import Language
from deidlab.rules.folding import Terms, folded
from deidlab.rules.wordlists import word_list
from deidlab.types import Span

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


_GRADE = re.compile(
    r"(?:'s|’s)?[ ](?:(?:type|grade|gr|class|stage|group)\.?[ ](?:[IVX]{1,4}|\d|[A-F])|"
    r"(?:[IV]{2,4}|X?VI{0,3}|IX)(?:[- ]?[a-dA-D])?|\d[a-d])(?![\w/%-])"
)
_CLASS = re.compile(
    r"[ ](?:\d[a-dA-D]?|[IVX]{1,4}|[A-F])(?:[- ]?[IVX\d]+)?(?=[,.;:)\s]|$)(?! ?(?:y|yo|m|f|years?)\b)"
)
_WORD_BEFORE = re.compile(r"[A-Z][\w.'’-]*,? $")


def _is_graded(text: str, span: Span) -> bool:
    """Whether a grade stands behind one capitalised word that no other makes a full name."""
    value = text[span.start : span.end]
    if not value.isalpha():
        return False
    listed = value.lower() in word_list("eponyms_graded") and _CLASS.match(text, span.end)
    if not (listed or _GRADE.match(text, span.end)):
        return False
    return not _WORD_BEFORE.search(text[max(span.start - 20, 0) : span.start])


def drops(text: str, span: Span) -> bool:
    """Whether the span lies in an eponym."""
    if outside((span,), find_eponyms(text)):
        return _is_graded(text, span)
    return True
