"""How a person's name looks, for all rules that read one at or before a place in the text."""

from __future__ import annotations

import functools
import re

from deidlab.rules.folding import each_word, folded
from deidlab.rules.wordlists import is_everyday, word_list

UPPER, LOWER = "A-ZÀ-ÖØ-ÞŁŚŻŞÇĞİĆČŠŽ", "a-zß-öø-ÿĀ-ž"
WORD = rf"[{UPPER}](?:[{UPPER}{LOWER}]|['’-](?=[{UPPER}{LOWER}])){{1,30}}"
INITIAL = rf"[{UPPER}]\.?(?![{UPPER}{LOWER}'’])"
_PARTICLE = r"(?:de|del|la|las|los|van|von|der|den|bin|al|el|da|di|dos|du|le|St\.|ter|y|ap|ibn|te|ten|san)"
_PART = rf"(?:{INITIAL}[ ]?(?={INITIAL})|{WORD}|{INITIAL}|d['’]{WORD})"
NAME = rf"{_PART}(?:[ ]?(?<=[. ])(?:{_PARTICLE} ){{0,2}}{_PART}){{0,4}}"
NAME_AT = re.compile(rf"(?:{_PARTICLE} ){{0,2}}{NAME}")
LAST_FIRST_AT = re.compile(
    rf"{WORD}(?: {WORD})?(?:,[ ]{{1,2}}|,|\^){WORD}(?:[ ^](?:{WORD}|{INITIAL})){{0,2}}"
)
NAME_BEFORE = re.compile(rf"(?<![{UPPER}{LOWER}\d.'’-]){NAME}$")
AFTER_TITLE = re.compile(r"[ ]?[:#=\d]")
"""What makes a heading of the word before it, though a title stands there: `Ward 6`, `Page: 2`."""
AFTER_LABEL = re.compile(r"[ ]?[:#=\d]|[ ][a-z]")
"""The same behind a label, where a sentence may begin as well: `Patient: Will return`."""
_TOKEN = re.compile(rf"[{UPPER}{LOWER}'’-]+\.?")
# A note with fewer capitals than this is written without them.
_FEW_CAPITALS = 0.012
_CAPITAL = re.compile(rf"[{UPPER}](?<!\w.)")


def is_never(word: str) -> bool:
    """Whether a folded word is never part of a name."""
    return word in word_list("never")


def is_given(word: str) -> bool:
    return word in word_list("given") or word in word_list("both")


def is_family(word: str) -> bool:
    return word in word_list("family") or word in word_list("both")


def is_listed(word: str) -> bool:
    """Whether a folded word is in a list of names; of a double name, one half will do."""
    return is_given(word) or is_family(word)


@functools.lru_cache(maxsize=2)
def capital_starts(text: str) -> list[int]:
    """Places of capitals that no letter, digit or underscore stands before: names begin nowhere else."""
    return [match.start() for match in _CAPITAL.finditer(text)]


def initial_starts(text: str) -> list[int]:
    """Those of them that a full stop follows."""
    return [start for start in capital_starts(text) if text[start + 1 : start + 2] == "."]


def shouted_starts(text: str) -> list[int]:
    """Those of them that another capital follows."""
    return [start for start in capital_starts(text) if text[start + 1 : start + 2].isupper()]


@each_word
def fold_word(word: str) -> str:
    return folded(word).strip().replace(" ", "")


def has_few_capitals(text: str) -> bool:
    """Whether a note is written without capitals."""
    return sum(map(text.count, filter(str.isupper, set(text)))) < _FEW_CAPITALS * len(text)


def read_name(text: str, start: int, sure: int = 1, told: re.Pattern[str] | None = None) -> int | None:
    """Where the name that starts at `start` ends; None where there is none.

    The first `sure` words count as a name whatever they are, but for words that never are; the rest must be
    listed, or at least be no everyday words. Where a title or a label tells that a name follows, words such
    as Al, May or Ward are names too, unless what stands behind them matches `told`.
    """
    match = LAST_FIRST_AT.match(text, start) or NAME_AT.match(text, start)
    if match is None:
        return None
    end, place = None, 0
    first_is_name = False
    shouting = match.group().isupper()
    for token in _TOKEN.finditer(text, start, match.end()):
        word = fold_word(token.group())
        if not token.group()[0].isupper():
            continue
        if told is not None and word in word_list("told") and not told.match(text, token.end()):
            end, place, first_is_name = token.end(), place + 1, True
            continue
        if is_never(word) and len(word) > 1:
            break
        if place >= sure and len(word) > 1 and not is_listed(word):
            if is_everyday(word) and (shouting or place > sure or not first_is_name):
                break
            if shouting:
                break
        first_is_name = first_is_name or is_given(word) or place == 0
        end = token.end()
        place += len(word) > 1
    if end is None or place == 0:
        return None
    return _without_stop(text, start, end)


def _without_stop(text: str, start: int, end: int) -> int:
    """A full stop belongs to an initial, not to a word."""
    if text[end - 1] == "." and end - start > 2 and text[end - 3].isalpha():
        return end - 1
    return end


def read_name_before(text: str, end: int, reach: int = 60) -> int | None:
    """Where the name that ends at `end` starts; None where there is none."""
    begin = max(end - reach, 0)
    match = NAME_BEFORE.search(text[begin:end])
    if match is None:
        return None
    start = begin + match.start()
    tokens = list(_TOKEN.finditer(text, start, end))
    while tokens and (is_never(fold_word(tokens[0].group())) and len(tokens[0].group()) > 1):
        tokens.pop(0)
    if not tokens or all(len(fold_word(token.group())) < 2 for token in tokens):
        return None
    last = fold_word(tokens[-1].group())
    return None if is_never(last) and len(last) > 1 else tokens[0].start()
