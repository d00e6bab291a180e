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


def word_lines(name: str) -> tuple[str, ...]:
    """The same in the order of the file: what is nearly sorted is sorted at once."""
    return _read_lines("deidlab", f"data/detect/{name}.txt")


@functools.cache
def read_words(package: str, path: str) -> frozenset[str]:
    """The lines of a text file in a package, without comments."""
    return frozenset(_read_lines(package, path))


@functools.cache
def _read_lines(package: str, path: str) -> tuple[str, ...]:
    text = resources.files(package).joinpath(path).read_text("utf-8")
    # Some have tens of thousands of lines, and every start reads them: no work of ours for each.
    lines = map(str.strip, text.splitlines())
    return tuple(filter(None, (line for line in lines if line[:1] != "#") if "#" in text else lines))


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
