"""A note and the languages that it may be in, in; the one it is in out, or those that cannot be ruled out.

What tells is each language's common words that no other of them has, and its letters. Accents may be missing.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deidlab.languages.language import Language

# Enough to tell a language, and few enough to read at once.
_N_CHARACTERS = 20_000
_WORDS = re.compile(r"[^\W\d_]+")
# A certain answer has so many words behind it, and so many times those of any other language.
_ENOUGH, _TIMES = 4, 4.0
# Of a doubtful note, languages with a smaller share of the likeliest one's words are ruled out.
_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class _Table:
    """What tells the languages of a tuple apart, each by its place in that."""

    words: dict[str, int]
    letters: dict[str, int]
    pattern: re.Pattern[str]


def tell(text: str, spoken: tuple[Language, ...]) -> tuple[Language, ...]:
    """One language where the text tells it, else all that are likely, the likeliest first."""
    table = _table(spoken)
    part = text[:_N_CHARACTERS].lower()
    counts = Counter(map(table.words.get, _WORDS.findall(part)))
    counts.update(table.letters[letter] for letter in table.pattern.findall(part))
    found = [counts[place] for place in range(len(spoken))]
    order = sorted(range(len(spoken)), key=lambda place: (-found[place], place))
    first, second = found[order[0]], found[order[1]]
    if first >= _ENOUGH and first >= _TIMES * second:
        return (spoken[order[0]],)
    # A handful of words rules nothing out.
    lowest = _SHARE * first if first >= _ENOUGH else 0
    return tuple(spoken[place] for place in order if found[place] >= lowest)


@functools.lru_cache(maxsize=16)
def _table(spoken: tuple[Language, ...]) -> _Table:
    forms = [{form for word in each.common() for form in (word, _bare(word))} for each in spoken]
    shared = Counter(word for own in forms for word in own)
    words = {word: place for place, own in enumerate(forms) for word in own if shared[word] == 1}
    used = Counter(letter for each in spoken for letter in each.letters)
    letters = {
        letter: place for place, each in enumerate(spoken) for letter in each.letters if used[letter] == 1
    }
    pattern = f"[{re.escape(''.join(sorted(letters)))}]" if letters else r"(?!)"
    return _Table(words, letters, re.compile(pattern))


def _bare(word: str) -> str:
    """The word without its accents."""
    return "".join(each for each in unicodedata.normalize("NFD", word) if not unicodedata.combining(each))
