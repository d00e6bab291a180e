"""Spanish text in, people's lines of work out, where the text speaks of work or describes a person."""

from __future__ import annotations

import functools
import re

from deidlab.banks import professions
from deidlab.languages.es.rules.words import cue_words
from deidlab.rules.folding import Terms, fold_term
from deidlab.rules.openings import Openings
from deidlab.types import Span

SOURCE = "rules:profession"
_BEFORE = re.compile(
    r"(?:trabaj(?:a|aba|ó|ado|ando)(?: (?:como|de|en))?|profesi[oó]n:?|ocupaci[oó]n:?|oficio:?|puesto:?|"
    r"de profesi[oó]n|labora (?:como|de)|jubilad[oa](?: de)?|ex|retirad[oa](?: de)?|pensionad[oa]|es|era|"
    r"(?:años|meses|\d ?a)(?: de edad)?|casad[oa]|solter[oa]|viud[oa]|divorciad[oa]|herman[oa]|madre|padre|"
    r"marido|espos[oa]|hij[oa])[,.:]? (?:(?:un|una|el|la) )?$",
    re.IGNORECASE,
)
# Modista jubilada. Encofrador, sin contrato.
_OPENS = re.compile(r"(?:^|[.\n] ?)$")
_GOES_ON = re.compile(r",|\.| jubilad| retirad| en | desde ")
_WORDS = r"[^\W\d]{4,20}(?: (?:de |del |la |los )*[^\W\d]{3,20}){0,3}"
# es tambero en Arroyo Cabral; 29 años, percebeira en la cofradía. Habits and conditions end likewise.
_ENDING = r"[a-záéíóúñ]{2,14}(?:ero|era|eiro|eira|ista|dor|dora|tor|tora|ólogo|óloga)"
_SPOKEN = re.compile(
    r"(?:\b(?:es|era|trabaj\w{1,4} (?:de|como)|antes,?|puesto:) |\bex[- ]|(?:años|\d ?a\.?), )"
    r"(?!fuma|bebe|porta|consum|cuida|escalera|madera|primer|tercer|enter|sever|mejor)"
    rf"(?P<it>{_ENDING}(?: de [a-záéíóúñ]{{4,12}})?)(?= (?:en|del?|y) |,? (?:jubilad|retirad)|\n|\. )",
    re.IGNORECASE,
)
_OCCUPATION = "profesi[oó]n|ocupaci[oó]n"
_TOLD = re.compile(
    rf"\b(?:{_OCCUPATION}|oficio|puesto|trabaja)[ \t]{{0,2}}[:|][ \t]{{0,3}}(?P<it>{_WORDS})"
    rf"|\bde (?:{_OCCUPATION}) (?P<too>[^\W\d]{{4,20}})",
    re.IGNORECASE,
)


def _before_commas(text: str) -> list[int]:
    """Where what stands before a comma may begin: `años, `, `29 a., `."""
    commas = [match.start() for match in _COMMA.finditer(text)]
    return [place for comma in commas for place in range(max(0, comma - 4), comma)]


_COMMA = re.compile(", ")
_OPENINGS = Openings(
    (_TOLD, f"{_OCCUPATION}|oficio|puesto|trabaja|de"),
    (_SPOKEN, "es|era|trabaj|antes|puesto|ex", _before_commas),
)


@functools.cache
def _trades() -> Terms:
    """The listed occupations, in both genders."""
    trades = {*professions("es"), *cue_words("trades")}
    trades |= {_feminine(trade) for trade in trades}
    return Terms(fold_term(trade) for trade in trades)


def _feminine(trade: str) -> str:
    first, _, rest = trade.partition(" ")
    if first.endswith("o"):
        first = first[:-1] + "a"
    elif first.endswith("or"):
        first += "a"
    elif first.endswith("ente"):
        first = first[:-1] + "a"
    return f"{first} {rest}".rstrip()


def find(text: str) -> list[Span]:
    """Every listed occupation where somebody's work is spoken of, and whatever a label says it is."""
    listed = [(start, end) for start, end, _ in _trades().find(text) if _is_work(text, start, end)]
    told = [match.span(match.lastgroup or 0) for _, match in _OPENINGS.find(text)]
    return [Span(start, end, "PROFESSION", 0.75, SOURCE) for start, end in (*listed, *told)]


def _is_work(text: str, start: int, end: int) -> bool:
    """Whether words before a trade lead to it, or it opens a sentence that goes on about it."""
    before = text[max(0, start - 32) : start]
    if _BEFORE.search(before):
        return True
    return text[start].isupper() and bool(_OPENS.search(before[-3:]) and _GOES_ON.match(text, end))
