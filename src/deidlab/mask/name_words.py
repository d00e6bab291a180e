"""Which words of a mention are no names: titles before it, degrees behind it, particles between its words.

Many of them are somebody's name too (Don, Al, Van, Do, Pa). They are left as they stand only where they can
be nothing else; in doubt they are names, and replaced.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from deidlab import languages
from deidlab.banks import fold
from deidlab.languages.language import Language

# Of languages that have no folder: people bear the titles of where they are from.
_TITLES = {
    **dict.fromkeys(("herr", "signor"), "m"),
    "frau": "f",
}
_PARTICLES = frozenset({
    "der", "den", "dem", "van", "von", "vom", "zu", "da", "das", "do", "dos", "di", "bin", "ibn", "al", "le",
    "du", "ten", "ter", "af",
})  # fmt: skip
# Names of their own between two others too: Nguyen Van Minh, Alfred Al Wexley.
_NAMELIKE = frozenset({"al", "ben", "bin", "das", "den", "des", "di", "do", "du", "le", "van"})
_PAIRS = frozenset(
    {("de", second) for second in ("la", "las", "los", "le")}
    | {(first, second) for first in ("van", "von") for second in ("de", "dem", "den", "der")}
)
_ARTICLES = frozenset({"al", "el"})
_HYPHENED = frozenset({"de", "del", "ibn", "la"})
_HYPHENS = ("-", "‐", "‑")
_NAME_FOLLOWS = re.compile(r"\.?\s+(?=[^\W\d_])")

_DEGREES = (
    r"(?:M\.?D|Ph\.?D|D\.?O|R\.?N|N\.?P|P\.?A|L\.?P\.?N|A\.?R\.?N\.?P|P\.?A-C|D\.?D\.?S|D\.?M\.?D|M\.?P\.?H|"
    r"M\.?S\.?W|L\.?C\.?S\.?W|M\.?B\.?B\.?S|F\.?A\.?C\.?[PSC]|Pharm\.?D|Psy\.?D|II|III|IV|Esq|Jr|Sr)"
)
# Without a comma a degree is written in capitals: 'Mr. Do' is no doctor of osteopathy.
_SUFFIX = re.compile(rf"(?:\s*,\s*(?i:{_DEGREES})\b\.?|\s+(?:{_DEGREES}|(?i:esq|jr|sr|md|phd))\b\.?)+[\s,]*$")
_NAMELIKE_DEGREES = frozenset({"do", "pa"})
# No row of degrees is longer; a hostile span may be any size.
_SUFFIX_REACH = 160


class _NameWords(NamedTuple):
    """What stands beside names in all known languages, folded.

    Nobody is called by one of the `abbreviations`; the other titles are names where no name follows them at
    once (Herr, John). The `accented` are titles with their accents alone.
    """

    titles: dict[str, str]
    abbreviations: frozenset[str]
    accented: frozenset[str]
    particles: frozenset[str]


@functools.lru_cache(maxsize=4)
def _name_words(everyone: tuple[Language, ...]) -> _NameWords:
    people = [language.people for language in everyone]
    titles = {title: gender for each in people for title, gender in each.titles.items()}
    return _NameWords(
        {fold(title): gender for title, gender in {**_TITLES, **titles}.items()},
        frozenset().union(*(each.abbreviations for each in people)),
        frozenset().union(*(each.accented for each in people)),
        _PARTICLES.union(*(each.particles for each in people)),
    )


def _known() -> _NameWords:
    return _name_words(languages.everyone())


def may_be_particle(word: str) -> bool:
    """Whether a word is a particle somewhere, and not just a letter."""
    return len(word) > 1 and fold(word) in _known().particles


def title_gender(word: str, language: Language) -> str | None:
    """The gender that a title tells, '' where it tells none; None for a word that is no title."""
    folded, known = fold(word), _known()
    if folded in known.accented and unicodedata.normalize("NFC", word).lower() == folded:
        return None
    own = language.people.own_titles.get(folded)
    return known.titles.get(folded) if own is None else own


def is_title(text: str, start: int, stop: int, language: Language) -> bool:
    """Whether the word, which has no name before it and one behind it, is a title."""
    word = text[start:stop]
    if title_gender(word, language) is None:
        return False
    if stop - start == 1:
        return text[stop : stop + 1] == "." and "." not in text[stop + 1 :]
    return fold(word) in _known().abbreviations or _NAME_FOLLOWS.match(text, stop) is not None


def is_particle(text: str, words: Sequence[tuple[int, int]], index: int) -> bool:
    """Whether a word of a mention is a particle that nobody is called by, as in `Vincent van Gogh`."""
    start, stop = words[index]
    word = fold(text[start:stop])
    if word not in _known().particles or stop - start == 1 or index == len(words) - 1:
        return False
    gap = text[stop : words[index + 1][0]]
    low = text[start:stop].islower() and not _next_name(text, words, index).islower()
    if gap in _HYPHENS:
        return word in _ARTICLES or (word in _HYPHENED and low)
    if not gap.isspace() or (start and not _may_precede(text[start - 1], low)):
        return False
    if word == "and" or low or _is_paired(text, words, index):
        return True
    return word not in _NAMELIKE and index > 0 and stands_behind(text, words, index)


def stands_behind(text: str, words: Sequence[tuple[int, int]], index: int) -> bool:
    """Whether only white space or the dot of an initial is between the word and the one before it."""
    return text[words[index - 1][1] : words[index][0]].strip(" .\t\r\n\xa0") == ""


def find_degrees(text: str, language: Language) -> int:
    """Where the degrees behind a name start; the length of the text where it has none."""
    suffix = _SUFFIX.search(text, max(len(text) - _SUFFIX_REACH, 0))
    if suffix is None:
        return len(text)
    before = text[: suffix.start()]
    words = re.findall(r"[^\W\d_]+", before)
    names = [word for word in words if title_gender(word, language) is None]
    # A degree needs a name before it: in 'MR. DO' it is the name.
    return suffix.start() if names and _is_degree(suffix.group(), before, len(names)) else len(text)


def _is_degree(suffix: str, before: str, n_names: int) -> bool:
    """Do and Pa are family names: they are degrees behind a whole name, or in capitals that others lack."""
    bare = suffix.strip(" \t\r\n\xa0,.")
    if bare.lower() not in _NAMELIKE_DEGREES:
        return True
    return bare.isupper() and (n_names > 1 or ("," in suffix and not before.isupper()))


def _next_name(text: str, words: Sequence[tuple[int, int]], index: int) -> str:
    """The next word that is no particle, a few words on at most."""
    for start, stop in words[index + 1 : index + 4]:
        if fold(text[start:stop]) not in _known().particles:
            break
    return text[start:stop]


def _may_precede(character: str, low: bool) -> bool:
    return character.isspace() or (low and character in _HYPHENS)


def _is_paired(text: str, words: Sequence[tuple[int, int]], index: int) -> bool:
    """Whether the word is one of two particles (de la, van der) with a name behind them."""
    return any(
        first >= 0
        and first + 2 < len(words)
        and tuple(fold(text[a:b]) for a, b in words[first : first + 2]) in _PAIRS
        and text[words[first][1] : words[first + 1][0]].isspace()
        and text[words[first + 1][1] : words[first + 2][0]].isspace()
        for first in (index - 1, index)
    )
