"""Text in, identifiers with valid check digits out: of any country if announced, some by shape; plates."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from deidlab.rules import announced
from deidlab.rules.folding import lowered
from deidlab.rules.numbers import letter_starts, long_starts, number_starts, scan, wide_starts
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:national"
_DIGITS = re.compile(r"(?<![\w.,/+-])\d(?:[ -]?\d){7,11}(?:[ -]?[A-Z]{1,2}(?!\w))?(?![\w:]|[.,/-]\d)")
_LETTERED = re.compile(
    r"(?<![\w-])(?:[XYZ][- ]?\d{7}[- ]?[A-Z]|[A-Z]{4} ?\d{4} ?\d{4}(?! \d{4})|[A-Z]{5}\d{4}[A-Z]|"
    r"[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
    r"|\d{7}[A-W][A-IW]?|\d{2}/\d{7,8}/\d{2}|\d{2}\.?\d{3}\.?\d{3}[- ]?[A-Z])(?![\w-])"
)
_PHONE = re.compile(r"\d{3}-\d{3}-\d{4}|\d{2}-\d{3}-\d{4}")
_UK_PLATE = re.compile(r"(?<![\w-])[A-HJ-PR-Y][A-HJ-PR-Y](?:0[2-9]|[1-7]\d) [A-HJ-PR-Z]{3}(?![\w-])")
_TURKISH_PLATE = re.compile(
    r"(?<![\w.,/:-])(?:0[1-9]|[1-7]\d|8[01]) ([A-PR-VYZ]{2,3}) \d{2,4}(?![\w%/]|[.,:-]\d|\s?(?:mg|ml|mcg)\b)"
)
_NO_PLATE = frozenset(cue_words("plates", "units"))
# Check digits of short numbers hold by chance once in ten or eleven: an apt word nearby makes them certain.
_NEAR = {
    "MEDICALRECORD": re.compile(r"nhs|chi|h&c|hospital"),
    "HEALTHPLAN": re.compile(r"health|card|ohip|phn|medicare|ramq|plan|msp|hcn"),
    "IDNUM": re.compile(
        r"sin|social insurance|tfn|tax|dni|nie|nif|pps|aadha|uid|seguridad|nss|insurance|pan\b|"
        r"document|doc\b|ni no"
    ),
}


@functools.cache
def _checks() -> tuple[tuple[int, str, Callable[[str], bool]], ...]:
    """Number of digits, label and check of every identifier made of digits."""
    from stdnum import luhn
    from stdnum.au import tfn
    from stdnum.ca import bc_phn, sin
    from stdnum.gb import nhs
    from stdnum.in_ import aadhaar

    return (
        (9, "IDNUM", sin.is_valid),
        (9, "IDNUM", tfn.is_valid),
        (10, "MEDICALRECORD", nhs.is_valid),
        (10, "HEALTHPLAN", bc_phn.is_valid),
        (10, "HEALTHPLAN", lambda value: value[0] in "123456789" and bool(luhn.is_valid(value))),
        (10, "HEALTHPLAN", is_medicare),
        (11, "HEALTHPLAN", is_medicare),
        (12, "IDNUM", aadhaar.is_valid),
        (12, "IDNUM", is_nss),
    )


def is_medicare(value: str) -> bool:
    """Whether 10 or 11 digits are an Australian Medicare card number."""
    weights = (1, 3, 7, 9, 1, 3, 7, 9)
    if len(value) not in (10, 11) or value[0] not in "23456":
        return False
    return sum(int(digit) * weight for digit, weight in zip(value, weights, strict=False)) % 10 == int(
        value[8]
    )


def is_nss(value: str) -> bool:
    """Whether 12 digits are a social security number of Spain: the last two are the rest by 97."""
    if len(value) != 12 or not 1 <= int(value[:2]) <= 66:
        return False
    number = int(value[2:10])
    body = int(value[:2]) * 10_000_000 + number if number < 10_000_000 else int(value[:10])
    return body % 97 == int(value[10:])


def find(text: str) -> list[Span]:
    """Every national identifier with a valid check digit."""
    return [*_numbers(text), *_lettered(text), *announced.find(text), *_plates(text)]


def _plates(text: str) -> Iterator[Span]:
    """Plates of the UK and of Turkey: a province, letters that are no unit, and a number."""
    padded = text + "\n" * 5
    british = [start for start in letter_starts(text) if padded[start + 4] == " "]
    turkish = [
        start for start in number_starts(text) if padded[start + 2] == " " and padded[start + 3].isupper()
    ]
    for match in scan(_UK_PLATE, text, british):
        yield Span(*match.span(), "VEHICLE", 0.85, "rules:plate")
    for match in scan(_TURKISH_PLATE, text, turkish):
        if match[1].lower() not in _NO_PLATE:
            yield Span(*match.span(), "VEHICLE", 0.7, "rules:plate")


def _numbers(text: str) -> Iterator[Span]:
    for match in scan(_DIGITS, text, long_starts(text)):
        bare = re.sub(r"\D", "", match.group())
        grouped = not match.group().isdigit()
        before = lowered(text[max(match.start() - 36, 0) : match.start()])
        phone = bool(_PHONE.fullmatch(match.group()))
        for length, label, check in _checks():
            if len(bare) != length:
                continue
            near = bool(_NEAR[label].search(before))
            # Checks cost time, and would hold by chance for one phone number in ten.
            if (near or (grouped and not phone)) and check(bare):
                yield Span(*match.span(), label, 0.97 if near else 0.75, SOURCE)


def _lettered(text: str) -> Iterator[Span]:
    from stdnum.es import dni, nie
    from stdnum.ie import pps
    from stdnum.in_ import pan

    for match in scan(_LETTERED, text, wide_starts(text)):
        value = re.sub(r"[ ./-]", "", match.group())
        if nie.is_valid(value) or dni.is_valid(value) or pps.is_valid(value) or pan.is_valid(value):
            yield Span(*match.span(), "IDNUM", 0.97, SOURCE)
        elif re.fullmatch(r"[A-Z]{4}\d{8}", value) and 1 <= int(value[6:8]) % 50 <= 12:
            yield Span(*match.span(), "HEALTHPLAN", 0.9, SOURCE)
        elif re.fullmatch(r"[A-Z]{2}\d{6}[A-D]", value):
            yield Span(*match.span(), "IDNUM", 0.85, SOURCE)
        elif value.isdigit() and is_nss(value):
            yield Span(*match.span(), "IDNUM", 0.97, SOURCE)
