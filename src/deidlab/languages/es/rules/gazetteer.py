"""Spanish text in, people out wherever a listed name stands: with its capital, in capitals, or with none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.banks import known_name
from deidlab.languages.es.rules.places import is_place
from deidlab.languages.es.rules.words import (
    PARTICLES,
    TOKEN,
    cue_words,
    is_given,
    is_known,
    is_listed,
    is_never,
    is_particle,
)
from deidlab.rules.numbers import scan
from deidlab.rules.person import (
    LOWER,
    UPPER,
    WORD,
    capital_starts,
    fold_word,
    has_few_capitals,
    shouted_starts,
)
from deidlab.rules.wordlists import word_list
from deidlab.types import Span

SOURCE = "rules:name-list"
_EPONYM = re.compile(
    rf"\b(?:{'|'.join(cue_words('eponym_heads'))})(?: (?:de|del|d['’]?)(?: (?:la|los|las))?)? $",
    re.IGNORECASE,
)
_CAPITALISED = rf"[{UPPER}][{LOWER}]{{2,24}}(?:-[{UPPER}][{LOWER}]{{2,24}})?"
_LISTABLE = re.compile(rf"(?<![\w@./'’-]){_CAPITALISED}(?![\w@]|[.-]\w| et al)")
_SHOUTED_GAP = r",? (?:(?:DE|DEL|LA|LAS|LOS|Y|I|DA|DOS) ){0,3}"
_SHOUTED = re.compile(rf"(?<![\w@./'’-])[{UPPER}]{{3,24}}(?:{_SHOUTED_GAP}[{UPPER}]{{3,24}}){{1,4}}(?![\w@])")
_INITIALS = re.compile(rf"(?: [{UPPER}]\.){{1,3}}(?![{LOWER}\d])")
_SMALL_WORD = re.compile(rf"(?<![\w@./-])[{LOWER}]{{3,20}}(?![\w@]|[.-]\w)")
_BESIDE = re.compile(rf"({WORD}) $")
_GAP = re.compile(rf" {PARTICLES}")
_OPENS = re.compile(r"(?:^|[.!?:;\n•*-]\s{0,3}|\n\s*)$")
_LOOK_BACK = 40
_LONG = 5


def find(text: str) -> list[Span]:
    """Every listed name; in a note without capitals also the given names in small letters."""
    spans = [*_with_capital(text), *_in_capitals(text)]
    if has_few_capitals(text):
        spans += _without_capitals(text)
    return spans


def _with_capital(text: str) -> Iterator[Span]:
    end = 0
    for match in scan(_LISTABLE, text, capital_starts(text)):
        if match.start() < end or not _is_name(text, match):
            continue
        start, end = _widen(text, match.start(), match.end())
        given = any(is_given(word) for word in text[start:end].split())
        yield Span(start, end, "PATIENT", 0.85 if given else 0.7, SOURCE)


def _in_capitals(text: str) -> Iterator[Span]:
    """Names among words in capitals; headings and abbreviations are capitals too.

    Of what is left without words at the edges that are no names, most must be listed, one of them a given
    name, and one long.
    """
    for match in scan(_SHOUTED, text, shouted_starts(text)):
        words = [word for word in TOKEN.finditer(text, *match.span()) if not is_particle(word.group())]
        named = [is_known(word.group()) for word in words]
        if not any(named):
            continue
        first, last = named.index(True), len(named) - named[::-1].index(True)
        listed = [word.group() for word in words[first:last] if is_listed(word.group())]
        given = any(is_given(word) for word in listed)
        if given and 2 * len(listed) > last - first > 1 and max(map(len, listed)) >= _LONG:
            yield Span(words[first].start(), words[last - 1].end(), "PATIENT", 0.8, SOURCE)


def _without_capitals(text: str) -> Iterator[Span]:
    for match in _SMALL_WORD.finditer(text):
        if is_given(match.group()) and is_listed(match.group()):
            yield Span(*match.span(), "PATIENT", 0.7, SOURCE)


def _is_name(text: str, match: re.Match[str]) -> bool:
    """A given name of any origin, or a Spanish family name that does not open a sentence; no eponym."""
    word = fold_word(match.group())
    if not is_listed(match.group()):
        return False
    given = is_given(match.group())
    if is_place(word) and not given:
        return False
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if (
        (before.endswith(" ") and _EPONYM.search(before))
        or word in word_list("eponyms")
        or word in word_list("eponyms_bare")
    ):
        return False
    return given or (known_name(match.group())[2] == "hispanic" and not _OPENS.search(before))


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """With the capitalised words beside it: an everyday one before it, any but the never ones after it."""
    before = _BESIDE.search(text[max(0, start - 32) : start]) if text[start - 1 : start] == " " else None
    if before is not None and is_known(before[1]) and not is_never(before[1]):
        start -= len(before[0])
    for _ in range(4):
        gap = _GAP.match(text, end)
        after = _LISTABLE.match(text, gap.end()) if gap else None
        if after is None or is_never(after.group()):
            break
        end = after.end()
    initials = _INITIALS.match(text, end)
    return start, end if initials is None else initials.end()
