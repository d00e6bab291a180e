"""Case and shape of a text in, another text of the same case and shape out.

Letters become letters, digits digits, all else stays; where the old number held a check digit, so does
the new.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from deidlab.mask.keys import Stream

# What a number is called may stand in its span.
_SAID = re.compile(
    r"(?:(?:DNI|NIE|NIF|NASS|MRN|SSN|NHS|SIN|NPI|DEA|VIN|ID|No|Nº|Num)\b\W*(?=\w)|#\s*(?=\w)){1,3}",
    re.IGNORECASE,
)
_TRIES = 500
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# VINs leave out I, O and Q.
_VIN_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"


def like_case(old: str, new: str) -> str:
    """UPPER, lower or Title as the old word; a mixed one (McKay) takes the new word as it is."""
    letters = [c for c in old if c.isalpha()]
    if letters and all(c.isupper() for c in letters) and (len(letters) > 1 or len(new) == 1):
        return new.upper()
    if letters and all(c.islower() for c in letters):
        return new.lower()
    return new[:1].upper() + new[1:]


def scramble(stream: Stream, text: str, letters: bool = True) -> str:
    """Every digit, and every letter where asked, drawn anew; a first digit other than 0 stays so."""
    out: list[str] = []
    for index, c in enumerate(text):
        # Fractions and superscripts are numbers too, though no decimal digits.
        if c.isdecimal() or (c.isalnum() and not c.isalpha()):
            lead = c != "0" and not (index and text[index - 1].isdecimal())
            out.append(str(1 + stream.below(9)) if lead else str(stream.below(10)))
        elif (letters and c.isalpha()) or _is_drawn_letter(c):
            new = _LETTERS[stream.below(26)]
            out.append(new.upper() if c.isupper() else new)
        else:
            out.append(c)
    return "".join(out)


def _is_drawn_letter(c: str) -> bool:
    """Whether a symbol shows a letter (in a circle, a box, half of a flag)."""
    return c > "\u20ff" and unicodedata.category(c) == "So" and " LETTER " in unicodedata.name(c, "")


def another(stream: Stream, text: str, letters: bool = True) -> str:
    """The text scrambled into another one; the same only where it holds nothing to scramble."""
    for _ in range(_TRIES):
        new = scramble(stream, text, letters)
        if new != text:
            return new
    return text


def new_number(stream: Stream, text: str, label: str = "") -> str:
    """An identifier of the same shape, never the same one, valid where the old one was."""
    said = _SAID.match(text)
    if said and said.end() < len(text):
        return said.group() + _draw_number(stream, text[said.end() :], label)
    return _draw_number(stream, text, label)


def _draw_number(stream: Stream, text: str, label: str) -> str:
    scheme = find_scheme(text, label)
    for _ in range(_TRIES):
        candidate = scheme.draw(stream, text) if scheme else scramble(stream, text)
        if candidate != text and (scheme is None or scheme.valid(_bare(candidate))):
            return candidate
    return scramble(stream, text)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A kind of number: how it looks without separators, whether it is valid, which places it keeps."""

    name: str
    pattern: re.Pattern[str]
    valid: Callable[[str], bool]
    kept: tuple[int, ...] = ()
    letters: str = _VIN_LETTERS

    def draw(self, stream: Stream, text: str) -> str:
        """A number of that look: kept places stay, digits and letters are drawn, the check is made good."""
        bare = _bare(text)
        drawn = list(bare)
        for index, c in enumerate(bare):
            if index in self.kept:
                continue
            drawn[index] = (
                str(stream.below(10)) if c.isdigit() else self.letters[stream.below(len(self.letters))]
            )
        fixed = self._fix("".join(drawn))
        new = iter(fixed)
        return "".join(_as_case(c, next(new)) if c.isalnum() else c for c in text)

    def _fix(self, drawn: str) -> str:
        """The drawn number with the one place changed that makes it valid, where one does."""
        place = {"vin": 8, "medicare-au": 8}.get(self.name, len(drawn) - 1)
        choices = (
            _DNI if self.name in ("dni", "nie") else "0123456789X" if self.name == "vin" else "0123456789"
        )
        for choice in choices:
            fixed = drawn[:place] + choice + drawn[place + 1 :]
            if self.valid(fixed):
                return fixed
        return drawn


def find_scheme(text: str, label: str = "") -> Scheme | None:
    """The first kind of number that the text is a valid one of; None for any other identifier."""
    bare = _bare(text)
    for scheme in _SCHEMES:
        if scheme.name == "ssn" and label != "SSN" and not re.fullmatch(r"\s*\d{3}-\d{2}-\d{4}\s*", text):
            continue
        if scheme.pattern.fullmatch(bare) and scheme.valid(bare):
            return scheme
    return None


def luhn(number: str) -> bool:
    doubled = (sum(divmod(2 * int(c), 10)) for c in number[-2::-2])
    return (sum(doubled) + sum(int(c) for c in number[::-2])) % 10 == 0


def _ssn(number: str) -> bool:
    return (
        number[:3] not in ("000", "666") and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"
    )


def _nhs(number: str) -> bool:
    return (
        sum(int(c) * weight for c, weight in zip(number, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True)) % 11
        == 0
    )


def _npi(number: str) -> bool:
    return number[0] in "12" and luhn("80840" + number)


def _medicare(number: str) -> bool:
    total = sum(int(c) * w for c, w in zip(number[:8], (1, 3, 7, 9, 1, 3, 7, 9), strict=True))
    return number[0] in "23456" and total % 10 == int(number[8])


def _dni(number: str) -> bool:
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI[int(digits) % 23] == number[-1]


def _dea(number: str) -> bool:
    d = [int(c) for c in number[2:]]
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def _vin(number: str) -> bool:
    values = {**{c: int(c) for c in "0123456789"}, **dict(zip("ABCDEFGH", range(1, 9), strict=True)),
              **dict(zip("JKLMN", range(1, 6), strict=True)), "P": 7, "R": 9,
              **dict(zip("STUVWXYZ", range(2, 10), strict=True))}  # fmt: skip
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(values[c] * w for c, w in zip(number, weights, strict=True)) % 11
    return number[8] == ("X" if rest == 10 else str(rest))


_SCHEMES = (
    Scheme("vin", re.compile(r"[A-HJ-NPR-Z0-9]{8}[0-9X][A-HJ-NPR-Z0-9]{8}"), _vin),
    Scheme("nie", re.compile(r"[XYZ]\d{7}[A-Z]"), _dni, kept=(0,)),
    Scheme("dni", re.compile(r"\d{8}[A-Z]"), _dni),
    Scheme("dea", re.compile(r"[A-Z][A-Z]\d{7}"), _dea, kept=(0,)),
    Scheme("ssn", re.compile(r"\d{9}"), _ssn),
    Scheme("sin", re.compile(r"\d{9}"), luhn, kept=(0,)),
    Scheme("nhs", re.compile(r"\d{10}"), _nhs),
    Scheme("npi", re.compile(r"[12]\d{9}"), _npi, kept=(0,)),
    Scheme("medicare-au", re.compile(r"[2-6]\d{9,10}"), _medicare, kept=(0,)),
    Scheme("card", re.compile(r"\d{13,19}"), luhn, kept=(0,)),
)


def _bare(text: str) -> str:
    return "".join(_one_upper(c) for c in text if c.isalnum())


def _one_upper(c: str) -> str:
    """A capital for a character, never two (ß): a place in the number is a place in the text."""
    return upper if len(upper := c.upper()) == 1 else c


def _as_case(old: str, new: str) -> str:
    return new.lower() if old.islower() else new
