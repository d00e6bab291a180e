"""What all rules for French ask of a word: whether a list has it, and whether it is never part of a name."""

from __future__ import annotations

import re

from deidlab.banks import known_name
from deidlab.rules.cues import CueWords
from deidlab.rules.folding import each_word
from deidlab.rules.person import LOWER, UPPER, fold_word

_CUES = CueWords("deidlab.languages.fr")
cue_words, cue_table, everyday = _CUES.words, _CUES.table, _CUES.everyday
word_list_of, cues_of = _CUES.folded, _CUES.finder
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


def halves(word: str) -> list[str]:
    """The parts of a double name, folded: Jean-Pierre, Roy-Gagnon."""
    return [plain for part in word.strip(".").split("-") if (plain := fold_word(part))]


@each_word
def is_given(word: str) -> bool:
    """Whether a word is a given name, by the banks or our list; of a double name the first half."""
    first = (halves(word) or [""])[0]
    return first in word_list_of("given") or bool(known_name(first, "french")[0])


@each_word
def is_own_given(word: str) -> bool:
    """Whether a word is a given name where French is written, not only somewhere."""
    first = (halves(word) or [""])[0]
    return first in word_list_of("given") or known_name(first, "french")[1] == "french"


@each_word
def is_family(word: str) -> bool:
    """Whether a word is a family name that is usual where French is written."""
    return any(
        part in word_list_of("family") or known_name(part, "french")[2] in _AT_HOME for part in halves(word)
    )


@each_word
def is_known(word: str) -> bool:
    """Whether a word is a given or a family name."""
    first = (halves(word) or [""])[0]
    return is_given(word) or is_family(word) or any(known_name(first))


@each_word
def is_never(word: str) -> bool:
    """Whether a word ends a name, or is none; an initial may be anything."""
    plain = fold_word(word.strip("."))
    return len(plain) > 1 and plain in word_list_of("never")


@each_word
def is_everyday(word: str) -> bool:
    return fold_word(word.strip(".")) in everyday()


@each_word
def is_listed(word: str) -> bool:
    """Whether the banks know a word as a name, and it is not used for other things as a rule."""
    plain = fold_word(word.strip("."))
    doubtful = plain in everyday() or plain in word_list_of("never")
    return len(plain) > 2 and not doubtful and is_known(word)


@each_word
def is_particle(word: str) -> bool:
    return _PARTICLE.fullmatch(word) is not None
