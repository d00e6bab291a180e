"""The shipped word lists of `data/detect` and the cues of each rule, `data/detect/cues`, read once.

A language's own lists and cues stand in its folder; both are read in the same way.
"""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def word_list(name: str) -> frozenset[str]:
    """The lines of `data/detect/NAME.txt`, lower case, without comments."""
    return read_words("deidlab", f"data/detect/{name}.txt")


@functools.cache
def read_words(package: str, path: str) -> frozenset[str]:
    """The lines of a text file in a package, without comments."""
    text = resources.files(package).joinpath(path).read_text("utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def is_everyday(word: str) -> bool:
    """Whether a folded word is used for something else than a name or place as a rule."""
    return word in word_list("everyday")


def cue_words(rule: str, name: str) -> tuple[str, ...]:
    """One list of the words that a rule goes by."""
    return tuple(_cue_file(rule)[name])


def cue_table(rule: str, name: str) -> dict[str, tuple[str, ...]]:
    """The words that a rule goes by, by label."""
    return {label: tuple(words) for label, words in _cue_file(rule)[name].items()}


def _cue_file(rule: str) -> dict[str, Any]:
    return read_table("deidlab", f"data/detect/cues/{rule}.toml")


@functools.cache
def read_table(package: str, path: str) -> dict[str, Any]:
    """A TOML file in a package."""
    return tomllib.loads(resources.files(package).joinpath(path).read_text("utf-8"))
