"""Text in, phone, pager and fax numbers with their extensions out."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import long_starts, scan
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:phone"
_EXTENSION = r"(?:,?[ ]{0,2}(?:x|ext\.?|extn\.?|extension|#)[ .:]{0,2}\d{1,6}(?!\w))?"
_LIKE = re.compile(
    rf"(?<![\w./$-])(?<!\d[ ,])(?:\+|"
    rf"00)?\(?\d{{1,5}}\)?(?:[ .\-–/]{{1,3}}\(?\d{{2,5}}\)?){{1,4}}{_EXTENSION}(?![\w/%]|"
    rf"[.,:-]\d)"
    rf"|(?<![\w.,/$-])\+?\d{{10,13}}{_EXTENSION}(?![\w/%]|[.,:-]\d)"
)
# No phone number has fewer digits before its extension.
_FIVE = re.compile(r"[0-9](?:[-./ ()–]{0,5}[0-9]){4}")
_NANP = re.compile(r"(?:\+?1[ .-]{0,2})?(?:\([2-9]\d\d\)[ -]{0,2}|[2-9]\d\d[-. /]{1,3})\d{3}[-. ]{1,3}\d{4}")
_LOCAL = re.compile(r"[2-9]\d\d-\d{4}")
_GROUPED = re.compile(
    r"0\d{2,4} \d{3,4} \d{3,4}|\(0\d{1,4}\) ?\d{3,4} ?\d{3,4}|0\d{4} \d{5,6}|0\d{2} \d{4} "
    r"\d{4}|[6-9]\d{2} \d{3} \d{3}"
)
_PHONE_CUES = cue_words("phones", "phone_cues")
_PAGER_CUES = cue_words("phones", "pager_cues")
_FAX_CUES = cue_words("phones", "fax_cues")
_AFTER_CUE = re.compile(
    r"[\s:#.=(-]{0,6}(?:(?:no|number|num|at|to|is|on|id|us|me|her|him)\b[\s:#.=(-]{0,4}){0,2}"
)
_SHORT = re.compile(r"\(?[0-9*#](?:[0-9]|[-. ](?=[0-9])){2,15}(?!\w|[/:.]\d)")


@functools.cache
def _cues() -> Cues:
    return Cues((*_PAGER_CUES, *_FAX_CUES))


def find(text: str) -> list[Span]:
    """Every phone, pager and fax number."""
    return [*_numbers(text), *_announced(text)]


def _numbers(text: str) -> Iterator[Span]:
    lower = lowered(text)
    for match in scan(_LIKE, text, _starts(text)):
        start, end = match.span()
        digits = sum(char.isdigit() for char in match.group())
        if not 7 <= digits <= 20:
            continue
        cue = last_cue(lower[max(start - 28, 0) : start])
        score = _certainty(match.group(), bool(cue))
        if score:
            yield Span(start, end, "FAX" if cue == "fax" else "PHONE", score, SOURCE)


_LONG_FIRST = sorted(map(re.escape, (*_PHONE_CUES, *_FAX_CUES, *_PAGER_CUES)), key=len, reverse=True)
_CUE_BEFORE = re.compile(
    rf"(?:^|[^a-z])({'|'.join(_LONG_FIRST)})"
    r"(?:[\s:#.=()-]|no|number|at|is|on|to|us|cell|home|work|her|him|me|direct|after hours)*$"
)


def last_cue(before: str) -> str:
    """The kind of number that the lower-case text before one announces, if any."""
    match = _CUE_BEFORE.search(before)
    if match is None:
        return ""
    return "fax" if match[1] in _FAX_CUES else "phone"


def _certainty(value: str, announced: bool) -> float:
    bare = re.split(r"[,]?\s{0,2}(?:x|ext|#)", value, maxsplit=1)[0].strip()
    if _NANP.fullmatch(bare):
        return 0.97 if announced else 0.93
    if _LOCAL.fullmatch(bare):
        return 0.9 if announced else 0.7
    if announced and sum(char.isdigit() for char in bare) >= 7:
        return 0.95
    if _valid_somewhere(bare):
        return 0.85 if bare.startswith(("+", "0", "(")) else 0.6
    return 0.7 if _GROUPED.fullmatch(bare) or bare.startswith("+") else 0.0


def _starts(text: str) -> list[int]:
    """Starts of numbers, moved back over an opening bracket and a plus sign."""
    starts = []
    for start in long_starts(text):
        if not _FIVE.match(text, start):
            continue
        while start and text[start - 1] in "(+":
            start -= 1
        starts.append(start)
    return starts


def _regions(value: str) -> tuple[str | None, ...]:
    """The countries whose numbers are so long and begin so; asking all of them is slow."""
    digits = re.sub(r"\D", "", value)
    if value.startswith(("+", "00")):
        return (None,)
    if digits[0] == "0":
        return ("GB", "AU", "IE", "IN") if 9 <= len(digits) <= 12 else ()
    if len(digits) == 9:
        return ("ES",) if digits[0] in "6789" else ()
    if len(digits) == 10:
        return ("US", "IN") if digits[0] in "6789" else ("US",)
    return ("US",) if len(digits) == 11 and digits[0] == "1" else ()


def _valid_somewhere(value: str) -> bool:
    import phonenumbers

    regions = _regions(value)
    for region in regions:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(value, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _announced(text: str) -> Iterator[Span]:
    """Short numbers that only a word in front makes a pager, an extension or a fax."""
    lower = lowered(text)
    fax = frozenset(_FAX_CUES)
    for start, end, cue in _cues().find(text):
        gap = _AFTER_CUE.match(lower, end)
        begin = gap.end() if gap else end
        match = _SHORT.match(text, begin)
        digits = sum(char.isdigit() for char in match.group()) if match else 0
        if match is None or digits < 3 or (cue in ("page", "pg") and digits < 4):
            continue
        opener = start if cue.startswith("ext") else begin
        yield Span(opener, match.end(), "FAX" if cue in fax else "PHONE", 0.88, SOURCE)
