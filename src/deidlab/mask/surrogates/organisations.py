"""Hospitals, organisations, departments, streets and professions in, others with the same head word out.

Words that say what a thing is (Hospital, Clinic, Street, calle) stay; what names it is drawn from the banks.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from deidlab import languages
from deidlab.languages.language import Language
from deidlab.mask.keys import Stream
from deidlab.mask.mention import Mention
from deidlab.mask.shapes import another, like_case, scramble
from deidlab.mask.surrogate import Surrogate, register

_WORD = re.compile(r"[^\W\d_ºª]+(?:['’][^\W\d_]+)*")


class _Heads(NamedTuple):
    """The words of all known languages that say what a thing is."""

    institutions: frozenset[str]
    streets: frozenset[str]
    links: frozenset[str]


@functools.lru_cache(maxsize=4)
def _heads(everyone: tuple[Language, ...]) -> _Heads:
    places = [language.places for language in everyone]
    return _Heads(
        *(frozenset[str]().union(*(getattr(each, name) for each in places)) for name in _Heads._fields)
    )


def make_organisation(mention: Mention) -> str:
    heads = _heads(languages.everyone()).institutions
    return _keep_heads(mention.stream, mention.text, heads, mention.language)


def make_street(mention: Mention) -> str:
    heads = _heads(languages.everyone()).streets
    return _keep_heads(mention.stream, mention.text, heads, mention.language)


def make_department(mention: Mention) -> str:
    """Another department; a code such as 4W or CCU-2 keeps its shape."""
    stream, text, language = mention.stream, mention.text, mention.language
    if any(c.isdigit() for c in text) or (text.isupper() and len(text) <= 5):
        return another(stream, text)
    return like_case(text, _pick(stream, language.departments() or _home().departments(), text))


def make_profession(mention: Mention) -> str:
    text = mention.text
    new = _pick(mention.stream, mention.language.professions() or _home().professions(), text)
    return new.title() if text.istitle() and " " in text else like_case(text, new)


def make_country(mention: Mention) -> str:
    text = mention.text
    new = _pick(mention.stream, mention.language.countries() or _home().countries(), text)
    return new.upper() if text.isupper() and len(text) > 3 else new


def _home() -> Language:
    return languages.of(languages.FIRST)


def _keep_heads(stream: Stream, text: str, heads: frozenset[str], language: Language) -> str:
    """Every run of naming words becomes one stem; digits are drawn anew."""
    bank = language.stems() or _home().stems()
    out: list[str] = []
    done, named = 0, False
    for start, end, acronym in _naming_runs(text, heads):
        out.append(scramble(stream, text[done:start], letters=False))
        old = text[start:end]
        out.append(another(stream, old) if acronym else like_case(old, _pick(stream, bank, old)))
        done, named = end, True
    out.append(scramble(stream, text[done:], letters=False))
    result = "".join(out)
    if named or (result != text and any(c.isdigit() for c in text)):
        return result
    return f"{like_case(text, _pick(stream, bank, text))} {text}"


def _naming_runs(text: str, heads: frozenset[str]) -> list[tuple[int, int, bool]]:
    """Start and end of each run of words that are no head words, and whether it is an acronym."""
    links = _heads(languages.everyone()).links
    runs: list[list[int]] = []
    joined = False
    for match in _WORD.finditer(text):
        word = match.group().lower().replace("’", "").replace("'", "")
        if word in heads or (word.endswith("s") and word[:-1] in heads):
            joined = False
        elif word in links:
            continue
        elif joined and not re.search(r"[,;\d\n]", text[runs[-1][1] : match.start()]):
            runs[-1][1] = match.end()
        else:
            runs.append([match.start(), match.end()])
            joined = True
    return [(start, end, _is_acronym(text[start:end], text)) for start, end in runs]


def _is_acronym(run: str, text: str) -> bool:
    return run.isupper() and run.isalpha() and len(run) <= 5 and (run == text.strip() or not text.isupper())


def _pick(stream: Stream, bank: tuple[str, ...], old: str) -> str:
    new = bank[stream.below(len(bank))]
    while new.lower() == old.lower():
        new = bank[stream.below(len(bank))]
    return new


ORGANISATION = register(Surrogate(("HOSPITAL", "ORGANIZATION"), make_organisation))
STREET = register(Surrogate(("STREET",), make_street))
DEPARTMENT = register(Surrogate(("DEPARTMENT",), make_department))
PROFESSION = register(Surrogate(("PROFESSION",), make_profession))
COUNTRY = register(Surrogate(("COUNTRY",), make_country))
