"""Spans of a tagger that learned from MEDDOCAN in, spans as that corpus draws them out.

What a small model gets wrong though it is never in doubt: a general practitioner is no relative, two towns
with a comma between them are two places, the days of one date are one span. And what it misses though it is
written by rule: a date in numbers, the age after `mujer de`, the patient's given name further down.
Each of these was counted on the training notes (`benchmarks/results/meddocan_customs.md`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from deidlab.types import Span

SOURCE = "rules:meddocan"
_SCORE, _EVEN = 0.9, 0.5
_SET = b"\1"
AGE, DATE, EMAIL, PATIENT, PLACE, RELATIVE = (
    "EDAD_SUJETO_ASISTENCIA",
    "FECHAS",
    "CORREO_ELECTRONICO",
    "NOMBRE_SUJETO_ASISTENCIA",
    "TERRITORIO",
    "FAMILIARES_SUJETO_ASISTENCIA",
)
_MONTH = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre"
_PRACTITIONER = re.compile(r"(?:m[ée]dic[oa]s?|doctor(?:a|es)?|medicina|enfermer[oa]s?) de $", re.IGNORECASE)
_COUNTRY_LETTER = re.compile(r"(?<!\w)[A-Z]{1,2}-$")
_COMMA = re.compile(r"\s*,\s*")
_MONTHS_OF_A_YEAR = re.compile(rf"(?:{_MONTH}) y (?:{_MONTH}) (?:de|del) \d{{4}}", re.IGNORECASE)
_NUMBER = (
    r"(?:\d{1,3}|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|"
    r"veinte)"
)
_AGE = rf"(?P<it>{_NUMBER}(?: y (?:medio|\d{{1,2}}))? (?:años?|mes|meses|días?|semanas?)(?: y medio)?)\b"
_WHO = "niñ[oa]|varón|mujer|hombre|paciente|lactante|adolescente|chic[oa]|señora?"
_DAY = (
    r"(?<![\w./-])(?P<it>(?:0?[1-9]|[12]\d|3[01])(?P<mark>[/.-])(?:0?[1-9]|1[0-2])(?P=mark)(?:19|20)?\d\d)"
    r"(?![\w/-]|[.,]\d)"
)
_WRITTEN_BY_RULE = (
    (DATE, _DAY),
    (PLACE, r"\bC\.?P\.?:? {0,2}(?P<it>\d{5})\b"),
    (AGE, rf"\b(?:{_WHO}|edad) de {_AGE}"),
    (AGE, rf"\bcuando tenía {_AGE}"),
    (AGE, rf"\b{_AGE} de (?:edad|vida)\b"),
)
_RULES = tuple((label, re.compile(pattern, re.IGNORECASE)) for label, pattern in _WRITTEN_BY_RULE)
_Place = tuple[str, int, int]
_GIVEN = re.compile(r"Nombre:\s*$")
_WORD = re.compile(r"\w(?:[\w'-]*\w)?")
_SHORTEST = 3


def follow_corpus(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, redrawn, and those that were missed; in order, none overlapping.

    What the model itself doubts gives way to a rule.
    """
    found = _join(text, [part for span in spans for part in _redraw(text, span)])
    places = dict.fromkeys((*by_rule(text), *given_again(text, found)))
    taken = _cover(text, (span for span in found if (span.score or 0.0) >= _EVEN))
    ruled = []
    for label, start, end in places:
        if not any(taken[start:end]):
            ruled.append(Span(start, end, label, _SCORE, SOURCE))
            taken[start:end] = _SET * (end - start)
    covered = _cover(text, ruled)
    kept = [span for span in found if not any(covered[span.start : span.end])]
    return sorted((*kept, *ruled), key=_start)


def _redraw(text: str, span: Span) -> Iterator[Span]:
    if span.label == RELATIVE and _PRACTITIONER.search(text, max(0, span.start - 16), span.start):
        return
    if span.label == EMAIL and text[span.end - 1] == "." and span.end - span.start > 1:
        yield replace(span, end=span.end - 1)
    elif span.label == PLACE:
        yield from _split_places(text, span)
    else:
        yield span


def _split_places(text: str, span: Span) -> Iterator[Span]:
    """`Alcorcón, Madrid` is two."""
    start = span.start
    for comma in _COMMA.finditer(text, span.start, span.end):
        if comma.start() > start and comma.end() < span.end:
            yield replace(span, start=start, end=comma.start())
            start = comma.end()
    yield replace(span, start=start)


def _join(text: str, spans: Iterable[Span]) -> list[Span]:
    """What is one date, or one postal code with its letter, is one span; `spans` are in order."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last is not None and _is_one_date(text, last, span):
            joined[-1] = replace(last, end=span.end, score=min(last.score or 1.0, span.score or 1.0))
        else:
            start = _with_letter(text, span)
            while joined and joined[-1].start >= start:
                joined.pop()
            inside = joined and joined[-1].end > start
            joined.append(span if inside else replace(span, start=start))
    return joined


def _with_letter(text: str, span: Span) -> int:
    """Where a place starts: a postal code with the `E-` before it, found as a place of its own or not."""
    if span.label != PLACE or not text[span.start].isdigit():
        return span.start
    letter = _COUNTRY_LETTER.search(text, max(0, span.start - 3), span.start)
    return span.start if letter is None else letter.start()


def _is_one_date(text: str, first: Span, second: Span) -> bool:
    """Around a `de` a day and its month, around an `y` two months of one year."""
    if not first.label == second.label == DATE:
        return False
    between = text[first.end : second.start]
    if between in (" de ", " del "):
        return text[first.start : first.end].isdigit()
    return between == " y " and _MONTHS_OF_A_YEAR.fullmatch(text, first.start, second.end) is not None


def _cover(text: str, spans: Iterable[Span]) -> bytearray:
    """A byte a character, set where a span is."""
    cover = bytearray(len(text))
    for span in spans:
        cover[span.start : span.end] = _SET * (span.end - span.start)
    return cover


def by_rule(text: str) -> Iterator[_Place]:
    for label, pattern in _RULES:
        for match in pattern.finditer(text):
            yield label, *match.span("it")


def given_again(text: str, spans: Iterable[Span]) -> Iterator[_Place]:
    """Where the given name of the header's `Nombre:` stands, alone and with its capital."""
    names = {
        word.group()
        for span in spans
        if span.label == PATIENT and _GIVEN.search(text[max(0, span.start - 12) : span.start])
        for word in _WORD.finditer(text, span.start, span.end)
        if len(word.group()) >= _SHORTEST and word.group()[0].isupper()
    }
    if names:
        yield from ((PATIENT, *word.span()) for word in _WORD.finditer(text) if word.group() in names)


def _start(span: Span) -> int:
    return span.start
