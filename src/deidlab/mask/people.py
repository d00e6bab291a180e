"""A mention of a person in, its parts and their roles out.

`SMITH, John A.` is a family name, a given name and a middle initial; `Mr. Smith` a title and a family name;
`J.S.` two initials. Titles, degrees and particles (`van`, `de la`) are left as they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from deidlab.banks import fold, known_name, script_of
from deidlab.encode.words import find_words

_TITLES = {
    **dict.fromkeys(("mr", "mister", "sir", "sr", "señor", "don", "d", "herr", "monsieur", "signor"), "m"),
    **dict.fromkeys(("mrs", "ms", "miss", "madam", "sra", "srta", "señora", "doña", "dña", "dra", "frau",
                     "madame", "mme", "mlle"), "f"),
    **dict.fromkeys(("dr", "drs", "doctor", "prof", "professor", "nurse", "rev", "fr", "capt", "sgt",
                     "lt", "pt", "attending", "resident"), ""),
}  # fmt: skip
_FOLDED_TITLES = frozenset(fold(title) for title in _TITLES)
_PARTICLES = frozenset({
    "and", "de", "del", "la", "las", "los", "der", "den", "dem", "van", "von", "vom", "zu", "da", "das", "do",
    "dos", "di", "bin", "ibn", "al", "el", "y", "e", "le", "du", "ten", "ter", "af",
})  # fmt: skip
_SHORT_NAMES = frozenset({"english", "korean", "chinese", "vietnamese", "indian"})
_DEGREES = (
    r"(?:M\.?D|Ph\.?D|D\.?O|R\.?N|N\.?P|P\.?A|L\.?P\.?N|A\.?R\.?N\.?P|P\.?A-C|D\.?D\.?S|D\.?M\.?D|M\.?P\.?H|"
    r"M\.?S\.?W|L\.?C\.?S\.?W|M\.?B\.?B\.?S|F\.?A\.?C\.?[PSC]|Pharm\.?D|Psy\.?D|II|III|IV|Esq|Jr|Sr)"
)
# Without a comma a degree is written in capitals: 'Mr. Do' is no doctor of osteopathy.
_SUFFIX = re.compile(rf"(?:\s*,\s*(?i:{_DEGREES})\b\.?|\s+(?:{_DEGREES}|(?i:esq|jr|sr|md|phd))\b\.?)+[\s,]*$")

# No row of degrees is longer, and no name is told by what stands farther off; a hostile span may be any size.
_SUFFIX_REACH, _SIGHT = 160, 64


@dataclass(frozen=True, slots=True)
class NamePart:
    """A word or an initial of a name: role is 'g' (given), 'm' (middle), 'f' (family), or '?' alone."""

    start: int
    end: int
    initial: bool
    role: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """The parts of a mention in reading order, and the gender that its title tells ('' where none does)."""

    parts: tuple[NamePart, ...]
    title_gender: str = ""
    titled: bool = False


def parse_name(text: str, spanish: bool = False) -> Name:
    """The parts of a mention; `spanish` says that two family names are usual where the note is from."""
    suffix = _SUFFIX.search(text, max(len(text) - _SUFFIX_REACH, 0))
    if suffix:
        words = [fold(text[a:b]) for a, b in find_words(text[: suffix.start()]) if text[a].isalpha()]
        # A degree needs a name before it: in 'MR. DO' it is the name.
        if any(word not in _FOLDED_TITLES for word in words):
            return _parse(text, suffix.start(), spanish)
    return _parse(text, len(text), spanish)


def _parse(text: str, end: int, spanish: bool) -> Name:
    letters = _join_apostrophes(text, [w for w in find_words(text[:end]) if text[w[0]].isalpha()])
    parts: list[NamePart] = []
    gender, titled = "", False
    for index, (start, stop) in enumerate(letters):
        word, last = fold(text[start:stop]), index == len(letters) - 1
        if _is_title(text, word, stop, bool(parts), last):
            gender, titled = gender or _TITLES.get(text[start:stop].lower(), ""), True
        elif (word in _PARTICLES and not last and stop - start > 1) or _is_possessive(text, start, stop):
            continue
        elif _are_initials(text, start, stop, letters):
            parts += (NamePart(at, at + 1, True) for at in range(start, stop))
        else:
            parts.append(NamePart(start, stop, stop - start == 1 and not script_of(text[start:stop])))
    return Name(tuple(_give_roles(text, parts, titled, spanish)), gender, titled)


def _join_apostrophes(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in words:
        if (
            joined
            and text[joined[-1][1] : start] in ("'", "’")
            and joined[-1][1] - joined[-1][0] <= 2 < end - start
        ):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _is_title(text: str, word: str, stop: int, after_name: bool, last: bool) -> bool:
    if after_name or last:
        return False
    dotted = text[stop : stop + 1] == "."
    return word in _FOLDED_TITLES and (len(word) > 1 or (dotted and "." not in text[stop + 1 :]))


def _is_possessive(text: str, start: int, stop: int) -> bool:
    return start > 0 and text[start - 1] in "'’" and text[start:stop].lower() == "s"


def _are_initials(text: str, start: int, stop: int, letters: list[tuple[int, int]]) -> bool:
    """Two or three capitals run together: 'JS', or 'Smith JA', but not a short name in capitals."""
    word = text[start:stop]
    if not 2 <= len(word) <= 3 or not word.isupper() or not word.isascii():
        return False
    _, given, family = known_name(word)
    alone = len(letters) == 1
    # Rare names of three letters (Jas, Pat in some tongue) are less likely than three initials.
    shouting = not alone and text[max(start - _SIGHT, 0) : start].isupper()
    return not shouting and not {given, family} & _SHORT_NAMES


def _give_roles(text: str, parts: list[NamePart], titled: bool, spanish: bool) -> list[NamePart]:
    """Every part with its role; parts joined by a hyphen share one."""
    units: list[list[NamePart]] = []
    for part in parts:
        if units and text[units[-1][-1].end : part.start] in ("-", "‐", "‑"):
            units[-1].append(part)
        else:
            units.append([part])
    roles = _unit_roles(text, units, titled, spanish)
    return [replace(part, role=role) for unit, role in zip(units, roles, strict=True) for part in unit]


def _unit_roles(text: str, units: list[list[NamePart]], titled: bool, spanish: bool) -> list[str]:
    n = len(units)
    # HL7 writes FAMILY^GIVEN^MIDDLE.
    cut = min((place for mark in ",^" if (place := text.find(mark)) >= 0), default=len(text))
    before = sum(unit[0].start <= cut for unit in units)
    if 0 < before < n:
        return ["f"] * before + ["g"] + ["m"] * (n - before - 1)
    if n <= 1:
        return [("g" if units[0][0].initial else "f" if titled else "?")] if n else []
    first, last = units[0][0], units[-1][0]
    if last.initial and not first.initial and all(unit[0].initial for unit in units[1:]):
        gender, _, family = known_name(text[first.start : first.end])
        if family and not gender:
            return ["f", "g"] + ["m"] * (n - 2)
    families = 1
    if n >= 3 and not any(unit[0].initial for unit in units[-2:]):
        gender, _, family = known_name(text[units[-2][0].start : units[-2][0].end])
        families = 2 if not gender and (spanish or family == "hispanic") else 1
    return ["g"] + ["m"] * (n - 1 - families) + ["f"] * families
