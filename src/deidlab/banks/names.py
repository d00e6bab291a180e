"""A name word in, its gender and origin out; and the pools of names to draw from.

Origins are coarse (english, hispanic, vietnamese, cyrillic-script…) and a word found under several gets the
first in the order of the file. Words are compared folded: without case and accents.
"""

from __future__ import annotations

import functools
import unicodedata

from deidlab.banks.reading import rows

_SCRIPTS = {
    "CYRILLIC": "cyrillic-script", "GREEK": "greek-script", "ARABIC": "arabic-script",
    "HEBREW": "hebrew-script",
    "CJK": "han-script", "HANGUL": "hangul-script", "DEVANAGARI": "devanagari-script",
}  # fmt: skip


@functools.lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """The word without case and accents, as names are compared."""
    return word.lower() if word.isascii() else _bare(word.casefold()) or word.casefold()


def _bare(text: str) -> str:
    """Text without accents, of one word or of many lines."""
    bare = unicodedata.normalize("NFKD", text)
    # Marks are few, and to take out one at a time is several times as fast as a table of all.
    for mark in [character for character in set(bare) if unicodedata.category(character) == "Mn"]:
        bare = bare.replace(mark, "")
    return bare


def known_name(word: str, home: str = "") -> tuple[str, str, str]:
    """What the banks know of a word: its gender as a given name ('m', 'f', 'mf' or ''), its origin as a given
    name and its origin as a family name ('' where they know none). One of several origins is of `home`."""
    exact, folded = word.casefold(), fold(word)
    gender, given = _given().get(exact) or _given().get(folded, ("", ""))
    family = _family().get(exact) or _family().get(folded, "")
    own_gender, own_family = _at_home(home).get(exact) or _at_home(home).get(folded, ("", False))
    return own_gender or gender, home if own_gender else given, home if own_family else family


def script_of(word: str) -> str:
    """The origin that a word's script alone tells ('' for Latin letters and for scripts with no bank)."""
    for character in word:
        if character > "\u024f":
            name = unicodedata.name(character, "")
            return next((origin for start, origin in _SCRIPTS.items() if name.startswith(start)), "")
    return ""


@functools.cache
def name_pool(origin: str, kind: str) -> tuple[str, ...]:
    """The names of an origin: kind is 'm', 'f', 'mf' (both) or 'family'; an unknown origin is english."""
    pools = _pools()
    chosen = origin if (origin, "family") in pools else "english"
    if kind in ("mf", ""):
        return tuple(sorted({*pools[chosen, "m"], *pools[chosen, "f"]}))
    return pools[chosen, kind]


@functools.cache
def origins() -> tuple[str, ...]:
    """Every origin, in the order in which words are looked up."""
    return tuple(dict.fromkeys(origin for origin, _ in _pools()))


@functools.cache
def _pools() -> dict[tuple[str, str], tuple[str, ...]]:
    return {(origin, kind): tuple(names.split()) for origin, kind, names in rows("names.tsv")}


@functools.cache
def _given() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    # The first origin has the last word: a name that a later one gives to the other gender keeps its own.
    for origin in reversed(origins()):
        men, women = (dict.fromkeys(_keys(name_pool(origin, kind))) for kind in ("m", "f"))
        # Every start builds this: names share one value, and none is looked at by itself.
        found.update(dict.fromkeys(men, ("m", origin)))
        found.update(dict.fromkeys(women, ("f", origin)))
        found.update(dict.fromkeys(men.keys() & women.keys(), ("mf", origin)))
    return found


@functools.cache
def _at_home(origin: str) -> dict[str, tuple[str, bool]]:
    """Every name of an origin: its gender as a given name, and whether it is a family name."""
    found: dict[str, tuple[str, bool]] = {}
    for kind in ("m", "f", "family"):
        for key in _keys(_pools().get((origin, kind), ())):
            gender, family = found.get(key, ("", False))
            # Two spellings of a name (José, Jose) are looked up as one.
            known = gender if kind in gender else gender + kind
            found[key] = (gender, True) if kind == "family" else (known, family)
    return found


@functools.cache
def _family() -> dict[str, str]:
    found: dict[str, str] = {}
    for origin in reversed(origins()):
        found.update(dict.fromkeys(_keys(name_pool(origin, "family")), origin))
    return found


def _keys(names: tuple[str, ...]) -> list[str]:
    """Each name as it is looked up: in small letters, and without accents."""
    whole = "\n".join(names).casefold()
    exact = whole.split("\n") if names else []
    if whole.isascii():
        return exact
    bare = _bare(whole).split("\n")
    return [*exact, *(plain or key for plain, key in zip(bare, exact, strict=True))]
