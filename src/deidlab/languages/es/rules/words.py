"""What all rules for Spanish ask of a word: whether a list has it, and whether it is never part of a name."""

from __future__ import annotations

import re

from deidlab.banks import known_name
from deidlab.rules.cues import CueWords
from deidlab.rules.folding import each_word
from deidlab.rules.person import LOWER, UPPER, fold_word

_CUES = CueWords("deidlab.languages.es")
cue_words, cue_table, everyday = _CUES.words, _CUES.table, _CUES.everyday
word_list_of, cues_of = _CUES.folded, _CUES.finder
TOKEN = re.compile(rf"[{UPPER}{LOWER}'’-]+\.?")
_SMALL_WORDS = "de|del|la|las|los|y|i|e|da|do|dos|el|van|von|ben|al|san|santa"
PARTICLES = rf"(?:(?:{_SMALL_WORDS}) ){{0,3}}"
_PARTICLE = re.compile(_SMALL_WORDS, re.IGNORECASE)


@each_word
def is_given(word: str) -> bool:
    """Whether a word is a given name, by the banks or by the list for Spanish."""
    return bool(known_name(word)[0]) or fold_word(word) in word_list_of("given")


@each_word
def is_known(word: str) -> bool:
    """Whether a word is a given or a family name."""
    return any(known_name(word)) or fold_word(word) in word_list_of("given")


@each_word
def is_never(word: str) -> bool:
    """Whether a word ends a name, or is none; an initial may be anything."""
    plain = fold_word(word)
    return len(plain) > 1 and plain in word_list_of("never")


@each_word
def is_listed(word: str) -> bool:
    """Whether the banks know a word as a name, and it is not used for other things as a rule."""
    plain = fold_word(word)
    doubtful = plain in everyday() or plain in word_list_of("never")
    return len(plain) > 2 and not doubtful and is_known(word)


@each_word
def is_particle(word: str) -> bool:
    return _PARTICLE.fullmatch(word) is not None
