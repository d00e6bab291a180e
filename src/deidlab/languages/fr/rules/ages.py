"""French text in, ages out: of the patient and of relatives, in words, numbers and shorthand.

How long something lasted is none, nor is the age of a pregnancy (`32 SA`) or a day after an operation (`J3`).
"""

from __future__ import annotations

import re

from deidlab.rules.openings import Openings, places_of
from deidlab.rules.person import capital_starts
from deidlab.types import Span

SOURCE = "rules:age"
_ONES = "un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize"
_TENS = "vingts?|trente|quarante|cinquante|soixante|septante|huitante|octante|nonante|cent"
_SPOKEN = rf"(?:(?:{_TENS}|{_ONES})(?:[- ](?:et[- ])?(?:{_TENS}|{_ONES})){{0,4}})"
_NUMBER = rf"(?:\d{{1,3}}(?:[,.]5| 1/2| et demi| ½)?|{_SPOKEN})"
_UNIT = r"(?:ans|an|mois|semaines?|jours?|sem\.)"
_AGE = rf"(?P<it>{_NUMBER} ?{_UNIT}(?: et demi| 1/2| et \d{{1,2}} (?:mois|jours))?)(?!\w)"
_YEARS = rf"(?P<it>(?:\d{{1,3}}|{_SPOKEN}) ?ans)(?!\w)"
_WHO = (
    r"hommes?|femmes?|patiente?s?|garçon|fille|fillette|enfant|nourrisson|bébé|nouveau-né|adolescente?|"
    r"jeune homme|"
    r"jeune femme|jeune fille|jeune|monsieur|madame|dame|veuve|veuf|fils|frères?|sœurs?|soeurs?|mère|père|"
    r"mari|épouse|époux|conjointe?|"
    r"tante|oncle|cousine?|jumeaux|jumelles|retraitée?|étudiante?|résidente?|bénéficiaire|usag[eè]re?|"
    r"petite?|tout-petit"
)
_OPENS = re.compile(r"[.|;:\n(]")


def _sentence_starts(text: str) -> list[int]:
    """Where a sentence, a line, a cell or a bracket begins, with the mark before it."""
    return [0, *(match.start() for match in _OPENS.finditer(text))]


def _capital_starts(text: str) -> list[int]:
    """Where a word with a capital begins; the pattern takes a multiplication sign for one."""
    return [*capital_starts(text), *_TIMES(text)]


_TIMES = places_of("×")
_AGED = "à l['’]âge de|dès l['’]âge de|d['’]âge|décédée? à|morte? à|diagnostiquée? à|ménarche à|ménopause à"
_SIBLINGS = "enfants?|fils|filles?|garçons?|frères?|sœurs?"
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), score, opening)
    for pattern, score, opening in (
        (rf"\bâgé(?:e|s|es|\(e\))?,? (?:respectivement )?(?:de|d['’])(?: près de| environ)? ?{_AGE}", 0.95,
         "âgé"),
        (rf"\bâgé(?:e|s|es|\(e\))? ?: ?{_AGE}", 0.95, "âgé"),
        ((r"\b(?:âge|age)[ \t]{0,3}[:=|][ \t]{0,4}(?P<it>\d{1,3}(?: ?(?:ans|a\b\.?|mois|"
         r"jours))?)(?!\w)"), 0.93, "âge"),
        (rf"\b(?:{_AGED}) {_YEARS}", 0.85, _AGED),
        ((rf"\b(?:{_WHO})(?: (?:aînée?|cadette?|droitière?|gauchère?|de|unique)){{0,2}}(?:,| \()? ?(?:de |"
         rf"d['’])?{_AGE}"
         r"(?! (?:d['’]évolution|de traitement|de suivi|après|plus tard|avant|de grossesse))"), 0.88, _WHO),
        (rf"(?:^|[.|;:\n(])[ \t]{{0,3}}{_YEARS}(?=[ \t]{{0,2}}(?:[,.;|/)]|$|\n))", 0.85, _sentence_starts),
        (rf"\b(?-i:[A-ZÀ-Ý][a-zà-ÿA-ZÀ-Ý'’-]{{1,}}),? (?:\()?{_YEARS}(?= ?(?:[,.;)\n]|$))", 0.85,
         _capital_starts),
        (r"\b(?:[HF]|M|homme|femme|pt|pte)[ ,/]{1,2}(?P<it>\d{2,3} ?(?:ans|a\.?))(?!\w)", 0.85,
         "h|f|m|homme|femme|pt|pte"),
        # 72 a., (45a): in shorthand, where nothing else follows.
        ((r"(?<![\w.,/:-])(?P<it>[1-9]\d ?(?-i:a)\.?)(?=[ ,;)\n]|$)(?! (?:la|le|les|\d|été|eu|un|"
         r"une))(?<! à \d\da)(?=[,;)\n.]|$| [,(])"), 0.7, r"\d"),
        ((rf"\b(?:ses|a|avait|aura|fêté ses|a eu) (?P<it>\d{{1,3}} ans|{_SPOKEN} ans)(?=[,.;]| et | ce| la|"
         rf" le|$)(?! (?:d['’]|de |plus))"), 0.75, "ses|a|avait|aura|fêté ses"),
        (r"\b(?P<it>(?:nona|octo|septua|sexa|quinqua|quadra)génaire|centenaire)s?\b", 0.8,
         "nona|octo|septua|sexa|quinqua|quadra|centenaire"),
        ((rf"\b(?:{_SIBLINGS})\b[^.\n]{{0,24}}"
          r"\(?(?P<it>\d{1,2}(?:, \d{1,2}){0,6} et \d{1,2} ans)"), 0.85, _SIBLINGS),
    )
)  # fmt: skip
_OPENINGS = Openings(*((pattern, opening) for pattern, _, opening in _PATTERNS))
_BEFORE = re.compile(
    r"\b(?:depuis|pendant|durant|il y a|y a|après|tous les|chaque|dans|en|sur|pour|ya|x|dernier[es]{0,2}|"
    r"plus de|moins de|"
    r"environ|toutes les|premiers|derniers|à|total de|les|ces|quelques|de suivi de|évoluant depuis|"
    r"datant de)\s{1,2}$",
    re.IGNORECASE,
)
_LED = re.compile(
    r"\b(?:âge de|décédée? à|morte? à|diagnostiquée? à|ménarche à|ménopause à|âgée?s? d(?:e|"
    r"['’]) ?environ) $",
    re.IGNORECASE,
)
_PREGNANT = re.compile(r" ?(?:SA\b|d['’]aménorrhée|de grossesse|d['’]évolution|de recul|post)", re.IGNORECASE)


def find(text: str) -> list[Span]:
    """Every age of somebody."""
    return [
        Span(*match.span("it"), "AGE", _PATTERNS[number][1], SOURCE)
        for number, match in _OPENINGS.find(text)
        if not _is_duration(text, *match.span("it"))
    ]


def _is_duration(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 32) : start]
    return bool(_PREGNANT.match(text, end) or (_BEFORE.search(before) and not _LED.search(before)))
