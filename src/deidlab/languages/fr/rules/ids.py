"""French text in, numbers that identify out: by the word that announces them, or by their check digits.

Lot numbers are none: they name a product, not a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.words import cues_of
from deidlab.rules.numbers import long_starts, scan
from deidlab.rules.openings import Openings
from deidlab.rules.person import shouted_starts
from deidlab.types import Span

SOURCE = "rules:id"
_GAP = re.compile(
    r"\.?[\s:#=|(\"-]{0,4}(?:(?:n[º°o.]{1,2}|num(?:éro)?\.?|nr\.?|#)[\s:#.]{0,3}|(?:du|de la|de|est le|"
    r"est) )?(?=\w)",
    re.IGNORECASE,
)
# Parts with a digit in them, or a few capitals, with single marks between them.
_VALUE = re.compile(
    r"(?:[A-Z]{1,6}(?=[\d.\- /])|[A-Z]{0,6}\d[\dA-Z]{0,20})"
    r"(?:[ ./-]?(?=[\dA-Z.-]{0,20}\d)[\dA-Z]{1,20}|[/-][A-Z]{1,4}(?=[/-])){0,7}"
    r"(?:-?[A-Z\d]{1,3})?(?!\w)"
)
_DATE = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|(?:19|20)\d\d")
_FEWEST_DIGITS = 4
_VEHICLE = "plaque|immatriculée?|immatriculation|véhicule|auto|voiture|taxi"
_PLATES = Openings(
    (re.compile(r"(?<![\w-])[A-HJ-NP-TV-Z]{2}-\d{3}-[A-HJ-NP-TV-Z]{2}(?![\w-])"), shouted_starts),
    (re.compile(r"(?<![\w-])[1-9]-[A-Z]{3}-\d{3}(?![\w-])"), r"\d"),
    (re.compile(
        rf"\b(?:{_VEHICLE})\b[^.\n\d]{{0,24}}?"
        r"(?P<it>[A-Z]{2} ?\d{3} ?[A-Z]{2}|[A-Z]\d\d ?[A-Z]{3}|\d{1,3} ?[A-Z]{3} ?\d{1,3}|"
        r"[A-Z]{2,3} ?\d{2,6}|"
        r"\d{1,5} ?[-|] ?[A-Zأ-ي] ?[-|] ?\d{1,2}|\d{3} ?TUN ?\d{3,4})(?![\w-])"
    ), _VEHICLE),
)  # fmt: skip
_LOGIN = re.compile(r"[ :]{1,3}(?P<it>[a-zA-Z]{2,}[.\w-]*)")
# The social security numbers of France, Belgium and Switzerland, the health insurance number of Québec.
_NIR = re.compile(
    r"(?<![\w-])[12][ .]?\d\d[ .]?\d\d[ .]?(?:\d\d|"
    r"2[AB])[ .]?\d{3}[ .]?\d{3}(?:[ ./-]{0,3}\d\d)?(?![\w-]|[.,]\d)"
)
_NISS = re.compile(r"(?<![\w.-])\d\d[. ]?\d\d[. ]?\d\d[- .]?\d{3}[. -]?\d\d(?![\w-]|[.,]\d)")
_AVS = re.compile(r"(?<![\w.-])756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d(?![\w-]|[.,]\d)")
_NAM = re.compile(r"(?<![\w-])[A-Z]{4}[ -]?\d{4}[ -]?\d{4}(?![\w-])")


def find(text: str) -> list[Span]:
    """What a cue announces, what a check digit gives away, and plates."""
    spans = [*_checked(text), *_plates(text)]
    finder, labels = cues_of("ids")
    for start, end, cue in finder.find(text):
        label = labels[cue]
        place = _login(text, end) if label == "USERNAME" else _value(text, start, end, cue)
        if place is not None:
            spans.append(Span(*place, label, 0.92, SOURCE))
    return spans


def _checked(text: str) -> Iterator[Span]:
    from stdnum.be import nn
    from stdnum.ch import ssn
    from stdnum.fr import nir

    for match in scan(_NIR, text, long_starts(text)):
        bare = re.sub(r"\W", "", match.group())
        grouped = bare != match.group()
        if (len(bare) == 15 and nir.is_valid(bare)) or (grouped and _is_born(bare)):
            yield Span(*match.span(), "SSN", 0.97 if len(bare) == 15 else 0.85, SOURCE)
    for pattern, check in ((_NISS, nn.is_valid), (_AVS, ssn.is_valid)):
        for match in scan(pattern, text, long_starts(text)):
            if check(re.sub(r"\D", "", match.group())):
                yield Span(*match.span(), "SSN", 0.97, SOURCE)
    for match in scan(_NAM, text, shouted_starts(text)):
        month, day = (int(number) for number in re.findall(r"\d\d", re.sub(r"\W", "", match.group())[6:10]))
        if 1 <= month % 50 <= 12 and 1 <= day <= 31:
            yield Span(*match.span(), "HEALTHPLAN", 0.95, SOURCE)


def _is_born(nir: str) -> bool:
    """Whether a French number without its key has a month and a department where they belong."""
    return 1 <= int(nir[3:5]) <= 12 and (nir[5:7].isdigit() or nir[5:7] in ("2A", "2B"))


def _plates(text: str) -> Iterator[Span]:
    for _, match in _PLATES.find(text):
        yield Span(*match.span(match.lastgroup or 0), "VEHICLE", 0.85, SOURCE)


def _value(text: str, start: int, end: int, cue: str) -> tuple[int, int] | None:
    """A value of at least four digits, no date; short cues need their capitals, and a gap behind them."""
    gap = _GAP.match(text, end)
    value = _VALUE.match(text, gap.end()) if gap else None
    if gap is None or value is None or (len(cue) < 5 and cue.isalpha() and not text[start].isupper()):
        return None
    bare = gap.end() == end and not cue.endswith((".", "º", "°"))
    n_digits = sum(map(str.isdigit, value.group()))
    if bare or n_digits < _FEWEST_DIGITS or _DATE.fullmatch(value.group()):
        return None
    return value.span()


def _login(text: str, end: int) -> tuple[int, int] | None:
    """What follows `identifiant :`, if it looks like a login: numbers or a full stop in it, or capitals."""
    login = _LOGIN.match(text, end)
    if login is None:
        return None
    value = login["it"].rstrip(".-")
    if not (any(map(str.isdigit, value)) or value.isupper() or "." in value):
        return None
    return login.start("it"), login.start("it") + len(value)
