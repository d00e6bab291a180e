"""Spanish text in, hospitals, health centres, schools and firms out, by the word their names begin with."""

from __future__ import annotations

import re

from deidlab.languages.es.rules.words import cue_table, cue_words, cues_of, is_never, word_list_of
from deidlab.rules.openings import Openings
from deidlab.rules.person import WORD, fold_word
from deidlab.types import Span

SOURCE = "rules:organisation"
_JOINTS = r"(?:(?:de|del|la|las|los|y|e|da|do|el|DE|DEL|LA|LAS|LOS|Y|EL) |d['’]){0,3}"
_NUMBERED = r"(?:\d{1,3}(?= de [A-Z])|(?<=UMF )\d{1,3}\b)"
_REST = re.compile(rf"[ ]{_JOINTS}[\"«“]?(?:{WORD}|{_NUMBERED})(?: {_JOINTS}{WORD}){{0,5}}[\"»”]?")
_LABELS = "|".join(re.escape(word) for word in cue_table("told")["ORGANIZATION"])
_TOLD = re.compile(
    rf"(?<!\w)(?i:{_LABELS})[ \t]{{0,2}}[:|][ \t]{{1,16}}"
    rf"(?P<it>{WORD}(?:(?: |, | y | del? | la | los )(?:{WORD}|S\.A\.|S\.L\.)){{0,5}})"
)
_BODY = "|".join(cue_words("bodies"))
_BODIES = re.compile(rf"(?<!\w)(?:{_BODY})(?!\w)")
_OPENINGS = Openings((_BODIES, _BODY), (_TOLD, _LABELS))
_WORD = re.compile(rf"{WORD}|\d+")


def find(text: str) -> list[Span]:
    """Every head with a name behind it that says more than what kind of house it is.

    Hospitals and the like are named after a head in small letters too: `el hospital de Getafe`.
    """
    finder, labels = cues_of("heads")
    spans = []
    for start, end, head in finder.find(text):
        capital = text[start].isupper()
        rest = _REST.match(text, end)
        if rest is None or not (capital or (labels[head] == "HOSPITAL" and len(head) > 4)):
            continue
        stop = _last_word(text, rest)
        if stop is not None:
            spans.append(Span(start if capital else rest.start() + 1, stop, labels[head], 0.8, SOURCE))
    for _, match in _OPENINGS.find(text):
        told = match.lastgroup is not None
        spans.append(Span(*match.span("it" if told else 0), "ORGANIZATION", 0.75 if told else 0.8, SOURCE))
    return spans


def _last_word(text: str, rest: re.Match[str]) -> int | None:
    """The end of the last word before one that no name has; None if the words before it are all general."""
    stop, telling = None, False
    for word in _WORD.finditer(text, rest.start(), rest.end()):
        if is_never(word.group()):
            break
        telling |= fold_word(word.group()) not in word_list_of("general")
        stop = word.end()
    return stop if telling else None
