"""Text in, listed names and places out; capitals and neighbours decide how certain each is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Terms, lowered
from deidlab.rules.person import INITIAL, WORD, fold_word, is_family, is_given, is_never
from deidlab.rules.wordlists import is_everyday, word_lines, word_list
from deidlab.types import Span

NAME, PLACE = "rules:name-list", "rules:place-list"
_FOLLOWING = re.compile(
    rf"[ ](?:{INITIAL}[ ]?){{0,2}}(?:(?:de|la|del|van|von|der|bin|al|da|di|y) "
    rf"){{0,2}}({WORD})(?![\w@])"
)
_GIVEN_AFTER = re.compile(rf",[ ]{{1,2}}({WORD})((?: {INITIAL}){{0,2}})(?![\w@])")
_INITIALS_BEFORE = re.compile(r"(?<![\w.'’])(?:[A-Z]\. ?){1,2}$")
_PLACE_CUE = re.compile(
    r"(?:^|[\s(])(?:in|from|to|at|near|of|outside|around|lives in|born in|moved to|visiting|"
    r"toward|towards|through|via|en|desde|resident of|native of|downtown|north|south|east|"
    r"west|city of|town of|county of|back to|greater|leaving|left|suburban)(?: (?:the|north|"
    r"south|east|west|downtown|nearby|rural))? $"
)
_NAMELIKE_STATES = frozenset(
    {
        "virginia",
        "georgia",
        "carolina",
        "washington",
        "victoria",
        "madrid",
        "kent",
        "devon",
        "clare",
        "mayo",
        "down",
        "cork",
        "dakota",
        "montana",
        "delaware",
        "york",
    }
)
_LABELS = (("states", "STATE"), ("cities", "CITY"), ("countries", "COUNTRY"))


@functools.cache
def _people() -> Terms:
    return Terms((*word_lines("given"), *word_lines("family"), *word_lines("both")))


@functools.cache
def _places() -> tuple[Terms, dict[str, str]]:
    labels = {term: label for name, label in _LABELS for term in word_lines(name)}
    return Terms(labels), labels


def find(text: str) -> list[Span]:
    """Every listed name and place that the text around it makes likely."""
    return [*_names(text), *_spots(text)]


def _names(text: str) -> Iterator[Span]:
    for start, end, name in _people().find(text):
        first = text[start]
        if not first.isupper():
            if first.islower() and is_given(name):
                yield from _small(text, start, end)
            continue
        if text[start - 1 : start] in ("@", "/", "\\", "_") and start:
            continue
        if start and text[start - 1] in "-'’" and text[start - 2 : start - 1].isalpha():
            continue
        yield from _capital(text, start, end, name)


def _capital(text: str, start: int, end: int, name: str) -> Iterator[Span]:
    shouting = text[start:end].isupper()
    given = is_given(name)
    after = _FOLLOWING.match(text, end) if given else None
    if after:
        last = fold_word(after[1])
        known = is_family(last) or is_given(last)
        fits = after[1].isupper() == shouting or len(after[1]) < 3
        if fits and not is_never(last) and (known or not shouting) and not (is_everyday(last) and shouting):
            score = 0.85 if known else 0.55 if is_everyday(last) or _ends_plainly(last) else 0.75
            yield Span(start, after.end(1), "PATIENT", score, NAME)
            return
    before = _INITIALS_BEFORE.search(text[max(start - 8, 0) : start])
    if before and not shouting:
        yield Span(max(start - 8, 0) + before.start(), end, "DOCTOR", 0.75, NAME)
        return
    reversed_ = _GIVEN_AFTER.match(text, end)
    if reversed_ and is_given(fold_word(reversed_[1])) and reversed_[1].isupper() >= shouting:
        yield Span(start, reversed_.end(), "PATIENT", 0.8 if is_family(name) else 0.55, NAME)
        return
    yield from _single(text, start, end, name, given, shouting)


def _single(text: str, start: int, end: int, name: str, given: bool, shouting: bool) -> Iterator[Span]:
    """One listed word with a capital: likely a person within a sentence, hardly in a heading."""
    if shouting:
        score = 0.25 if given else 0.1
    elif name in word_list("cities") or name in word_list("states"):
        score = 0.3
    elif opens_sentence(text, start):
        score = 0.5 if given and len(name) > 3 else 0.2
    else:
        score = 0.65 if given else 0.45 if len(name) > 3 else 0.3
    if text[end : end + 1] in ("-", "_") and text[end + 1 : end + 2].isalpha():
        score = min(score, 0.4)
    yield Span(start, end, "PATIENT", score, NAME)


def _small(text: str, start: int, end: int) -> Iterator[Span]:
    """`john smith` without capitals: both words must be listed and neither an everyday one."""
    match = re.match(r" ([a-z]{3,20})(?![\w'’-])", text[end : end + 22])
    if match and is_family(match[1]) and not is_never(match[1]) and end - start > 3 and len(match[1]) > 3:
        yield Span(start, end + match.end(1), "PATIENT", 0.55, NAME)


def opens_sentence(text: str, start: int) -> bool:
    """Whether a capital at `start` says nothing, because any word would have one there."""
    before = text[max(start - 4, 0) : start].rstrip(' \t"“(')
    return not before or before[-1] in ".!?:;\n\r-*•|"


def _ends_plainly(word: str) -> bool:
    """Endings of nouns and adjectives of medicine rather than of names."""
    return word.endswith(
        (
            "tion",
            "ism",
            "itis",
            "osis",
            "oma",
            "emia",
            "aemia",
            "ectomy",
            "ology",
            "pathy",
            "scopy",
            "ing",
            "ment",
            "ness",
            "ity",
            "gram",
            "graphy",
            "ous",
            "ical",
            "plasty",
            "ase",
            "ine",
            "ium",
            "ide",
            "ate",
            "logist",
        )
    )


def _spots(text: str) -> Iterator[Span]:
    finder, labels = _places()
    lower = lowered(text)
    for start, end, name in finder.find(text):
        if not text[start].isupper() or (text[start:end].isupper() and len(name) < 5):
            continue
        label = labels[name]
        before = lower[max(start - 24, 0) : start]
        led = bool(_PLACE_CUE.search(before))
        person = is_given(name) or is_family(name)
        followed = bool(re.match(r", (?:[A-Z][a-z]+|[A-Z]{2,3})\b", text[end : end + 16]))
        yield Span(
            start,
            end,
            label,
            _place_certainty(name, label, led, person, followed or before.endswith(", ")),
            PLACE,
        )


def _place_certainty(name: str, label: str, led: bool, person: bool, beside: bool) -> float:
    if label == "COUNTRY":
        return 0.85
    if label == "STATE" and name not in _NAMELIKE_STATES:
        return 0.85 if led or beside or not person else 0.55
    if " " in name:
        return 0.85 if led or beside else 0.7
    if led:
        return 0.6 if person else 0.8
    if beside:
        return 0.55 if person else 0.7
    return 0.3 if person else 0.5
