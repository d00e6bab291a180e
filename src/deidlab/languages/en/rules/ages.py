"""Text in, ages out: the number or the words alone. Gestational ages, days of life and durations stay."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import number_starts, scan
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:age"
_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SPOKEN = (
    rf"(?:(?:one )?hundred(?: "
    rf"and)?[ -])?(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_UNITS)}))?|"
    rf"{'|'.join(_TEENS + _UNITS)})"
)
_NUMBER = r"(?:1[0-3]\d|\d{1,2})(?:\.\d|½|[ -]1/2|-1/2)?"
_BEHIND = cue_words("ages", "behind")
_AHEAD = cue_words("ages", "ahead")
_NUMBER_BEHIND = re.compile(rf"(?<![\w.,/$-])(?:{_NUMBER}|(?<!-){_SPOKEN})(?:[ -]|&nbsp;)?\n?$")
_AGE_AHEAD = re.compile(
    rf"[\s:=#]{{0,12}}(?:of |was |is |de |at )?(?P<n>0?{_NUMBER}|{_SPOKEN})(?=/[MFmf]\b|[Yy]\b|"
    rf"(?![\w/%]|[.,-]\d))"
)
_MORE = re.compile(rf"(?:, | and | & |, and |/|-| to | or |–)(?P<n>{_NUMBER})(?![\w/%]|[.,-]\d)")
_SEX = re.compile(
    r"(?<![\w./$:#-])(1[0-3]\d|\d{1,2})(?:yo|y|[ -])?(?:[MF])(?![\w°'-]|/[A-Za-z])|"
    r"(?<![\w./-])(\d{1,3}) ?y ?[/,]? ?(?:[MmFf]|male|female|man|woman)\b"
)
_DECADE = re.compile(r"[2-9]0['’]?s(?!\w)")
_GESTATION = re.compile(r"gestation|\bga\b|gestational|day of life|dol\b|bone age|corrected")
_SEXED = re.compile(
    r"(?<![\w.,/$#-])(1[0-3]\d|\d{1,2})(?=[ -](?:male|female|man|woman|lady|gentleman|boy|"
    r"girl)\b)"
)
_KIN = frozenset(cue_words("ages", "kin"))
_OF_KIN = re.compile(
    r"[ ,(:]{1,3}(?:(?:aged?|is|was|alive(?: and well)?(?: at)?|died(?: at)?|d\.|deceased(?: "
    r"at)?|a&w|living|healthy)[ ,(]{1,2})?"
    r"(1[01]\d|\d{1,2})(?=[),;.]|\s|yo|$)(?![.,]\d|\s?(?:mg|days?|weeks?|months?|hours?|times|"
    r"years? ago|ppd|pack|and|or|children|:))"
)
_SEX_BEFORE = re.compile(r"(?:(?<!\w)[MF][/, ]|(?<!\w)[Mm]ale,? |[Ff]emale,? )$")
_SEX_FIRST = re.compile(r"(1[01]\d|\d{1,2})(?=[),;\s]|yo|$)(?!\s?(?:mg|/|x|cm|kg))")
_SLASHED = re.compile(r"(?<![\w./-])(1[01]\d|\d{1,2})(?= ?/ ?[MF](?![\w/]))")
_BIRTH = frozenset({"dob", "born", "birth", "d.o.b."})
_AFTER_BIRTH = re.compile(r"[^\n(]{4,24}\((1[01]\d|\d{1,2}) ?(?:y|yo|yrs?|years?)?\)")
# One look that rules out almost every number, before the exact patterns are tried.
_LIKELY = re.compile(r"[0-9]{1,3}(?:['’]?s| ?y|[ -]?[MF]|[ -][a-z]| ?/)")
_IN_DECADE = re.compile(r"\b(?:his|her|their|the) (?:early |mid |late |mid-|early-|late-)?$")
_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")


@functools.cache
def _cues() -> Cues:
    return Cues((*_BEHIND, *_AHEAD, *_KIN, *_BIRTH, *_DECADES))


def find(text: str) -> list[Span]:
    """Every age in the text."""
    return [*_announced(text), *_by_sex(text)]


def _announced(text: str) -> Iterator[Span]:
    lower = lowered(text)
    ahead = frozenset(_AHEAD)
    for start, end, cue in _cues().find(text):
        if cue in ahead:
            yield from _behind_cue(lower, end)
        elif cue in _DECADES:
            if _IN_DECADE.search(lower[max(start - 12, 0) : start]):
                yield Span(start, end, "AGE", 0.6, SOURCE)
        elif cue in _KIN or cue in _BIRTH:
            match = (_OF_KIN if cue in _KIN else _AFTER_BIRTH).match(lower, end)
            if match:
                yield Span(*match.span(1), "AGE", 0.75, SOURCE)
        else:
            yield from _before_cue(lower, start, end)


def _by_sex(text: str) -> Iterator[Span]:
    """68F, 68/F, F 68, 68 female, and decades: her 60s."""
    every = number_starts(text)
    starts = [start for start in every if _LIKELY.match(text, start)]
    for match in scan(_SEX, text, starts):
        yield Span(*match.span(1 if match[1] else 2), "AGE", 0.8, SOURCE)
    for pattern, score in ((_SEXED, 0.75), (_SLASHED, 0.85)):
        for match in scan(pattern, text, starts):
            yield Span(*match.span(1), "AGE", score, SOURCE)
    for match in scan(_SEX_FIRST, text, every):
        if _SEX_BEFORE.search(text[max(match.start() - 8, 0) : match.start()]):
            yield Span(*match.span(1), "AGE", 0.7, SOURCE)
    for match in scan(_DECADE, text, starts):
        if _IN_DECADE.search(lowered(text[max(match.start() - 14, 0) : match.start()])):
            yield Span(*match.span(), "AGE", 0.6, SOURCE)


def _before_cue(lower: str, start: int, end: int) -> Iterator[Span]:
    first = max(start - 28, 0)
    match = _NUMBER_BEHIND.search(lower[first:start])
    if match is None or _is_gestation(lower, first + match.start(), end):
        return
    if re.match(r" (?:ago|history|later|follow|h/o|term)", lower[end : end + 8]):
        return
    if lower[start:end] in ("años", "anos") and re.search(
        r"(?:hace|durante|desde hace|los) $",
        lower[max(first + match.start() - 12, 0) : first + match.start()],
    ):
        return
    begin = first + match.start()
    stop = begin + len(match.group().rstrip("- \n"))
    yield Span(begin, stop, "AGE", 0.95, SOURCE)


def _behind_cue(lower: str, end: int) -> Iterator[Span]:
    match = _AGE_AHEAD.match(lower, end)
    if match is None or _is_gestation(lower, end - 4, match.end()):
        return
    if re.match(r" ?(?:weeks?|wks?|w\b)", lower[match.end() : match.end() + 6]):
        return
    yield Span(*match.span("n"), "AGE", 0.9, SOURCE)
    more = _MORE.match(lower, match.end())
    while more:
        yield Span(*more.span("n"), "AGE", 0.85, SOURCE)
        more = _MORE.match(lower, more.end())


def _is_gestation(lower: str, start: int, end: int) -> bool:
    return bool(
        _GESTATION.search(lower[max(start - 16, 0) : start + 4])
        or re.match(r".{0,12}gestation", lower[end : end + 24])
    )
