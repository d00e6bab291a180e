"""What all rules for French ask of a word: whether a list has it, and whether it is never part of a name."""

from __future__ import annotations

import functools
import re

from deidlab.banks import known_name
from deidlab.rules.folding import Cues, folded
from deidlab.rules.person import LOWER, UPPER, fold_word
from deidlab.rules.wordlists import read_table, read_words

_FOLDER = "deidlab.languages.fr"
TOKEN = re.compile(rf"(?:[dDlL]['’](?=[{UPPER}]))?[{UPPER}{LOWER}][{UPPER}{LOWER}'’-]*\.?(?:-[{UPPER}]\.)*")
# A word of a place without a hyphen, so that no text can be read in many ways.
PLAIN = rf"[{UPPER}](?:[{UPPER}{LOWER}]|['’](?=[{UPPER}{LOWER}])){{1,30}}+"
_SMALL_WORDS = (
    "de la|de l['’]|de|du|des|la|le|d['’]|van der|van den|van|von|der|den|ter|ten|el|al|ben|bin|bent|ould|"
    "mint|ait|aït|da|dos|di|del"
)
PARTICLES = rf"(?:(?:(?:{_SMALL_WORDS}) |d['’]|de l['’]|l['’])){{0,3}}"
_PARTICLE = re.compile(_SMALL_WORDS, re.IGNORECASE)
# Origins whose names are usual where French is written; names of others need something beside them.
_AT_HOME = frozenset({"french", "arabic", "african", "vietnamese", "portuguese", "italian", "hispanic"})


def cue_words(name: str) -> tuple[str, ...]:
    """One list of the words that rules for French go by."""
    return tuple(read_table(_FOLDER, "cues.toml")[name])


def cue_table(name: str, file: str = "cues.toml") -> dict[str, tuple[str, ...]]:
    """The words that rules for French go by, by label."""
    return {label: tuple(words) for label, words in read_table(_FOLDER, file)[name].items()}


def everyday() -> frozenset[str]:
    """Words that are used for something else than a name or place as a rule."""
    return read_words(_FOLDER, "everyday.txt")


@functools.cache
def word_list_of(name: str) -> frozenset[str]:
    """A list among the cues for French, folded."""
    return frozenset(folded(word).replace(" ", "") for word in cue_words(name))


@functools.cache
def cues_of(name: str) -> tuple[Cues, dict[str, str]]:
    """A table among the cues for French, to be found in one pass, and the label of each cue."""
    labels = {cue: label for label, cues in cue_table(name).items() for cue in cues}
    return Cues(labels), labels


def halves(word: str) -> list[str]:
    """The parts of a double name, folded: Jean-Pierre, Roy-Gagnon."""
    return [plain for part in word.strip(".").split("-") if (plain := fold_word(part))]


def is_given(word: str) -> bool:
    """Whether a word is a given name, by the banks or our list; of a double name the first half."""
    first = (halves(word) or [""])[0]
    return first in word_list_of("given") or bool(known_name(first, "french")[0])


def is_own_given(word: str) -> bool:
    """Whether a word is a given name where French is written, not only somewhere."""
    first = (halves(word) or [""])[0]
    return first in word_list_of("given") or known_name(first, "french")[1] == "french"


def is_family(word: str) -> bool:
    """Whether a word is a family name that is usual where French is written."""
    return any(
        part in word_list_of("family") or known_name(part, "french")[2] in _AT_HOME for part in halves(word)
    )


def is_known(word: str) -> bool:
    """Whether a word is a given or a family name."""
    first = (halves(word) or [""])[0]
    return is_given(word) or is_family(word) or any(known_name(first))


def is_never(word: str) -> bool:
    """Whether a word ends a name, or is none; an initial may be anything."""
    plain = fold_word(word.strip("."))
    return len(plain) > 1 and plain in word_list_of("never")


def is_everyday(word: str) -> bool:
    return fold_word(word.strip(".")) in everyday()


def is_listed(word: str) -> bool:
    """Whether the banks know a word as a name, and it is not used for other things as a rule."""
    plain = fold_word(word.strip("."))
    doubtful = plain in everyday() or plain in word_list_of("never")
    return len(plain) > 2 and not doubtful and is_known(word)


def is_particle(word: str) -> bool:
    return _PARTICLE.fullmatch(word) is not None
