"""Text and a date in, whether it is the year of a guideline or classification, or the verb `may`."""

from __future__ import annotations

import re

from deidlab.rules.folding import lowered
from deidlab.types import Span

_YEAR = re.compile(r"(?:19|20)\d\d")
_WORKS = (
    r"guidelines?|criteria|classification|consensus|statement|recommendations?|edition|revision|definition|schedule|"
    r"threshold|nomenclature|standards?|who|acc|aha|accf|esc|ash|acr|eular|slicc|ats|ers|idsa|shea|kdigo|kdoqi|nccn|asco|"
    r"esmo|figo|ajcc|uicc|acog|aap|usp?stf|cdc|nice|sign|ada|easd|endo|aace|aasld|easl|acg|aga|eso|aan|ichd|ilae|dsm|"
    r"icd|beers|stopp|fleischner|mcdonald|gina|gold|rome|sydney|lugano|banff|bethesda|tokyo|atlanta|berlin|jnc|"
    r"gu[íi]as?|criterios|clasificaci[óo]n|consenso|crit[èe]res|classification|recommandations|has"
)
_AFTER = re.compile(rf"(?:[ /-][a-z/]{{2,12}}){{0,1}}[ /-](?:{_WORKS})\b")
_BEFORE = re.compile(rf"\b(?:{_WORKS})(?: (?:of|from|de|du|oms))?[ ,(-]{{1,2}}$")
_MONTH_WORD = re.compile(r"(?:^|[.!?;\n] ?|\n[-*•] ?)$")
_PLAIN_NEXT = re.compile(
    r" (?!of\b|through\b|to\b|and\b|or\b|until\b|till\b|at\b|was\b|is\b|he\b|she\b|we\b|de\b|du\b)[a-z]{2,}"
)


def drops(text: str, span: Span) -> bool:
    """Whether the date is the year of a work, or a month's name that opens a sentence as a verb."""
    value = text[span.start : span.end]
    if value in ("May", "March"):
        opens = _MONTH_WORD.search(text[max(span.start - 3, 0) : span.start])
        return bool(opens and _PLAIN_NEXT.match(text, span.end))
    if not _YEAR.fullmatch(value):
        return False
    lower = lowered(text)
    before = lower[max(span.start - 24, 0) : span.start]
    return bool(_AFTER.match(lower, span.end) or _BEFORE.search(before))
