"""Spanish text in, dates out: what the common rule finds, without English words that mean something else.

And forms of its own: days of this month, short months in capitals, weekdays with a number, feasts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.languages.es.rules.words import cue_words
from deidlab.rules import dates
from deidlab.rules.folding import folded
from deidlab.rules.numbers import digit_starts
from deidlab.rules.openings import Openings
from deidlab.types import Span

_NUMBER = re.compile(r"\d")
_MONTH = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre"
_SHORT = "ene|feb|mar|abr|may|jun|jul|ago|set|sept?|oct|nov|dic"
_WEEKDAY = "lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo"
_DAY_MONTH = r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|1[0-2])(?:/\d{2,4})?(?![\d/])"
_ABRIDGED = "lun|mar|mi[ée]|jue|vie|s[áa]b|dom"
_CUE = "fecha|control|cita|visita|revisión|próxima|preferente|desde|hasta"
_DAY_BEFORE_WORD = re.compile(r"\d{1,2}[ /.-][^\W\d_]")


@functools.lru_cache(maxsize=2)
def _days_before_words(text: str) -> list[int]:
    """Where numbers begin that a word follows."""
    return [start for start in digit_starts(text) if _DAY_BEFORE_WORD.match(text, start)]


def _days_after_articles(text: str) -> list[int]:
    """Where numbers begin behind `el`, `al` or `del`."""
    return [start for start in digit_starts(text) if text[start - 2 : start] in ("l ", "L ")]


# Each with what it begins with.
_OWN = tuple(
    (re.compile(pattern, re.IGNORECASE), *openings)
    for pattern, *openings in (
        (rf"\b(?:{_WEEKDAY})(?: santo)?,? ?(?:d[ií]a )?\d{{1,2}}(?![\d:/.,]\d|\d| ?h)(?: de (?:{_MONTH}))?",
         _WEEKDAY),
        ((rf"(?<=\b[ea]l )d[ií]a \d{{1,2}}\b(?! (?:de (?!{_MONTH})|del (?!mes)|\+|post))"
          rf"(?: de (?:{_MONTH}))?"), "d[ií]a"),
        (rf"(?<=\bdel )d[ií]a \d{{1,2}}\b(?! (?:de (?!{_MONTH})|\+|post))", "d[ií]a"),
        (rf"(?<![\w/.-])\d{{1,2}}[ /.-](?:{_SHORT})\.?[ /.-](?:\d{{4}}|\d{{2}})\b", _days_before_words),
        (rf"(?<![\w/.-])\d{{1,2}} (?:de )?(?:{_SHORT})\b\.?(?![\w/-])", _days_before_words),
        (r"(?<![\w/.-])\d{1,2} del? (?:presente|corriente|actual|cte\.?)(?: mes| año)?", _days_before_words),
        (rf"\b(?:{_MONTH})\b(?: (?:de|del) (?:\d{{4}}|presente año|año pasado))?", _MONTH),
        # With a word that announces a day: a fraction or a pressure has none.
        (rf"\b(?:{_WEEKDAY}|{_ABRIDGED})\.? {_DAY_MONTH}", f"{_WEEKDAY}|{_ABRIDGED}"),
        (rf"(?<=\b[ea]l )(?:d[ií]a )?{_DAY_MONTH}(?! ?(?:de|%))", "d[ií]a", _days_after_articles),
        (rf"(?<=\bdel )(?:d[ií]a )?{_DAY_MONTH}", "d[ií]a", _days_after_articles),
        (rf"\b(?:{_CUE}):? (?P<it>{_DAY_MONTH})", _CUE),
        (r"(?<![\w/.-])\d{1,2}[-/](?-i:I{1,3}|IV|VI{0,3}|IX|XI{0,2})[-/]\d{2,4}\b", _days_before_words),
        (r"\b(?:primavera|verano|otoño|invierno) (?:de|del) \d{4}", "primavera|verano|otoño|invierno"),
        (r"(?<=\bdesde el )\d{1,2}\b(?=[,;)]|\.\s)", _days_after_articles),
        (r"(?<=[Ll]os )años \d0\b", "años"),
    )
)  # fmt: skip
_FEAST = "|".join(cue_words("feasts"))
_OPENINGS = Openings(*_OWN, (re.compile(rf"\b(?:{_FEAST})\b", re.IGNORECASE), _FEAST))
_HEAD = re.compile(r"(?:marzo|mayo|agosto)", re.IGNORECASE)


def find(text: str) -> list[Span]:
    """Without a number in it a date must have a Spanish word: `Sat` is saturation, `EID` a leg."""
    words = frozenset(cue_words("date_words"))
    common = (
        span
        for span in dates.find(text)
        if _NUMBER.search(text, span.start, span.end)
        or not words.isdisjoint(folded(text[span.start : span.end]).split())
    )
    return _longest([*common, *_own(text)])


def _longest(spans: list[Span]) -> list[Span]:
    """Those that lie in no other."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.start, -each.end)):
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept


def _own(text: str) -> Iterator[Span]:
    for number, match in _OPENINGS.find(text):
        feast = number == len(_OWN)
        # In capitals and at the start of a name these are other words.
        if feast or not (_HEAD.fullmatch(match.group()) and match.group()[0].isupper()):
            yield Span(*match.span(match.lastgroup or 0), "DATE", 0.8 if feast else 0.85, dates.SOURCE)
