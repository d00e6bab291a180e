"""Text and a span in, whether it is drugs, words of medicine or everyday words out, and no name.

A drug is one wherever it stands; a word of medicine, and one without a capital that no list of names has,
where the source is not all but sure; an everyday word that is also a name, where a capital says nothing
and no verb that a person does follows (`Frank hematuria`, but `Frank is stable`); bare articles and
prepositions always.
"""

from __future__ import annotations

import functools
import re

from deidlab import languages
from deidlab.detect.vetoes.initials import are_initials, has_capitals_beside, is_part
from deidlab.languages.language import Language
from deidlab.rules.folding import folded
from deidlab.rules.person import is_listed
from deidlab.rules.wordlists import is_everyday, read_table, word_list
from deidlab.types import Span

SURE, DOUBTFUL = 0.98, 0.9
_OPENER = 0.5  # What the list of names gives a listed word that opens a sentence.
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LISTED = ("rules:name-list", "rules:place-list", "model", "model:word")
_PLACE_LISTS = ("cities", "states", "countries")
_NEXT_WORD = re.compile(r" ([^\W\d_]+)")
_OPENS = re.compile(r"(?:^|[.!?:;\n\r*•|-])[ \t\"“(]*$")
_ANY_PART = frozenset({"HOSPITAL", "ORGANIZATION", "CITY", "STATE", "STREET", "LOCATION-OTHER"})
_LOWER = frozenset(
    {"PATIENT", "DOCTOR", "HOSPITAL", "ORGANIZATION", "CITY", "STATE", "COUNTRY", "LOCATION-OTHER"}
)


@functools.cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table("deidlab", "data/detect/vetoes/words.toml")[name])


@functools.cache
def _suffixes() -> tuple[str, ...]:
    return tuple(read_table("deidlab", "data/detect/vetoes/words.toml")["suffixes"])


def drops(text: str, span: Span) -> bool:
    """Whether the span has nothing in it but such words."""
    value = text[span.start : span.end]
    if span.source not in _LISTED or len(value) > 40 or any(map(str.isdigit, value)):
        return False
    words = _WORD.findall(value)
    if not words:
        return not any(map(str.isalnum, value))
    plain = [folded(word).strip() for word in words]
    if is_part(text, span):
        return False
    if value.islower() and all(word in _words("function_words") for word in plain):
        return not _is_inside_name(text, span)
    score = 1.0 if span.score is None else span.score
    telling = [word for word in plain if word not in _words("function_words")]
    if telling and all(map(_is_drug, telling)):
        return True
    if telling and score < SURE and all(map(_is_clinical, telling)):
        beside = span.label in _ANY_PART and has_capitals_beside(text, span)
        return not beside and not are_initials(text, span)
    if value.islower():
        return score < SURE and span.label in _LOWER and _is_plain(text, span, telling)
    if len(words) > 1:
        return False
    return score < DOUBTFUL and _is_ordinary(text, span, plain[0])


def _is_drug(word: str) -> bool:
    return word in _words("drugs")


def _is_clinical(word: str) -> bool:
    if word in _words("clinical") or _is_drug(word):
        return True
    return len(word) > 5 and word.endswith(_suffixes()) and not is_listed(word)


def _is_inside_name(text: str, span: Span) -> bool:
    """`de la` between two capitalised words."""
    before = re.search(r"[^\W\d_]+ $", text[max(span.start - 20, 0) : span.start])
    after = _NEXT_WORD.match(text, span.end)
    return bool(before and after and before.group()[0].isupper() and after[1][0].isupper())


def _is_plain(text: str, span: Span, words: list[str]) -> bool:
    """Words without a capital that no list of names or places has, in a line that has capitals."""
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if not any(map(str.isupper, line)) and not any(map(str.isupper, text[span.end : span.end + 80])):
        return False
    if any(is_listed(word) or any(word in word_list(name) for name in _PLACE_LISTS) for word in words):
        return False
    if any(word in _telling_words(languages.everyone()) for word in words):
        return False
    return not are_initials(text, span)


@functools.lru_cache(maxsize=2)
def _telling_words(everyone: tuple[Language, ...]) -> frozenset[str]:
    """Words of trades and months in any language: PHI, even where the label is wrong."""
    lines = [line for each in everyone for line in (*each.professions(), *each.calendar.months)]
    return frozenset(folded(word).strip() for line in lines for word in line.split()) - _words("clinical")


def _is_ordinary(text: str, span: Span, word: str) -> bool:
    """An everyday word whose capital says nothing, before a plain word that is nothing a person does."""
    listed_alone = span.source == "rules:name-list" and (span.score or 0.0) <= _OPENER
    everyday = is_everyday(word) or any(word in each.everyday() for each in languages.everyone())
    if not (everyday or listed_alone) or not _OPENS.search(text[max(span.start - 6, 0) : span.start]):
        return False
    following = _NEXT_WORD.match(text, span.end)
    if following is None or not following[1].islower():
        return False
    after = folded(following[1]).strip()
    return after not in _words("doing") and not after.endswith("ed") and not _does(after)


def _does(word: str) -> bool:
    """Whether a word looks like a verb of the third person: `denies`, `reports`, `states`."""
    return len(word) > 4 and word.endswith(
        ("ies", "tes", "rts", "ets", "kes", "ves", "nts", "ses", "nks", "lks", "ins", "ays")
    )
