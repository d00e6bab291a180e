"""French text in, people out wherever a listed name stands: with its capital, in capitals, or with none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.places import is_place
from deidlab.languages.fr.rules.words import (
    PARTICLES,
    TOKEN,
    cue_words,
    is_everyday,
    is_family,
    is_given,
    is_known,
    is_listed,
    is_never,
    is_own_given,
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
    rf"\b(?:{'|'.join(cue_words('eponym_heads'))})(?: [{LOWER}]{{3,16}})?"
    r"(?: (?:de la|de|du|des|selon|type|dite? de)| d['’]| de l['’])? ?(?:[\w-]+ et |[\w]+[- ])?$",
    re.IGNORECASE,
)
_CAPITALISED = rf"[{UPPER}][{LOWER}]{{2,24}}(?:-[{UPPER}][{LOWER}]{{2,24}}){{0,2}}"
_LISTABLE = re.compile(
    rf"(?<![\w@./-])(?:(?<=[dDlL]['’])|(?<!['’])){_CAPITALISED}(?![\w@]|[.-]\w| et al|"
    rf"['’]\w)"
)
_CAPS = rf"[{UPPER}]{{2,24}}(?:['’-][{UPPER}]{{2,24}}){{0,2}}"
_SHOUTED_GAP = r",? (?:(?:DE|DU|DES|LA|LE|EL|BEN|VAN|VON|D['’]) ?){0,3}"
_SHOUTED = re.compile(rf"(?<![\w@./'’-]){_CAPS}(?:{_SHOUTED_GAP}{_CAPS}){{1,4}}(?![\w@])")
# DUPONT Marie, Marie DUPONT, TREMBLAY-ROY Jean-Marc
_MIXED = re.compile(
    rf"(?<![\w@./'’-])(?:(?P<family>{_CAPS}(?: {_CAPS})?),? (?P<given>{_CAPITALISED}(?: {_CAPITALISED})?)"
    rf"|(?P<given2>{_CAPITALISED}(?: {_CAPITALISED})?) (?P<family2>(?:(?:DE|DU|LE|LA|EL|"
    rf"BEN) )?{_CAPS}(?: {_CAPS})?))(?![\w@'’])"
)
_INITIALS = re.compile(rf"(?: [{UPPER}]\.){{1,3}}(?![{LOWER}\d])")
_SMALL_WORD = re.compile(rf"(?<![\w@./-])[{LOWER}]{{3,20}}(?:-[{LOWER}]{{3,20}})?(?![\w@]|[.-]\w)")
_WORD = re.compile(WORD)
_NEXT = re.compile(rf" {PARTICLES}({WORD})")
_BESIDE = re.compile(rf"({WORD}) $")
_GAP = re.compile(rf" {PARTICLES}")
_OPENS = re.compile(r"(?:^|[.!?:;\n•*|-]\s{0,3}|\n\s*)$")
_HOUSE = re.compile(
    r"\b(?:rue|avenue|av\.|boulevard|boul\.|bd|place|chemin|rang|route|quai|cours|allée|impasse|hôpital|"
    r"clinique|"
    r"centre|lycée|collège|école|fondation|institut|pavillon|laboratoires?|lac|mont)(?: (?:de|du|des|la|"
    r"le|d['’]|l['’]))* ?$",
    re.IGNORECASE,
)
_LOOK_BACK = 48
_LONG = 4


def find(text: str) -> list[Span]:
    """Every listed name; in a note without capitals also the given names in small letters."""
    spans = [*_mixed(text), *_with_capital(text), *_in_capitals(text)]
    if has_few_capitals(text):
        spans += _without_capitals(text)
    return spans


def _mixed(text: str) -> Iterator[Span]:
    """A family name in capitals beside a given name; an abbreviation beside one is none: `IRM Rose`."""
    for match in scan(_MIXED, text, capital_starts(text)):
        family, given = (
            (match["family"], match["given"]) if match["family"] else (match["family2"], match["given2"])
        )
        first = given.split(" ")[0]
        if not (is_given(first) and not is_never(first)) or any(map(is_never, family.split(" "))):
            continue
        known = is_family(family.split(" ")[-1]) or is_known(family.split(" ")[-1])
        if (len(family) >= _LONG or known) and not (is_everyday(first) and not known):
            yield Span(*match.span(), "PATIENT", 0.9 if known else 0.8, SOURCE)


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
        named = [is_known(word.group()) and not is_never(word.group()) for word in words]
        if not any(named):
            continue
        first, last = named.index(True), len(named) - named[::-1].index(True)
        listed = [word.group() for word in words[first:last] if is_listed(word.group())]
        given = any(is_given(word) for word in listed)
        if given and 2 * len(listed) > last - first > 1 and max(map(len, listed)) >= _LONG:
            yield Span(words[first].start(), words[last - 1].end(), "PATIENT", 0.8, SOURCE)


def _without_capitals(text: str) -> Iterator[Span]:
    for match in _SMALL_WORD.finditer(text):
        if is_given(match.group()) and is_listed(match.group()) and not is_place(fold_word(match.group())):
            yield Span(*match.span(), "PATIENT", 0.7, SOURCE)


def _is_name(text: str, match: re.Match[str]) -> bool:
    """A given name, or a family name of the region that opens no sentence; no eponym and no street."""
    if is_never(match.group()) or not is_known(match.group()):
        return False
    word = fold_word(match.group())
    given = is_given(match.group())
    follows = _NEXT.match(text, match.end(), match.end() + 40)
    followed = (
        follows is not None
        and not is_never(follows[1])
        and (is_family(follows[1]) or is_own_given(follows[1]))
    )
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    called = given and (followed or (is_own_given(match.group()) and not _OPENS.search(before)))
    if (is_everyday(match.group()) and not called) or (is_place(word) and not (given and followed)):
        return False
    if _EPONYM.search(before) or _HOUSE.search(before):
        return False
    if word in word_list("eponyms") or word in word_list("eponyms_bare"):
        return given and followed
    # Names of farther off may be any word that opens a sentence: Vit.
    if _OPENS.search(before):
        return is_own_given(match.group()) or (given and followed)
    return given or is_family(match.group())


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """With the capitalised words beside it: a known one before it, any but the never ones after it."""
    before = _BESIDE.search(text[max(0, start - 32) : start]) if text[start - 1 : start] == " " else None
    if before is not None and is_given(before[1]) and not is_never(before[1]):
        start -= len(before[0])
    for _ in range(4):
        gap = _GAP.match(text, end)
        after = _WORD.match(text, gap.end()) if gap else None
        if after is None or _ends_name(after.group()):
            break
        end = after.end()
    initials = _INITIALS.match(text, end)
    return start, end if initials is None else initials.end()


def _ends_name(word: str) -> bool:
    return is_never(word) or (is_everyday(word) and not (is_family(word) or is_own_given(word)))
