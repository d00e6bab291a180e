"""Languages: a code in, one frozen object out that detect, mask and make ask; nothing else compares codes.

A language is a folder here with a `LANGUAGE` in it, and the table below lists those that ship, with or
without a model of their own; `register` adds one that lives elsewhere. Where nobody says which language a
note is in, it is the first.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import TYPE_CHECKING

from deidlab.errors import UnknownNameError

if TYPE_CHECKING:
    from deidlab.languages.language import Language

__all__ = ["DEFAULT", "MODELLED", "SHIPPED", "everyone", "find", "forget", "known", "of", "register"]

SHIPPED = ("en", "es", "fr")
MODELLED = ("en", "es")
"""Those that an embedded model speaks, which bears their code; the others have rules and surrogates."""
DEFAULT = SHIPPED[0]
_added: dict[str, Language] = {}


def known() -> tuple[str, ...]:
    """The codes of all languages, those that ship first."""
    return (*SHIPPED, *(code for code in _added if code not in SHIPPED))


def find(code: str) -> Language:
    """The language of that code, or an error that lists the known ones."""
    if code in _added:
        return _added[code]
    if code not in SHIPPED:
        raise UnknownNameError("language", code, known())
    return _shipped(code)


def of(code: str) -> Language:
    """The language of a model or a note, which may name none or one that nobody knows: then the first."""
    return find(code if code in _added or code in SHIPPED else DEFAULT)


def everyone() -> tuple[Language, ...]:
    """All languages: words of one are read in notes of another too, since notes quote and people move."""
    return tuple(find(code) for code in known()) if _added else _everyone_shipped()


def register(language: Language) -> None:
    """Make a language known in this process; one of the same code gives way to it."""
    _added[language.code] = language


def forget(code: str) -> None:
    """Undo `register`."""
    _added.pop(code, None)


@functools.cache
def _shipped(code: str) -> Language:
    language: Language = import_module(f"{__name__}.{code}").LANGUAGE
    return language


@functools.cache
def _everyone_shipped() -> tuple[Language, ...]:
    return tuple(map(_shipped, SHIPPED))
