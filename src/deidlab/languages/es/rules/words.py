"""What all rules for Spanish ask of a word: whether a list has it, and whether it is never part of a name."""

from __future__ import annotations

import functools
import re

from deidlab.banks import known_name
from deidlab.rules.folding import Cues, folded
from deidlab.rules.person import LOWER, UPPER, fold_word
from deidlab.rules.wordlists import read_table, read_words

TOKEN = re.compile(rf"[{UPPER}{LOWER}'’-]+\.?")
_SMALL_WORDS = "de|del|la|las|los|y|i|e|da|do|dos|el|van|von|ben|al|san|santa"
PARTICLES = rf"(?:(?:{_SMALL_WORDS}) ){{0,3}}"
_PARTICLE = re.compile(_SMALL_WORDS, re.IGNORECASE)


_FOLDER = "deidlab.languages.es"


def cue_words(name: str) -> tuple[str, ...]:
    """One list of the words that rules for Spanish go by."""
    return tuple(read_table(_FOLDER, "cues.toml")[name])


def cue_table(name: str, file: str = "cues.toml") -> dict[str, tuple[str, ...]]:
    """The words that rules for Spanish go by, by label."""
    return {label: tuple(words) for label, words in read_table(_FOLDER, file)[name].items()}


def everyday() -> frozenset[str]:
    """Words that are used for something else than a name or place as a rule."""
    return read_words(_FOLDER, "everyday.txt")


@functools.cache
def word_list_of(name: str) -> frozenset[str]:
    """A list among the cues for Spanish, folded."""
    return frozenset(folded(word).replace(" ", "") for word in cue_words(name))


@functools.cache
def cues_of(name: str) -> tuple[Cues, dict[str, str]]:
    """A table among the cues for Spanish, to be found in one pass, and the label of each cue."""
    labels = {cue: label for label, cues in cue_table(name).items() for cue in cues}
    return Cues(labels), labels


def is_given(word: str) -> bool:
    """Whether a word is a given name, by the banks or by the list for Spanish."""
    return bool(known_name(word)[0]) or fold_word(word) in word_list_of("given")


def is_known(word: str) -> bool:
    """Whether a word is a given or a family name."""
    return any(known_name(word)) or fold_word(word) in word_list_of("given")


def is_never(word: str) -> bool:
    """Whether a word ends a name, or is none; an initial may be anything."""
    plain = fold_word(word)
    return len(plain) > 1 and plain in word_list_of("never")


def is_listed(word: str) -> bool:
    """Whether the banks know a word as a name, and it is not used for other things as a rule."""
    plain = fold_word(word)
    doubtful = plain in everyday() or plain in word_list_of("never")
    return len(plain) > 2 and not doubtful and is_known(word)


def is_particle(word: str) -> bool:
    return _PARTICLE.fullmatch(word) is not None
