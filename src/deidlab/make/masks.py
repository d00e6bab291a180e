"""Text that others masked or that has no identifiers in, the same as sentences with slots to fill out.

Three things become slots: masks as various tools leave them, names and the like that the rules still find,
and phrases beside which clinicians write names, places and dates. Dates and ages that are still there
stay as they are, with their label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from deidlab.make.lists import rows
from deidlab.types import Document, Span

Item = tuple[str, str, float]
"""A text, what becomes of it (nothing, `=LABEL`, or a line of the grammar), and in which share of cases."""
Sentence = tuple[Item, ...]
Find = Callable[[Document], Sequence[Span]]

_TAGGED = rows("masks_tagged")
_BLANK = r"(?:_{2,}|[xX]{3,}|\*{3,}|\b(?:XYZ|ABCD?|Abcd?|Xyz|Xxxx+|Sample|Doe)\b(?![-/]))"
_MASKS: tuple[tuple[str, str], ...] = (
    (rf"(?<=\bDr\. )(?:[A-Z]\b(?!\.[A-Z])\.?(?=\W)|{_BLANK})", "<doc.family>"),
    (rf"(?<=\bDr )(?:[A-Z]\b|{_BLANK})", "<doc.family>"),
    (rf"(?<=\bM[rs]\. )(?:[A-Z]\b|{_BLANK})|(?<=\bMrs\. )(?:[A-Z]\b|{_BLANK})", "<pt.family>"),
    (
        (
            r"\b(?:X{1,4}|XYZ|ABCD?|Abcd?|Xyz) (?:General |Memorial |Regional |Community )?"
            r"(?:Hospital|Clinic|Medical Center|Health|Center)\b"
        ),
        "<hosp>",
    ),
    (
        r"\b(?:mm|MM|dd|DD)[/-](?:mm|MM|dd|DD|yy|yyyy|YYYY)(?:[/-](?:yyyy|yy|YYYY|YY|XXXX))?\b|\bMM/YYYY\b",
        "<dt>",
    ),
    (
        rf"(?<=[Oo]n ){_BLANK}|(?<=[Dd]ated ){_BLANK}|(?<=[Ss]ince ){_BLANK}|(?<=[Uu]ntil ){_BLANK}",
        "<dt.recent>",
    ),
    (rf"(?<=[Aa]t ){_BLANK}|(?<=[Ff]rom ){_BLANK}|(?<=[Tt]ransferred to ){_BLANK}", "<hosp>"),
    (rf"{_BLANK}(?=[- ]year[- ]old)", "<age>"),
    (rf"(?<=[Bb]y ){_BLANK}|(?<=[Ww]ith ){_BLANK}(?=[,.])", "<doc.full>"),
    (r"\b(?:XYZ|ABCD?|Abcd?|Xyz)\b(?![-/\d])", "<pt.family>"),
)
# Beside these phrases clinicians write PHI; the share says how often a name or date is put there.
_PLACES = rows("masks_places")
_LABEL_SLOTS = {
    "PATIENT": "<pt.family>",
    "DOCTOR": "<doc.family>",
    "HOSPITAL": "<hosp>",
    "ORGANIZATION": "<org>",
    "CITY": "<city>",
    "STATE": "<state>",
    "COUNTRY": "<country>",
    "STREET": "<street>",
    "ZIP": "<zip>",
    "PHONE": "<phone>",
    "FAX": "<fax>",
    "EMAIL": "<email>",
    "URL": "<url>",
    "USERNAME": "<login>",
    "PROFESSION": "<job>",
    "LOCATION-OTHER": "<landmark>",
    "MEDICALRECORD": "<id.medicalrecord>",
    "SSN": "<id.ssn>",
    "ACCOUNT": "<id.account>",
    "IDNUM": "<id.idnum>",
    "LICENSE": "<id.license>",
    "DEVICE": "<id.device>",
    "HEALTHPLAN": "<id.healthplan>",
    "VEHICLE": "<id.vehicle>",
    "BIOID": "<id.bioid>",
    "IPADDR": "<ip>",
}
_STAR_TAG = re.compile(r"\[\*\*(.{0,60}?)\*\*\]|\[([A-Z][A-Z _]{2,30})\]|\{\{(\w{2,30})\}\}")
_LOST_LINE = re.compile(
    r"(?<=[.:;)\w])\s*,(?=\s*(?:[A-Z][A-Z/() &-]{3,}:|\d\.\s+[A-Z]))|(?<=:)\s*,\s*|(?<=\.),(?=\s*[A-Z])"
)
_SENTENCE = re.compile(
    r"(?<![DM]r\.)(?<!Ms\.)(?<!Mrs\.)(?<!Drs\.)(?<!\bSt\.)(?<!\b[A-Z]\.)(?<=[.!?])[ \t]+(?=[A-Z])|\n+"
)
# Of places and names without a mask only those that the rules are sure of are taken for such.
_SURE = 0.75
# Numbers with no mask are mostly results and doses in a text that somebody has gone through.
_CODES = frozenset(
    {
        "IDNUM",
        "DEVICE",
        "USERNAME",
        "ACCOUNT",
        "BIOID",
        "HEALTHPLAN",
        "LICENSE",
        "VEHICLE",
        "MEDICALRECORD",
        "SSN",
    }
)
_NOT_PEOPLE = frozenset(
    {
        "historian",
        "memory",
        "Monitored",
        "Local MAC",
        "MAC",
        "Terrace",
        "Norco",
        "Scotty Dog",
        "VENA CAVA",
        "vena cava",
    }
)
_SAFE = frozenset({"DATE", "AGE", "PHONE", "FAX", "EMAIL", "URL"})
_ONES = re.compile("|".join(f"(?P<m{number}>{pattern})" for number, (pattern, _) in enumerate(_MASKS)))
_BESIDE = re.compile("|".join(f"(?P<p{number}>{pattern})" for number, (pattern, *_) in enumerate(_PLACES)))


@dataclass(frozen=True, slots=True)
class BaseNote:
    """A note as sentences with slots; `gaps` is the white space after each sentence."""

    id: str
    sentences: tuple[Sentence, ...]
    gaps: tuple[str, ...]


def read_base(document: Document, find: Find | None) -> BaseNote:
    """A note to fill; `find` finds what is not masked, without it only masks are filled."""
    text = _LOST_LINE.sub(_line_of, document.text).strip()
    marks = _find_marks(text, find)
    sentences, gaps = [], []
    at = 0
    for match in (*_SENTENCE.finditer(text), None):
        start, end = match.span() if match else (len(text), len(text))
        if match and any(a < end and start < b for a, b, *_ in marks):
            continue
        inside = [mark for mark in marks if at <= mark[0] and mark[1] <= start]
        sentence = tuple(_items(text, at, start, inside))
        if sentence:
            sentences.append(sentence)
            gaps.append("\n" if match and "\n" in match.group() else " ")
        at = end
    return BaseNote(document.id, tuple(sentences), tuple(gaps))


def _line_of(match: re.Match[str]) -> str:
    return " " if match.string[match.start() - 1] == ":" else "\n"


Mark = tuple[int, int, str, float]


def _find_marks(text: str, find: Find | None) -> list[Mark]:
    """Stretches that do not overlap, in order, each with what it becomes; masks go before all else."""
    found: list[Mark] = [(*match.span(), _tag_slot(match), 1.0) for match in _STAR_TAG.finditer(text)]
    found += [(*match.span(), _MASKS[_number(match)][1], 1.0) for match in _ONES.finditer(text)]
    if find is not None:
        for span in find(Document(id="base", text=text)):
            if span.label not in _SAFE and ((span.score or 0.0) < _SURE or span.label in _CODES):
                continue
            if text[span.start : span.end] in _NOT_PEOPLE:
                continue
            slot = _LABEL_SLOTS.get(span.label)
            if span.label in ("PATIENT", "DOCTOR") and " " in text[span.start : span.end].strip():
                slot = "<pt.full>" if span.label == "PATIENT" else "<doc.full>"
            found.append((span.start, span.end, slot or f"={span.label}", 1.0))
    for match in _BESIDE.finditer(text):
        _, line, share = _PLACES[_number(match)]
        found.append((*match.span(), line.replace("\\0", _escaped(match.group())), share))
    kept: list[Mark] = []
    taken: list[tuple[int, int]] = []
    for mark in found:
        if all(mark[1] <= start or end <= mark[0] for start, end in taken):
            kept.append(mark)
            taken.append((mark[0], mark[1]))
    return sorted(kept)


def _number(match: re.Match[str]) -> int:
    return int((match.lastgroup or "m0")[1:])


def _tag_slot(match: re.Match[str]) -> str:
    said = (match[1] or match[2] or match[3] or "").lower().replace("_", " ")
    return next((slot for pattern, slot in _TAGGED if re.search(pattern, said)), "<id.idnum>")


def _escaped(text: str) -> str:
    return re.sub(r"([\\{}|^<])", r"\\\1", text)


def _items(text: str, start: int, end: int, marks: list[Mark]) -> Iterator[Item]:
    at = start
    for begins, stops, becomes, share in marks:
        if begins > at:
            yield text[at:begins], "", 0.0
        yield text[begins:stops], becomes, share
        at = stops
    if at < end and text[at:end].strip():
        yield text[at:end], "", 0.0
