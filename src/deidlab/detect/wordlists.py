"""The shipped word lists of `data/detect` and the cues of each rule, `data/detect/cues`, read once."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable
from importlib import resources
from typing import Any


@functools.cache
def word_list(name: str) -> frozenset[str]:
    """The lines of `data/detect/NAME.txt`, lower case, without comments."""
    text = resources.files("deidlab").joinpath("data", "detect", f"{name}.txt").read_text("utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def is_everyday(word: str) -> bool:
    """Whether a folded word is used for something else than a name or place as a rule."""
    return word in word_list("everyday")


def everyday_in(language: str) -> Callable[[str], bool]:
    """The same question for notes of a language; without a list of its own, by the English one alone."""
    if language != "es":
        return is_everyday
    return lambda word: word in word_list("everyday_es") or is_everyday(word)


def cue_words(rule: str, name: str) -> tuple[str, ...]:
    """One list of the words that a rule goes by."""
    return tuple(_cue_file(rule)[name])


def cue_table(rule: str, name: str) -> dict[str, tuple[str, ...]]:
    """The words that a rule goes by, by label."""
    return {label: tuple(words) for label, words in _cue_file(rule)[name].items()}


@functools.cache
def _cue_file(rule: str) -> dict[str, Any]:
    file = resources.files("deidlab").joinpath("data", "detect", "cues", f"{rule}.toml")
    return tomllib.loads(file.read_text("utf-8"))
