"""Languages: a code in, one frozen object out that detect, mask and make ask; nothing else compares codes.

A language is a folder here with a `LANGUAGE` in it, and the table below lists those that ship, with or
without a model of their own; `register` adds one that lives elsewhere. Where nobody says which language a
note is in, it is the first.

Notes may be in several languages: their codes are joined then (`en+es+fr`), and `in_note` tells that of each.
Several together are one language too, with the rules of all and else what the first has.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from deidlab.errors import UnknownNameError
from deidlab.models import DEFAULT, EMBEDDED

if TYPE_CHECKING:
    from deidlab.languages.language import Language

__all__ = [
    "DEFAULT", "FIRST", "JOINT", "MODELLED", "SHIPPED", "everyone", "find", "forget", "in_note", "known",
    "of", "register",
]  # fmt: skip

SHIPPED = ("en", "es", "fr")
FIRST = SHIPPED[0]
MODELLED = EMBEDDED
"""The embedded models, for what needs no more than their names; `DEFAULT` is the one that serves unasked."""
JOINT = "+"
"""Stands between the codes of several languages."""
_added: dict[str, Language] = {}


def known() -> tuple[str, ...]:
    """The codes of all languages, those that ship first."""
    return (*SHIPPED, *(code for code in _added if code not in SHIPPED))


def find(code: str) -> Language:
    """The language of that code, or of those codes; or an error that lists the known ones."""
    if JOINT in code:
        return _together(tuple(map(find, code.split(JOINT))))
    if code in _added:
        return _added[code]
    if code not in SHIPPED:
        raise UnknownNameError("language", code, known())
    return _shipped(code)


def of(code: str) -> Language:
    """The language of a model or a note, which may name none or one that nobody knows: then the first."""
    if JOINT in code:
        return _together(tuple(map(of, code.split(JOINT))))
    return find(code if code in _added or code in SHIPPED else FIRST)


def in_note(code: str, text: str) -> Language:
    """The language of one note of those codes; where its text does not tell it, the likely ones together."""
    if JOINT not in code:
        return of(code)
    from deidlab.languages.telling import tell

    return _together(tell(text, tuple(map(of, code.split(JOINT)))))


def everyone() -> tuple[Language, ...]:
    """All languages: words of one are read in notes of another too, since notes quote and people move."""
    return tuple(find(code) for code in known()) if _added else _everyone_shipped()


def register(language: Language) -> None:
    """Make a language known in this process; one of the same code gives way to it."""
    _added[language.code] = language


def forget(code: str) -> None:
    """Undo `register`."""
    _added.pop(code, None)


@functools.lru_cache(maxsize=64)
def _together(spoken: tuple[Language, ...]) -> Language:
    """Several languages as one: the rules of all, and all words that are no names as a rule."""
    first = spoken[0]
    if len(set(spoken)) == 1:
        return first
    return replace(
        first,
        code=JOINT.join(each.code for each in spoken),
        name=" or ".join(each.name or each.code for each in spoken),
        rules=tuple(dict.fromkeys(rule for each in spoken for rule in each.rules)),
        model_first=all(each.model_first for each in spoken),
        rules_need_backing=any(each.rules_need_backing for each in spoken),
        everyday=functools.cache(lambda: frozenset[str]().union(*(each.everyday() for each in spoken))),
    )


@functools.cache
def _shipped(code: str) -> Language:
    language: Language = import_module(f"{__name__}.{code}").LANGUAGE
    return language


@functools.cache
def _everyone_shipped() -> tuple[Language, ...]:
    return tuple(map(_shipped, SHIPPED))
