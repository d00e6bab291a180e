"""What a note tells of a person's gender: the word right before a name, and the pronouns of the note.

Both are asked only where the banks do not know the given name, so that its surrogate agrees with the note.
"""

from __future__ import annotations

import functools
import re

from deidlab import languages
from deidlab.languages.language import Language
from deidlab.mask.name_words import title_gender

_REACH = 24
_BEFORE = re.compile(r"(?<![\w'’-])([^\W\d_]{1,12})(?:\.?\s*|\s*[,:(]\s*)$")
_CLEARLY = 2


@functools.lru_cache(maxsize=4)
def _kin(everyone: tuple[Language, ...]) -> dict[str, str]:
    return {word: gender for language in everyone for word, gender in language.people.kin.items()}


def gender_before(text: str, start: int, language: Language) -> str:
    """The gender that a title or a word of kinship right before a name tells; '' where none does."""
    match = _BEFORE.search(text, max(start - _REACH, 0), start)
    if match is None:
        return ""
    word = match.group(1)
    return _kin(languages.everyone()).get(word.lower()) or title_gender(word, language) or ""


def gender_of_pronouns(text: str, language: Language) -> str:
    """The gender that clearly most of what a note calls the patient has: pronouns, or other words."""
    counts = {"f": 0, "m": 0}
    for match in language.people.patient.finditer(text):
        counts[match.lastgroup or "m"] += 1
    women, men = counts["f"], counts["m"]
    if women > _CLEARLY * men:
        return "f"
    return "m" if men > _CLEARLY * women else ""
