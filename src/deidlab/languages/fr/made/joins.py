"""Parts of a made note in, the same with elisions and contractions out: d'Anne, du Havre, à la clinique.

Slots know nothing of what stands before them, and in French that often depends on how they begin.
"""

from __future__ import annotations

import functools
import re

from deidlab.languages.made import HELD
from deidlab.rules.wordlists import read_table

Part = tuple[str, str]
"""A text and its label, empty where it is no PHI."""

_NAMES = frozenset({"PATIENT", "DOCTOR", "USERNAME", "EMAIL", "URL"})
_HOUSES = frozenset({"HOSPITAL", "ORGANIZATION"})
_START = r"(?<![\w'’-])"
_ELIDED = re.compile(rf"{_START}(?:(jusqu|lorsqu|puisqu|quoiqu|qu|[djnmst])e|(l)[ea]) $", re.IGNORECASE)
_CONTRACTED = re.compile(rf"{_START}(de|à) $", re.IGNORECASE)
_ARTICLE = re.compile(rf"{_START}(au|à la|du|de la|le|la|un|une|ce|cette) $", re.IGNORECASE)
_INSIDE = re.compile(rf"{_START}(d)e (?=\w)", re.IGNORECASE)
_CONTRACTED_INSIDE = re.compile(rf"{_START}(de|à) (les?) ", re.IGNORECASE)
_VOICED = re.compile(r"[aàâäeéèêëiîïoôöœuùûüh]|y[^aeiouéèô\s]", re.IGNORECASE)
_CONTRACTIONS = {"dele": "du ", "deles": "des ", "àle": "au ", "àles": "aux "}
_FEMININE = {"au": "à la", "du": "de la", "le": "la", "un": "une", "ce": "cette"}
_PLURAL = {
    "au": "aux", "à la": "aux", "du": "des", "de la": "des", "le": "les", "la": "les",
    "un": "des", "une": "des", "ce": "ces", "cette": "ces",
}  # fmt: skip
_NO_ARTICLE = {"au": "à ", "à la": "à ", "du": "de ", "de la": "de "}
_MASCULINE = {feminine: masculine for masculine, feminine in _FEMININE.items()}
_BEFORE_VOWEL = {
    "au": "à l'", "à la": "à l'", "du": "de l'", "de la": "de l'", "le": "l'", "la": "l'", "ce": "cet ",
}  # fmt: skip
_OF = {"au": "du ", "aux": "des "}


def join(parts: list[Part]) -> list[Part]:
    """The parts with what French asks for where they meet; parts that are no PHI are put together."""
    joined: list[Part] = []
    for text, label in parts:
        if label:
            text = _mend_inside(text.replace(HELD, " "), label)
        if joined and not joined[-1][1]:
            before, text = _meet(joined.pop()[0], text, label)
            if not label:
                text = before + text
            elif before:
                joined.append((before, ""))
        joined.append((text, label))
    return joined


@functools.cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table(__package__, "joins.toml")[name])


@functools.cache
def _countries() -> dict[str, str]:
    table = read_table(__package__, "joins.toml")["countries"]
    return {name: word for word, names in table.items() for name in names}


@functools.cache
def _hard() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(_words("hard"), reverse=True))), re.IGNORECASE)


def _voiced(text: str, at: int = 0) -> bool:
    """Whether what stands there starts with a vowel, or with an h that nobody hears."""
    return _VOICED.match(text, at) is not None and _hard().match(text, at) is None


def _mend_inside(text: str, label: str) -> str:
    """What was put together of several names: CHU de Amiens, Mairie de Le Havre."""
    if label in _NAMES:
        return text
    text = _CONTRACTED_INSIDE.sub(lambda met: _like(met[1], _CONTRACTIONS[f"{met[1]}{met[2]}".lower()]), text)
    return _INSIDE.sub(lambda met: f"{met[1]}'" if _voiced(text, met.end()) else met[0], text)


def _meet(before: str, text: str, label: str) -> Part:
    """What stands before a part, and the part, once they have met."""
    start = text.lower()
    if label == "COUNTRY" and (word := _countries().get(start)):
        if before.endswith("en "):
            return f"{before[:-3]}{word} ", text
        if before.endswith(" de ") and word in _OF:
            return before[:-3] + _OF[word], text
    met = _CONTRACTED.search(before) if start.startswith(("le ", "les ")) else None
    if label in _HOUSES:
        before = _agree(before, text)
    elif met and label and label not in _NAMES:
        article, _, rest = text.partition(" ")
        return before[: met.start()] + _like(met[1], _CONTRACTIONS[f"{met[1]}{article}".lower()]), rest
    if (met := _ELIDED.search(before)) and _voiced(text) and not (label in _NAMES and met[0] == "Me "):
        before = f"{before[: met.start()]}{met[1] or met[2]}'"
    return before, text


def _agree(before: str, text: str) -> str:
    """The article before a house, with the gender of the word that says what it is."""
    met = _ARTICLE.search(before)
    if met is None:
        return before
    kind, article = re.split(r"[\s'’]", text.lower(), maxsplit=1)[0], met[1].lower()
    if kind in _words("articles"):
        return before[: met.start()] + _like(met[1], _NO_ARTICLE.get(article, ""))
    if kind in _words("plural"):
        return before[: met.start()] + _like(met[1], f"{_PLURAL[article]} ")
    if kind in _words("feminine"):
        article = _FEMININE.get(article, article)
    elif kind in _words("masculine"):
        article = _MASCULINE.get(article, article)
    new = _BEFORE_VOWEL[article] if article in _BEFORE_VOWEL and _voiced(text) else f"{article} "
    return before[: met.start()] + _like(met[1], new)


def _like(old: str, new: str) -> str:
    """The new word in the case of the old one."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[0].isupper() else new
