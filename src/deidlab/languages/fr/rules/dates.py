"""French text in, dates out: in numbers, day first, and in words; weekdays with a day, seasons, feasts.

`hier`, `ce matin` and hours are none; scores, doses and pressures look like dates and are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.words import cue_words
from deidlab.rules.dates import is_day
from deidlab.rules.numbers import digit_starts, scan
from deidlab.rules.openings import Openings, places_of
from deidlab.types import Span

SOURCE = "rules:date"
_YEAR = r"(?:18[5-9]\d|19\d\d|20\d\d|21\d\d)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_FULL_MONTH = "janvier|f[ée]vrier|mars|avril|mai|juin|juillet|ao[ûu]t|septembre|octobre|novembre|d[ée]cembre"
_SHORT_MONTH = "janv|jan|f[ée]vr|f[ée]v|avr|juill|juil|jul|sept|sep|octo|oct|nov|d[ée]c"
_MONTH = rf"(?:(?:{_FULL_MONTH})(?!\w)|(?:{_SHORT_MONTH})(?!\w)\.?)"
_WEEKDAY = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_BEFORE = (
    r"(?:le|du|au|dès le|depuis le|jusqu['’]au|vu le|vue le|né le|née le|datée? du|date|dates|ddn|le jour du|"
    r"entrée?|sortie|rdv|rendez-vous|consultation|contrôle|visite|admission|hospitalisation|congé|fait le|"
    r"et le|à partir du|"
    rf"avant le|après le|vers le|pour le|reçu le|prélevé le|opérée? le|{_WEEKDAY}|nuit du|et du|naissance)"
)
_UNITS = (
    r"(?! ?(?:mg|ml|g\b|kg|µg|mmhg|cm\b|mm\b|%|ui\b|cp\b|comprim|gtt|goutte|mois|ans|jours?\b|semaines?|"
    r"fois|h\b|"
    r"heures?|min|doses?|x\b|/))"
)
_SINCE = (
    r"en|fin|début|mi|mi-|courant|depuis|dès|vers|jusqu['’]en|jusqu['’]à|de|d['’]|à|mois de|mois d['’]|pour|"
    r"entre|et|avant|après"
)
_IN_YEAR = (
    r"en|depuis|dès|vers|jusqu['’]en|année|an|avant|après|entre|et|courant|fin|début|printemps|"
    r"depuis l['’]année|de|opérée? en|de fin"
)
_WORD_BEFORE_YEAR = re.compile(r"\b\w{1,28}[ ,]{1,2}$")


def _words_before_years(text: str) -> list[int]:
    """Where words begin that a number of four digits follows."""
    years = (start for start in digit_starts(text) if text[start + 3 : start + 4].isdigit())
    words = (_WORD_BEFORE_YEAR.search(text, max(0, start - 30), start) for start in years)
    return [word.start() for word in words if word is not None]


_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), score, openings)
    for pattern, score, *openings in (
        # 3 mars 2024, 1er mars, du 3 au 9 mai, 3-5 juin 2024, mardi 4 mars
        ((rf"(?:\b(?:{_WEEKDAY}),? (?:le )?)?(?<![\d/.,:])\b{_DAY}(?:er)?(?: ?(?:-|–|au|et|ou|"
         rf"/) ?{_DAY}(?:er)?)?[ .-]?"
         rf"(?:de )?(?<=[\d\s.r-]){_MONTH}(?:[ .-]?(?:de )?(?:{_YEAR}|['’]?\d\d(?![\d\w%/.,:])(?! ?(?:h|"
         rf"mg|ml|ans))))?(?!\d)"), 0.96, rf"{_WEEKDAY}|\d"),
        (rf"\b(?:(?:{_FULL_MONTH})|(?:{_SHORT_MONTH})(?!\w)\.?)(?: de)?[ -/]{_YEAR}\b", 0.95,
         f"{_FULL_MONTH}|{_SHORT_MONTH}"),
        (rf"\b{_YEAR}[ -](?:{_FULL_MONTH})(?: {_DAY})?\b", 0.85, r"\d"),
        (rf"\b(?:(?:{_SINCE})[ -]?)(?P<it>{_FULL_MONTH})\b(?! pied)", 0.8, _SINCE),
        (rf"\b(?P<it>(?:{_FULL_MONTH})) (?:dernier|prochain|passé)\b", 0.9, _FULL_MONTH),
        ((rf"\b(?:{_WEEKDAY})(?: le)? {_DAY}(?:[/.]{_DAY}(?:[/.](?:{_YEAR}|\d\d))?)?(?![\d:/,]|\.\d| ?h|"
         rf" ?mg)"), 0.9, _WEEKDAY),
        (rf"\b(?:{_WEEKDAY})s?\b", 0.75, _WEEKDAY),
        ((rf"\b{_BEFORE}[ :]{{1,3}}(?P<it>{_DAY}[/.](?:0?[1-9]|1[0-2])(?:[/.]\d\d)?)(?![\d/]|[.,]\d|"
         rf"\.\w){_UNITS}"), 0.88, _BEFORE),
        ((rf"\b(?:du|de) (?P<it>{_DAY}[/.](?:0?[1-9]|1[0-2])) (?:au|à) {_DAY}[/.](?:0?[1-9]|"
         rf"1[0-2])(?![\d/])"), 0.9, "du|de"),
        (rf"\b(?:au|à|-) (?P<it>{_DAY}/(?:0?[1-9]|1[0-2]))(?![\d/]|[.,]\d){_UNITS}(?<=/\d\d)", 0.6,
         "au|à", places_of("-")),
        # A day of this month, between words that can mean nothing else.
        (rf"\b(?:du|entre le) (?P<it>{_DAY}(?:er)?) (?:au|et le) {_DAY}(?:er)? (?:{_FULL_MONTH})\b", 0.9,
         "du|entre le"),
        (rf"\b(?:0?[1-9]|1[0-2])/(?:{_YEAR})(?![\d/])", 0.9, r"\d"),
        (r"\b(?:hiver|printemps|été|automne)(?: de)?(?: l['’]année)? (?:19|20|21)\d\d\b", 0.9,
         "hiver|printemps|été|automne"),
        ((r"\b(?:cet |l['’]|en |depuis l['’]|à l['’])(?P<it>été|hiver|automne)(?: (?:dernier|prochain|"
         r"passé))(?!\w)"), 0.8, "cet|l|en|depuis l|à l"),
        (r"\b(?:ce |le |au )(?P<it>printemps)(?: (?:dernier|prochain|passé))?(?!\w)", 0.75, "ce|le|au"),
        (rf"\b(?:{_IN_YEAR}|\() ?(?P<it>{_YEAR})(?![\d/:%]|[.,]\d|-\d){_UNITS}", 0.8,
         _IN_YEAR, places_of("(")),
        # Operations and events: cholécystectomie 2012, AVC 2019.
        ((rf"\b(?:\w{{2,20}}(?:tomie|plastie|scopie|stomie|rraphie|ation|ction|sion)|AVC|IDM|PTH|PTG|cure|"
         rf"césarienne|fracture|"
         rf"accouchement|entorse|pose|prothèse|stent|pontage)[ ,]{{1,2}}(?P<it>{_YEAR})(?=[,.;)\n/]|$|"
         rf" [a-zé])(?!,\d|\.\d){_UNITS}"), 0.7, _words_before_years),
        (r"\bannées (?P<it>(?:19)?[2-9]0)\b", 0.7, "années"),
        (rf"(?<![\w.,/:-]){_YEAR} ?[-–] ?{_YEAR}(?![\w/:-]|[.,]\d)", 0.8, r"\d"),
        ((r"\b(?:ddn|d\.d\.n\.|date de naissance|née? le|naissance) ?:? ?(?P<it>\d{2}[ .]\d{2}[ .]\d{4}|"
         r"\d{8}|\d{6})\b"), 0.9, "ddn|d d n|date de naissance|née? le|naissance"),
    )
)  # fmt: skip
_NUMBERS = re.compile(r"(?<![\w/.,:-])(\d{1,4})( ?[-/.–] ?)(\d{1,2})\2(\d{2,4})(?![\w/]|[-.–,]\d)")
_TIMED = re.compile(r"(?<![\w/.,:-])(\d{4})-(\d{2})-(\d{2})(?=[Tt]\d\d)")
_FEAST = "|".join(cue_words("feasts"))
_FEASTS = re.compile(rf"(?<![\w-])(?:{_FEAST})(?:(?: de)? {_YEAR})?(?![\w-])", re.IGNORECASE)
_OPENINGS = Openings(*((pattern, *openings) for pattern, _, openings in _PATTERNS), (_FEASTS, _FEAST))
_NAME_BEHIND = re.compile(r" [A-ZÀ-Ý][a-zà-ÿ]")
_NO_MONTH = re.compile(r"mars\b", re.IGNORECASE)
_SCORE_BEFORE = re.compile(
    r"(?:score|glasgow|gcs|eva|en|ecog|karnofsky|apgar|force|cotée?|motricité|murray|mmse|moca|ta|pa|"
    r"tension|douleur|borg|nyha|asa|souffle|stade|grade|testing|mrc|ratio|rapport|acuité|od|"
    r"og)\W{0,3}(?:à |de |est )?$",
    re.IGNORECASE,
)


def find(text: str) -> list[Span]:
    """Every date, the longest where several forms fit."""
    return _longest([*_in_numbers(text), *_in_words(text)])


def _in_numbers(text: str) -> Iterator[Span]:
    for match in scan(_NUMBERS, text, digit_starts(text)):
        if is_day(match[1], match[3], match[4]) and not _SCORE_BEFORE.search(
            text[max(match.start() - 24, 0) : match.start()]
        ):
            short = "." in match[2] and len(match[4]) < 4 and len(match[1]) < 4
            yield Span(*match.span(), "DATE", 0.8 if short else 0.97, SOURCE)
    for match in scan(_TIMED, text, digit_starts(text)):
        if is_day(match[1], match[2], match[3]):
            yield Span(*match.span(), "DATE", 0.97, SOURCE)


def _in_words(text: str) -> Iterator[Span]:
    for number, match in _OPENINGS.find(text):
        if number < len(_PATTERNS):
            score = _PATTERNS[number][1]
            if score < 0.9 and _SCORE_BEFORE.search(text[max(match.start() - 24, 0) : match.start()]):
                continue
            yield Span(*match.span(match.lastgroup or 0), "DATE", score, SOURCE)
        # A holy day has its capital; a Noël or a Pascal beside another capital is somebody.
        elif match.group()[0].isupper() and not _NAME_BEHIND.match(text, match.end()):
            yield Span(*match.span(), "DATE", 0.88, SOURCE)


def _longest(spans: list[Span]) -> list[Span]:
    """Those that lie in no other."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.start, -each.end)):
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept
