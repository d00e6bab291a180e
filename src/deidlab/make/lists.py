"""The name of a list in, its words out: `data/make/lists.toml`, read once."""

from __future__ import annotations

import functools
import tomllib
from typing import Any

from deidlab import languages
from deidlab.make.reading import own_text


@functools.cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(own_text("lists.toml"))


def stems() -> tuple[str, ...]:
    """Stems of names of places and houses."""
    return languages.find(languages.FIRST).stems()


def professions() -> tuple[str, ...]:
    return languages.find(languages.FIRST).professions()


def words(name: str) -> tuple[str, ...]:
    """A plain list."""
    return tuple(_lists()[name]["words"])


def rows(name: str) -> tuple[tuple[Any, ...], ...]:
    """A list whose entries have several parts."""
    return tuple(map(tuple, _lists()[name]["rows"]))


def table(group: str, name: str) -> dict[str, Any]:
    """Lists, or weights, by key."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in _lists()[group][name].items()
    }
