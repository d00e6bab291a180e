"""Text in, dates with words in them out: months, weekdays, years, seasons, holidays; several languages."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import long_starts, scan, starts_before
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:date"
_FULL_MONTHS = cue_words("date_words", "full_months")
_SHORT_MONTHS = cue_words("date_words", "short_months")
# Words that mean something else more often: alone they need a preposition, in lower case a number.
_DOUBTFUL_MONTHS = frozenset({"may", "march", "august", "mayo"}) | set(_SHORT_MONTHS)
_WEEKDAYS = cue_words("date_words", "weekdays")
_SHORT_WEEKDAYS = cue_words("date_words", "short_weekdays")
_SEASONS = cue_words("date_words", "seasons")
_HOLIDAYS = cue_words("date_words", "holidays")
_YEAR = r"(?:(?:19|20|21)\d\d|18[5-9]\d)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_AFTER_MONTH = re.compile(
    rf"\.?(?:(?P<own>[ -]{{1,2}}|\. |[-/ ]?\n? ?)(?P<day>{_DAY})(?:st|nd|rd|th)?(?![\d:/.]\d|\d|\w)"
    rf"(?: ?(?:-|–|to|and|&|through|thru) ?{_DAY}(?:st|nd|rd|th)?(?![\d:/]|\w))?)?"
    rf"(?:(?:,? ?(?:of |de |del )?|[-/.,'’]| ?['’]){_YEAR}(?![\d\w])|[-/ ]?['’]\d\d(?!\d)|"
    rf"[-/]\d\d(?![\d\w]))?"
)
_BEFORE_MONTH = re.compile(
    rf"(?<![\d/.:])(?:{_DAY}(?:st|nd|rd|th)? ?(?:-|–|to|and|&|y|al) ?)?{_DAY}(?:st|nd|rd|"
    rf"th)?(?: of | de |[-/. ]{{0,2}})$"
)
_TIME_WORDS = re.compile(
    r"(?:^|[\s(])(?:in|since|last|this|next|until|till|by|during|of|early|late|mid|from|"
    r"before|after|through|to|around|"
    r"every|each|for|en|desde|de|hasta|the|and|circa|on|between|past|coming|previous|or|over)[\s-]{1,2}$"
)
_YEAR_ALONE = re.compile(rf"(?<![\w.,/$#:+\-'’])(?:{_YEAR})(?:s\b)?(?![\w/:%]|[.,]\d|-\d{{1,3}}(?!\d))")
_SHORT_YEAR = re.compile(r"['’](?<!\w['’])\d\ds?(?![\w'’\"])")
_YEAR_CUE = re.compile(
    r"(?:^|[\s(\[])(?:in|since|of|from|until|till|circa|c\.|year|early|late|mid|by|before|"
    r"after|during|around|spring|"
    r"summer|fall|winter|autumn|through|thru|to|and|dated|prior to|en|desde|año|about|"
    r"approximately|approx|between|"
    r"the|back in|~|late-|early-|mid-|hasta|christmas|easter|thanksgiving|dx|diagnosed|class "
    r"of|-|–|on)[\s~-]{0,2}$"
)
_NO_YEAR_AFTER = re.compile(
    r"\s?(?:mg|ml|mcg|cc|kcal|cal|units?|iu|g\b|gm|hrs?|hours?|h\b|steps|feet|ft|k\b|ng|pg|meters?|m\b|cells|"
    r"calories|x\b|u\b|times|miles|pounds|lbs?|grams|am\b|pm\b|beats|words|patients|dollars|"
    r"bottles|litres?|liters?)"
)


@functools.cache
def _cues() -> Cues:
    return Cues((*_FULL_MONTHS, *_SHORT_MONTHS, *_WEEKDAYS, *_SHORT_WEEKDAYS, *_SEASONS, *_HOLIDAYS))


@functools.cache
def _kinds() -> dict[str, str]:
    groups = {"month": (*_FULL_MONTHS, *_SHORT_MONTHS), "weekday": _WEEKDAYS, "short": _SHORT_WEEKDAYS,
              "season": _SEASONS, "holiday": _HOLIDAYS}  # fmt: skip
    return {word: kind for kind, words in groups.items() for word in words}


def find(text: str) -> list[Span]:
    """Every date that has a word in it, and years that stand alone."""
    lower = lowered(text)
    spans: list[Span] = []
    kinds = _kinds()
    for start, end, word in _cues().find(text):
        kind = kinds[word]
        if kind == "month":
            spans += _month(text, lower, start, end, word)
        elif kind == "season":
            spans += _season(lower, start, end, word)
        elif kind == "short":
            spans += _short_weekday(text, lower, start, end)
        elif kind == "holiday" or text[start].isupper() or len(word) > 4:
            spans.append(Span(start, end, "DATE", 0.9, SOURCE))
    return [*spans, *_years(text, lower), *_days_and_ranges(text, lower)]


def _month(text: str, lower: str, start: int, end: int, word: str) -> Iterator[Span]:
    first = max(start - 14, 0)
    before = _BEFORE_MONTH.search(lower[first:start])
    after = _AFTER_MONTH.match(lower, end)
    stop = after.end() if after and after.end() > end + 1 else end
    # "14 March 2071 ..." is day first: a number behind the month is then a year or nothing of its own.
    year = re.search(rf"(?<![\w./-]){_YEAR}[ -]{{1,2}}$", lower[max(start - 6, 0) : start])
    if year and stop > end:
        yield Span(start - len(year.group()), stop, "DATE", 0.93, SOURCE)
        return
    if before:
        yield Span(first + before.start(), stop, "DATE", 0.97, SOURCE)
        return
    if lower[start - 1 : start].isdigit():
        return
    if stop > end:
        shouted = text[start].isupper() or word not in _DOUBTFUL_MONTHS
        yield Span(start, stop, "DATE", 0.95 if shouted else 0.6, SOURCE)
        return
    led = bool(_TIME_WORDS.search(lower[max(start - 12, 0) : start]))
    if word in _DOUBTFUL_MONTHS:
        if text[start].isupper() and not text[start:end].isupper() and led:
            yield Span(start, end, "DATE", 0.75, SOURCE)
    elif text[start].isupper() or led:
        yield Span(start, end, "DATE", 0.9, SOURCE)


def _season(lower: str, start: int, end: int, word: str) -> Iterator[Span]:
    before = lower[max(start - 16, 0) : start]
    year = re.match(rf",? (?:of )?(?:{_YEAR}|['’]\d\d)(?!\w)", lower[end : end + 10])
    if year:
        yield Span(start, end + year.end(), "DATE", 0.9, SOURCE)
        return
    cue = (
        r"(?:in|since|during|until|by|over|every|next|through) (?:the |last |this |early |late )*|"
        r"this |early |late |mid-?"
    )
    if word != "fall":
        cue += r"|last |past |coming |en |el "
    if re.search(rf"(?:^|[\s(])(?:{cue})$", before):
        yield Span(start, end, "DATE", 0.7, SOURCE)


def _short_weekday(text: str, lower: str, start: int, end: int) -> Iterator[Span]:
    """Mon, Tue ...: in title case, beside a date, another weekday or after `on`; `SAT 98%` is none."""
    if not (text[start].isupper() and text[start + 1 : end].islower()):
        beside = re.match(r",? \d{1,2}[/.-]\d{1,2}", text[end : end + 8])
        if not (text[start:end].isupper() and beside):
            return
    if text[end : end + 1] == ".":
        end += 0
    after = text[end : end + 12]
    near = re.match(r"\.?,? (?:\d{1,2}\b|[A-Z][a-z]{2})|[/-][A-Z]|\.?,? ?(?:am|pm|at)\b", after)
    led = re.search(
        r"(?:\bon|\bthis|\blast|\bnext|\bevery|\buntil|\bby|\band|/|-|[a-z],|\bof|\bsince) ?$",
        lower[max(start - 8, 0) : start],
    )
    if near or led:
        yield Span(start, end, "DATE", 0.85, SOURCE)


_DAY_CUE = re.compile(r"(?:on|by|until|since|before|after|from) (?:the )?$")
_ON_THE = re.compile(
    r"((?:[12]?(?:1st|2nd|3rd)|[123]?\dth|3[01](?:st|th)))(?=[.,;)]|\s(?:of|at|he|she|and|for|"
    r"with|due|the|to|when|patient|pt|but)\b|$|\n)(?! (?:floor|day|dose|rib|toe|finger))"
)
_YEAR_RANGE = re.compile(
    rf"(?<![\w.,/$#:-])({_YEAR})[-–/]({_YEAR}|\d\d)(?![\w/:%-]|[.,]\d|\s?(?:mg|ml|kcal|cal|"
    rf"units|steps|hrs?|hours|h\b|cc))"
)


def _days_and_ranges(text: str, lower: str) -> Iterator[Span]:
    for match in scan(_ON_THE, lower, starts_before(text, "snrtSNRT")):
        if _DAY_CUE.search(lower[max(match.start() - 12, 0) : match.start()]):
            yield Span(*match.span(1), "DATE", 0.65, SOURCE)
    for match in scan(_YEAR_RANGE, text, long_starts(text)):
        if len(match[2]) == 4 or int(match[2]) == int(match[1][2:]) + 1:
            yield Span(*match.span(), "DATE", 0.75, SOURCE)


def _years(text: str, lower: str) -> Iterator[Span]:
    for match in scan(_YEAR_ALONE, text, long_starts(text)):
        start, end = match.span()
        before, after = lower[max(start - 14, 0) : start], lower[end : end + 8]
        if _NO_YEAR_AFTER.match(after):
            continue
        if _YEAR_CUE.search(before) or match.group().endswith("s"):
            yield Span(start, end, "DATE", 0.85, SOURCE)
        elif re.search(r"(?:at|@|time|#|no\.?|x) ?$", before):
            yield Span(start, end, "DATE", 0.2, SOURCE)
        elif before.endswith("(") or re.match(r"[),:;]|\s*(?:$|\n)", after):
            yield Span(start, end, "DATE", 0.6, SOURCE)
        else:
            yield Span(start, end, "DATE", 0.35, SOURCE)
    if "'" not in text and "’" not in text:
        return
    for match in _SHORT_YEAR.finditer(text):
        if _YEAR_CUE.search(lower[max(match.start() - 14, 0) : match.start()]):
            yield Span(*match.span(), "DATE", 0.85, SOURCE)
