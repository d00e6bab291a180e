"""A mention of a person in, its parts and their roles out.

`SMITH, John A.` is a family name, a given name and a middle initial; `Mr. Smith` a title and a family name;
`J.S.` two initials. Titles, degrees and particles (`van`, `de la`) are no parts: see name_words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from deidlab import languages
from deidlab.banks import known_name, script_of
from deidlab.encode.words import find_words
from deidlab.languages.language import Language
from deidlab.mask.name_words import (
    find_degrees,
    is_particle,
    is_title,
    may_be_particle,
    stands_behind,
    title_gender,
)

_SHORT_NAMES = frozenset({"english", "korean", "chinese", "vietnamese", "indian"})
# No name is told by what stands farther off; a hostile span may be any size.
_SIGHT = 64
_HYPHENS = ("-", "‐", "‑")


@dataclass(frozen=True, slots=True)
class NamePart:
    """A word or an initial of a name: role is 'g' (given), 'm' (middle) or 'f' (family), with a '?' in front
    where the name stands alone and it is a guess. One that `leads` belongs to the next (Del Rio)."""

    start: int
    end: int
    initial: bool
    role: str = ""
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """The parts of a mention in reading order, and the gender that its title tells ('' where none does)."""

    parts: tuple[NamePart, ...]
    title_gender: str = ""
    titled: bool = False


def parse_name(text: str, language: Language) -> Name:
    """The parts of a mention in a note of the language."""
    words = _find_letters(text, find_degrees(text, language))
    parts: list[NamePart] = []
    gender, titled = "", False
    for index, (start, stop) in enumerate(words):
        last = index == len(words) - 1
        if not parts and not last and is_title(text, start, stop, language):
            gender, titled = gender or title_gender(text[start:stop], language) or "", True
        elif is_particle(text, words, index):
            continue
        elif not last and may_be_particle(text[start:stop]):
            parts.append(NamePart(start, stop, False, leads=_leads(text, words, index, bool(parts))))
        elif _are_initials(text, start, stop, words):
            parts += (NamePart(at, at + 1, True) for at in range(start, stop))
        else:
            parts.append(NamePart(start, stop, stop - start == 1 and not script_of(text[start:stop])))
    return Name(tuple(_give_roles(text, parts, titled, language)), gender, titled)


def _find_letters(text: str, end: int) -> list[tuple[int, int]]:
    """The words that hold a letter, without the s of a possessive."""
    words = [
        (a, b) for a, b in find_words(text[:end]) if text[a].isalpha() or any(map(str.isalpha, text[a:b]))
    ]
    return [word for word in _join_apostrophes(text, words) if not _is_possessive(text, *word)]


def _leads(text: str, words: list[tuple[int, int]], index: int, after_name: bool) -> bool:
    """Whether a word that could be a particle is the first of a family name, not a given name of its own."""
    start, stop = words[index]
    follows = words[index + 1]
    if not text[stop : follows[0]].isspace() or follows[1] - follows[0] == 1:
        return False
    inside = after_name and stands_behind(text, words, index)
    return inside or not known_name(text[start:stop])[0]


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


def _give_roles(text: str, parts: list[NamePart], titled: bool, language: Language) -> list[NamePart]:
    """Every part with its role; parts joined by a hyphen share one."""
    units: list[list[NamePart]] = []
    for part in parts:
        if units and (units[-1][-1].leads or text[units[-1][-1].end : part.start] in _HYPHENS):
            units[-1].append(part)
        else:
            units.append([part])
    if len(units) == 1 and not titled and not units[0][0].initial:
        roles = _guess_roles(text, units[0])
        return [replace(part, role=role) for part, role in zip(units[0], roles, strict=True)]
    roles = _unit_roles(text, units, titled, language)
    return [replace(part, role=role) for unit, role in zip(units, roles, strict=True) for part in unit]


def _guess_roles(text: str, unit: list[NamePart]) -> list[str]:
    """The roles of a name that stands alone, by what the banks know of its words.

    With a given name behind a hyphen all of it is one (Mary-Ann); before a family name it is one by itself.
    """
    known = [known_name(text[part.start : part.end]) for part in unit]
    given = [bool(gender) and not family for gender, _, family in known]
    family = [bool(family) and not gender for gender, _, family in known]
    shared = len(unit) > 1 and any(given)
    return [
        "?g" if is_given or (shared and (given[-1] or not is_family)) else "?f"
        for is_given, is_family in zip(given, family, strict=True)
    ]


def _unit_roles(text: str, units: list[list[NamePart]], titled: bool, language: Language) -> list[str]:
    n = len(units)
    # HL7 writes FAMILY^GIVEN^MIDDLE.
    cut = min((place for mark in ",^" if (place := text.find(mark)) >= 0), default=len(text))
    before = sum(unit[0].start <= cut for unit in units)
    if 0 < before < n:
        return ["f"] * before + ["g"] + ["m"] * (n - before - 1)
    if n <= 1:
        return ["g" if units[0][0].initial else "f"] if n else []
    if shouted := _family_in_capitals(text, units):
        return ["f"] * shouted + ["g"] + ["m"] * (n - shouted - 1)
    first, last = units[0][0], units[-1][0]
    if last.initial and not first.initial and all(unit[0].initial for unit in units[1:]):
        gender, _, family = known_name(text[first.start : first.end])
        if family and not gender:
            return ["f", "g"] + ["m"] * (n - 2)
    families = 1
    if n >= 3 and not any(unit[0].initial for unit in units[-2:]):
        gender, _, family = known_name(text[units[-2][0].start : units[-2][0].end])
        families = 2 if not gender and _has_two_families(family, language) else 1
    return ["g"] + ["m"] * (n - 1 - families) + ["f"] * families


def _family_in_capitals(text: str, units: list[list[NamePart]]) -> int:
    """How many words in capitals come before others that have one each: `DUPONT Marie`; 0 where none do."""
    shouted = [all(text[part.start : part.end].isupper() for part in unit) for unit in units]
    n_shouted = shouted.index(False) if False in shouted else 0
    initials = any(unit[0].initial for unit in units)
    return 0 if initials or any(shouted[n_shouted:]) else n_shouted


def _has_two_families(origin: str, language: Language) -> bool:
    """Whether two family names are usual where the note is from, or where a family name of the origin is."""
    return language.people.two_family_names or any(
        origin == each.people.origin for each in languages.everyone() if each.people.two_family_names
    )
