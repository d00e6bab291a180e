"""Text in, numbers that identify out: by the word in front, by the check digit, or by the shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.en.rules.id_cues import cue_labels, cues
from deidlab.rules.folding import lowered
from deidlab.rules.numbers import long_starts, scan, unbroken_starts, wide_starts
from deidlab.types import Span

SOURCE = "rules:id"
_GAP = re.compile(
    r"[\s:#=.(\[|\"'*_-]{0,24}(?:(?:no|nos|num|number|numbers|nr|nbr|id|ids|code|is|was|of|"
    r"ref|reads|ending|in|the|with|plate|registration|"
    r"nº|n°|num|card|version|assigned|for this visit|reg|state|last four|last 4)\b[\s:#=.(\[\"'-]{0,8}){0,3}"
)
_VALUE = re.compile(r"[A-Za-z0-9*](?:[A-Za-z0-9*]|[-/._:^](?=[A-Za-z0-9*])){0,45}")
_GROUP = re.compile(
    r"[ ](?:\d{2,9}(?:-\d{1,6})*|[A-Z]{1,2}\d{0,6}|\d)(?![\w/:.,]|[-]\d)|"
    r"[ ]\d{2,9}(?=[.,;)](?:\s|$))"
)
_STATE = re.compile(r"\(?[A-Z]{2}\)?[ ](?=#?[A-Z]{0,3}[ -]?[0-9])#?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}")
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_PLAIN_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")
_SIGN = re.compile(r"[:#=]|\b(?:no|number|num|id|nr|code)\b")
_SSN = re.compile(r"(?<![\w.-])(\d{3})([- ])(\d{2})\2(\d{4})(?![\w]|-\d)")
_HIDDEN_SSN = re.compile(r"-?\d{4}(?!\w)")
_HIDDEN = re.compile(r"(?<![\w-])[xX*#]{3}-?[xX*#]{2}-$")
_LONG = re.compile(
    r"(?<![\w.,/$-])[A-Z]{0,5}-?\d{6,18}[A-Z]{0,2}(?![\w/]|[.,-]\d|\s?(?:mg|ml|units|IU|cells|"
    r"copies)\b)"
)
_MIXED = re.compile(
    r"(?<![\w./-])(?=[\w-]{5,30}(?![\w-]))(?:[A-Z]{1,5}\d{0,3}-\d{2,10}(?:-\d{1,8})*|"
    r"\d{2}-?[A-Z]{1,3}-?\d{3,8}|[A-Z]{1,3}\d{2}-\d{3,8}|"
    r"[A-Z]{2,5}-\d{2,4}-[A-Z0-9]{2,8}(?:-[A-Z0-9]{1,8})?|[A-Z]{1,4}\d{5,12}[A-Z]?)(?![\w-])"
)
_VIN = re.compile(r"(?<![\w-])(?=[A-HJ-NPR-Z0-9]{17}(?!\w))(?=[A-Z]{0,16}\d)[A-HJ-NPR-Z0-9]{17}")
_VIN_VALUES = dict(
    zip("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "012345678912345678123457923456789"), strict=True)
)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def find(text: str) -> list[Span]:
    """Every identifier that a word announces or whose shape gives it away."""
    return [*_announced(text), *_ssn(text), *_vin(text), *_shapes(text)]


def _announced(text: str) -> Iterator[Span]:
    lower = lowered(text)
    labels = cue_labels()
    for start, end, cue in cues().find(text):
        if cue == "dl" and text[start - 1 : start] == "/":
            continue  # mg/dL
        label, strong = labels[cue]
        gap = _GAP.match(lower, end)
        begin = gap.end() if gap else end
        if begin == end and not cue.endswith("#") and lower[end : end + 1].isalnum():
            continue
        if label in ("VEHICLE", "LICENSE") and (state := _STATE.match(text, begin)):
            begin = state.end()
        value = _value(text, begin)
        if value is None:
            continue
        signed = cue.endswith("#") or bool(_SIGN.search(lower[end:begin]))
        digits = sum(char.isdigit() for char in text[begin:value])
        if not _enough(text[begin:value], digits, strong, signed):
            continue
        if not strong and not text[start].isupper() and not signed:
            continue
        yield Span(begin, value, label, 0.95 if strong else 0.8, f"{SOURCE}-{label.lower()}")


def _value(text: str, begin: int) -> int | None:
    """Where the value that starts at `begin` ends; groups of digits apart by one blank belong to it."""
    match = _VALUE.match(text, begin)
    if match is None:
        return None
    word = match.group()
    if _is_date(word) or _CLOCK.fullmatch(word):
        return None
    end = match.end()
    if any(char.isdigit() for char in word) or (word.isupper() and len(word) <= 4):
        group = _GROUP.match(text, end)
        while group and end - begin < 40:
            end = group.end()
            group = _GROUP.match(text, end)
    return end


def _is_date(word: str) -> bool:
    from deidlab.rules.dates import is_day

    return bool(_DATE.fullmatch(word)) and is_day(*re.split(r"[-/.]", word))


def _enough(value: str, digits: int, strong: bool, signed: bool) -> bool:
    if digits < 2 or (_PLAIN_NUMBER.fullmatch(value) and (not signed or digits < 3)):
        return False
    if value[:1].isalpha() and value.rstrip("0123456789").isalpha() and value.islower() and digits < 3:
        return False
    return digits >= (2 if strong and signed else 3 if strong else 4) and (strong or signed or digits >= 5)


def _ssn(text: str) -> Iterator[Span]:
    from stdnum.us import ssn

    for match in scan(_HIDDEN_SSN, text, long_starts(text)):
        front = _HIDDEN.search(text[max(match.start() - 8, 0) : match.start()])
        if front:
            yield Span(match.start() - len(front.group()), match.end(), "SSN", 0.9, "rules:ssn")
    for match in scan(_SSN, text, long_starts(text)):
        if ssn.is_valid(f"{match[1]}-{match[3]}-{match[4]}"):
            yield Span(*match.span(), "SSN", 0.97 if match[2] == "-" else 0.8, "rules:ssn")
        else:
            yield Span(*match.span(), "IDNUM", 0.6, "rules:ssn")


def _vin(text: str) -> Iterator[Span]:
    for match in scan(_VIN, text, unbroken_starts(text)):
        yield Span(*match.span(), "VEHICLE", 0.98 if is_vin(match.group()) else 0.45, "rules:vin")


def is_vin(value: str) -> bool:
    """Whether 17 characters carry the check digit of a vehicle identification number."""
    if len(value) != 17 or any(char not in _VIN_VALUES for char in value):
        return False
    total = sum(_VIN_VALUES[char] * weight for char, weight in zip(value, _VIN_WEIGHTS, strict=True))
    return value[8] == "0123456789X"[total % 11]


def _shapes(text: str) -> Iterator[Span]:
    """Long numbers and mixed codes that nothing announces: less certain, but no clinical value looks so."""
    for match in scan(_LONG, text, wide_starts(text)):
        digits = sum(char.isdigit() for char in match.group())
        yield Span(*match.span(), "IDNUM", 0.6 if digits >= 7 else 0.45, "rules:id-shape")
    for match in scan(_MIXED, text, unbroken_starts(text)):
        digits = sum(char.isdigit() for char in match.group())
        yield Span(*match.span(), "IDNUM", 0.55 if digits >= 4 else 0.3, "rules:id-shape")
