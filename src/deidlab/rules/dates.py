"""Text in, dates out: full, partial, in words, weekdays, seasons, holidays; stamps: the day, with a zone all.

What looks like a date and is none stays: blood pressures, strengths, scores, ratios, doses and fractions.
"""

from __future__ import annotations

import functools
import re

from deidlab.rules import date_words
from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import long_starts, scan, starts_before
from deidlab.types import Span

SOURCE = "rules:date"
_FULL = re.compile(
    r"(?<![\w/.\-])(?<!\d[:,])(\d{1,4})( ?[-/.–] ?)(\d{1,2})\2(\d{2,4})(?=[Tt_ ]|(?![\w/]|[-.–]\d))"
    r"|(?<![\w/.])(?<![A-Za-z]-)((?:19|20|21)\d\d)([-/.])(0[1-9]|1[0-2])(?![\w/]|[-.]\d)"
)
# The hour of a stamp with a zone: the whole is one code.
_STAMP = re.compile(r"T\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)(?!\w)")
_PARTIAL = re.compile(
    r"(?<![\w/.,:+])(?<![a-zA-Z]-)(\d{1,2})/(\d{4}|\d{1,2})"
    r"(?:( ?[-–] ?| to | thru | through | and | & )(\d{1,2})(?:/(\d{4}|\d{1,2}))?)?(?![\w/%]|[.,]\d|-\d|\+)"
)
_COMPACT = re.compile(
    r"(?<![\w.,\-/])((?:19|20|21)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d|[.,]\d|-\d)"
)
_DAY_BEFORE = (
    "birth|born|dob|on|since|from|until|till|by|dated|date|dos|of|as of|admitted|seen|discharged|started|"
    "stopped|begun|before|after|through|thru|between|due|for|last|visit|appt|appointment|adm|d/c|dc|done|"
    "drawn|"
    "placed|removed|surgery|procedure|performed|scheduled|expires|exp|effective|updated|collected|"
    "received|"
    "called|signed|reviewed|dictated|given|to|and|around|circa|el|del|desde|hasta|fecha|the|week of|"
    "note|labs|"
    "prior"
)
_CUE = re.compile(rf"(?:^|[\s(\[,;/*-])(?:{_DAY_BEFORE})[\s:.(=*-]{{1,4}}$")
_VALUE_BEFORE = re.compile(
    r"(?:pain|score[sd]?|gcs|glasgow|strength|power|murmur|grade|apgars?|mmse|moca|phq|phq-?9|"
    r"gad|gad-?7|reflexes|dtrs?|motor|"
    r"muscle|bp|pressure|rated|ratio|level|vas|nrs|severity|intensity|va|acuity|vision|od|os|"
    r"ou|quads?|biceps|"
    r"triceps|deltoids?|grip|flexors?|extensors?|dorsiflexion|plantarflexion|pulses?|stage|cores|sets|"
    r"dose|fraction|cycle|day|visit|week|unit|children|mallampati|bishop|aldrete|braden|ecog|asa|hrs|i/o|tid|"
    r"a&ox|oriented|leaflets?|nodes|ln)[\s:,(=]{1,3}"
    r"(?:(?:of|is|was|were|at|currently|now|rated|scale|level|score|bilaterally|in|a|with|to|"
    r"about|up|down|from|"
    r"[lr]?[ul]es?|left|right|extremity)[\s:(]{1,2}){0,3}$"
)
_VALUE_AFTER = re.compile(
    r"\s?(?:(?:holo|pan|early |late |mid)?(?:systolic|diastolic)|strength|power|murmur|pain|"
    r"systolic|diastolic|motor|sem|hsm|nodes?|cores?|positive|negative|in all|"
    r"throughout|bilat|pulses|score|out of|mg|ml|mcg|units?|tablets?|tabs?|strips?|cups?|inch|in\.|cm|mm|"
    r"ppd|pack|of the|nl|ns|d5|bottles|symptoms|criteria|on (?:the )?(?:left|right)|le\b|ue\b|"
    r"l4|visual|mile|dose|"
    r"hours?|hrs?|days|weeks|months|years|sig)"
)
_TIME_AFTER = re.compile(r"(?:,? (?:at |@ ?)?\d{1,2}:?\d\d\b|,? @|:(?:\s|$)|\s?[-–]\s?[A-Z])")
_SCORE_TOPS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 21, 24, 27, 28, 30})


def find(text: str) -> list[Span]:
    """Every date in the text."""
    return [*_full(text), *_partial(text), *_compact(text), *_cued(text), *date_words.find(text)]


_BIRTH_CUES = (
    "dob",
    "date of birth",
    "born",
    "birth date",
    "birthdate",
    "d.o.b.",
    "f. nac.",
    "fecha de nacimiento",
)
_DASH_CUES = ("on", "since", "from", "until", "till", "dated", "seen", "admitted", "dos", "date")
_BIRTH = re.compile(
    r"[\s:=#.(-]{1,8}"
    r"(\d{1,2}[ ]\d{1,2}[ ]\d{2,4}|\d{8}|\d{6}|\d{4}|\d{1,2}-\d{1,2})(?![\w/-])"
)
_DASHED = re.compile(
    r"[ :]{1,2}((?:0?[1-9]|1[0-2])-(?:3[01]|[12]\d|0?[1-9])|(?:3[01]|[12]\d|"
    r"0?[1-9])\.(?:0?[1-9]|1[0-2])\.)(?![\w/-]|\s?(?:mg|l\b|liters|days|weeks|units|ml|hours|"
    r"minutes|months|years|tabs|times|%))"
)


def _cued(text: str) -> list[Span]:
    """Digits that only the word in front makes a date: `DOB 03 14 1971`, `DOB 03141971`, `seen on 3-14`."""
    lower = lowered(text)
    spans = []
    for _, end, cue in _number_cues().find(text):
        pattern, score = (_BIRTH, 0.85) if cue in _BIRTH_CUES else (_DASHED, 0.6)
        match = pattern.match(lower, end)
        if match:
            spans.append(Span(*match.span(1), "DATE", score, SOURCE))
    return spans


@functools.cache
def _number_cues() -> Cues:
    return Cues((*_BIRTH_CUES, *_DASH_CUES))


def _full(text: str) -> list[Span]:
    spans = []
    for match in scan(_FULL, text, long_starts(text)):
        if match[5]:
            spans.append(Span(*match.span(), "DATE", 0.7 if match[6] == "." else 0.85, SOURCE))
        elif is_day(match[1], match[3], match[4]):
            dotted = "." in match[2]
            score = 0.8 if dotted and len(match[4]) < 4 and len(match[1]) < 4 else 0.97
            stamp = _STAMP.match(text, match.end(4))
            stop = stamp.end() if stamp else match.end(4)
            spans.append(Span(match.start(), stop, "DATE", score, SOURCE))
    return spans


def is_day(first: str, second: str, third: str) -> bool:
    """Whether three numbers are a day in some order: year first, or month and day before a year."""
    if len(first) >= 3:
        return len(first) == 4 and len(third) <= 2 and _month_day(int(second), int(third))
    if len(third) == 3 or (len(third) == 4 and not 1850 <= int(third) <= 2200):
        return False
    return _month_day(int(first), int(second))


def _month_day(one: int, other: int) -> bool:
    low, high = min(one, other), max(one, other)
    return 1 <= low <= 12 and high <= 31


def _partial(text: str) -> list[Span]:
    spans = []
    lower = lowered(text)
    for match in scan(_PARTIAL, text, starts_before(text, "/")):
        first, second = int(match[1]), match[2]
        if len(second) == 4:
            if 1 <= first <= 12 and 1850 <= int(second) <= 2200:
                spans += _range(match, 0.9)
            continue
        score = _certainty(lower, match, first, int(second))
        if score:
            spans += _range(match, score)
    return spans


def _range(match: re.Match[str], score: float) -> list[Span]:
    """The date, or both ends of a range such as 3/14-3/16."""
    spans = [Span(match.start(), match.end(2), "DATE", score, SOURCE)]
    if match[4] and (match[5] or "-" in match[3] or "–" in match[3]) and int(match[4]) <= 31:
        if match[5] and match[3].strip() not in "-–":
            spans.append(Span(match.start(4), match.end(), "DATE", score, SOURCE))
        else:
            spans = [Span(match.start(), match.end(), "DATE", score, SOURCE)]
    return spans


def _certainty(lower: str, match: re.Match[str], first: int, second: int) -> float:
    """How sure it is that `first/second` is month and day (or day and month, or month and year)."""
    start, end = match.span()
    before, after = lower[max(start - 24, 0) : start], lower[end : end + 14]
    if is_value(before, after):
        return 0.0
    cue = is_announced(before)
    timed = bool(_TIME_AFTER.match(after))
    if not _month_day(first, second):
        year_like = 1 <= first <= 12 and second > 31 and match[2] not in ("32", "36", "60")
        return 0.6 if year_like and _CUE.search(before) and not _drug_before(before) else 0.0
    if first > 12 and not (cue or timed):
        return 0.3
    ranged = match[5] is not None and _month_day(int(match[4]), int(match[5])) and second not in _SCORE_TOPS
    if match[1].startswith("0") or match[2].startswith("0") or ranged:
        return 0.9
    if cue or timed:
        return 0.85 if second not in _SCORE_TOPS else 0.7
    return 0.3 if second in _SCORE_TOPS or first == second else 0.8


def is_value(before: str, after: str) -> bool:
    """Whether n/m is a score, strength or count, by the lower-case text on either side."""
    return bool(_VALUE_BEFORE.search(before) or _VALUE_AFTER.match(after))


def is_announced(before: str) -> bool:
    """Whether the lower-case text before a number leads to a date, or the number opens a line."""
    return bool(_CUE.search(before)) or before.endswith(("\n", "\n ", "\n- ", "\n* ")) or not before


def _drug_before(before: str) -> bool:
    return bool(re.search(r"(?:mg|vytorin|lotrel|to|increased|ratio)\s*$", before))


def _compact(text: str) -> list[Span]:
    spans = []
    for match in scan(_COMPACT, text, long_starts(text)):
        before = lowered(text[max(match.start() - 24, 0) : match.start()])
        dated = re.search(r"(?:dob|date|birth|born|dos|dated|on|fecha|time|dt|adm|disch|dod)\W{0,4}$", before)
        spans.append(Span(*match.span(), "DATE", 0.95 if dated else 0.55, SOURCE))
    return spans
