"""Text and a span in, whether it is a clinical code out: of a disease, procedure, gene or score.

Some codes tell by their shape (`E11.65`, `c.35delG`, `pT2N1M0`, `E4V5M6`); others need the name of
their system in front (`CPT 99213`, `NDC 00409-1966-12`, `lot 23K118`).
"""

from __future__ import annotations

import functools
import re

from deidlab.rules.folding import lowered
from deidlab.rules.wordlists import read_table
from deidlab.types import Span

_TOKEN = re.compile(r"[\w.:>*+()\[\]-]+")
_BACK, _LONGEST = 48, 40
_FEWEST_DIGITS = 2
_PLAIN = re.compile(r"[ \n(]?[^\W\d_]+(?:[ ,.'’-]{1,2}[^\W\d_]+)*[ \n,.;)]?")
_DATED, _NDC_DIGITS = re.compile(r"[\d/.-]+"), 10
_SHAPES = re.compile(
    r"[A-TV-Z]\d[\dAB]\.[\dA-Z]{1,4}"  # a disease by ICD-10
    r"|E[1-4]V[1-5T]{1,2}M[1-6]|S1Q3T3|G\d{1,2}P\d{1,4}(?:[A-Z]+\d+)*"
    r"|[acmpry]{0,3}T(?:[0-4][a-d]?|is|x|X)(?:\(\w\))?N(?:[0-3][a-c]?|x|X)(?:\(\w+\))?(?:M[01xX][a-c]?)?"
    r"|(?:N[MPGRCT]_\d+(?:\.\d+)?:?)?[cgmnpr]\.[\w*>()?+=-]+|N[MPGRCT]_\d+(?:\.\d+)?:?"
    r"|rs\d{3,10}|GRCh\d\d|hg\d\d|arr(?:\[\w+\])?|(?:chr)?[\dXY]{1,2}[pq]\d{1,2}(?:\.\d{1,2})?.*"
    r"|[A-Z]{1,2}(?:\.\d{1,3}){2,4}|4[5-7],X{1,3}Y?.*"
    r"|(?:IPT-)?A\d{2}[A-Z]{2}\d{2}|[A-Z]\d{2}[A-Z]{2}\d{2}"  # a drug by ATC
)
_UNDOTTED = re.compile(r"[A-TV-Z]\d[\dAB][\dA-Z]{0,4}")
_PRODUCT = re.compile(r"\bREF ?$")  # In capitals: of a device, not of a letter.
_PROCEDURE = re.compile(r"(?=[\dA-Z]*[A-Z])[\dBCDFGHX][\dA-HJ-NP-Z]{6}")
_LINE_OPENER = re.compile(r"(?:^|\n)[ \t*•-]{0,4}$")
_TOLD = re.compile(r"(?:[,;] ?[A-TV-Z]\d[\dAB]\w{0,4})*[ :,-]{1,3}[A-Za-z]{3,}")
_BEFORE = re.compile(r"[\w./&'°-]+|[;\n]")
_FILLERS = frozenset(
    {"code", "codes", "no", "number", "nr", "id", "version", "is", "was", "and", "or", "to", "vs"}
)
_MOST_WORDS = 7


@functools.cache
def _systems() -> frozenset[str]:
    return frozenset(read_table("deidlab", "data/detect/vetoes/codes.toml")["systems"])


def drops(text: str, span: Span) -> bool:
    """Whether the span is a code, or a part of one."""
    if _PLAIN.fullmatch(text, max(span.start - 1, 0), span.end + 1):
        return False
    start, end = _token(text, span)
    value = text[start:end]
    if not any(map(str.isdigit, value)) and ">" not in value:
        return False
    if span.end > end:
        return _all_codes(text, start, span.end)
    if "@" in value:
        return False
    if _SHAPES.fullmatch(value) or _opens_line(text, start, end, value):
        return True
    if span.label == "DATE" and _DATED.fullmatch(value) and sum(map(str.isdigit, value)) < _NDC_DIGITS:
        return False
    if _PRODUCT.search(text[max(start - 5, 0) : start]):
        return True
    before = lowered(text)[max(start - _BACK, 0) : start]
    return _has_system(before)


def _all_codes(text: str, start: int, end: int) -> bool:
    """`ICD-10 I509 E119` read as one number: nothing but a system's name and codes of diseases."""
    first, *others = (word.strip(",;:.") for word in text[start:end].split())
    named = lowered(first) in _systems() or _has_system(lowered(text)[max(start - _BACK, 0) : start])
    codes = [each for each in (first, *others) if lowered(each) not in _systems() and not each.isdigit()]
    return (
        named and bool(codes) and all(_UNDOTTED.fullmatch(each) or _SHAPES.fullmatch(each) for each in codes)
    )


def _has_system(before: str) -> bool:
    """Whether the name of a system stands before, with nothing but further codes in between."""
    words = [word.strip(".-") for word in _BEFORE.findall(before)[-_MOST_WORDS:]]
    for last in range(len(words), 0, -1):
        if words[last - 1] in _systems() or " ".join(words[max(last - 2, 0) : last]) in _systems():
            return True
        word = words[last - 1]
        if not (word in _FILLERS or any(map(str.isdigit, word))):
            return False
    return False


def _token(text: str, span: Span) -> tuple[int, int]:
    """The whole code that the span lies in, without the marks at its edges."""
    first = max(span.start - _LONGEST, 0)
    before = text[max(first - 1, 0) : span.start]
    begin = (
        span.start - len(before.rsplit(None, 1)[-1]) if before and not before[-1].isspace() else span.start
    )
    if first and begin < first:
        begin = span.start  # A word of that length is no code.
    for match in _TOKEN.finditer(text, begin, span.end + _LONGEST):
        if match.end() > span.start:
            start, end = match.span()
            while end > start and (text[end - 1] in ".:-" or _closes(text[start:end])):
                end -= 1
            return start, end
    return span.start, span.end


def _closes(value: str) -> bool:
    """Whether a bracket ends here that was opened before the code."""
    return value[-1] in ")]" and value.count("(") + value.count("[") < value.count(")") + value.count("]")


def _opens_line(text: str, start: int, end: int, value: str) -> bool:
    """`E1165 Type 2 diabetes`: a disease's code without its point, or a procedure's, opens a line."""
    undotted = _UNDOTTED.fullmatch(value) or _PROCEDURE.fullmatch(value)
    if not undotted or sum(map(str.isdigit, value)) < _FEWEST_DIGITS:
        return False
    if start and not _LINE_OPENER.search(text[max(start - 5, 0) : start]):
        return False
    return bool(_TOLD.match(text, end, end + 60))
