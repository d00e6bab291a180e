"""French text in, telephone and fax numbers out: of France, Québec, Belgium, Switzerland, Africa.

A number that some country has counts by itself where it is grouped as people write it there; others need a
word in front. An extension (`poste 1234`) is a number of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.words import cue_words
from deidlab.rules import phones
from deidlab.rules.numbers import long_starts, scan
from deidlab.rules.openings import Openings, places_of
from deidlab.types import Span

SOURCE = phones.SOURCE
_REGIONS = (
    "FR",
    "BE",
    "CH",
    "LU",
    "MA",
    "DZ",
    "TN",
    "SN",
    "CI",
    "ML",
    "BF",
    "CM",
    "TG",
    "BJ",
    "GN",
    "CD",
    "MG",
)
_GROUPED = re.compile(
    r"(?<![\w.,/$-])(?<!\d )(?:0[1-9](?:[ .-]?\d\d){4}|0[1-9](?:[ .-]\d{3}){2}[ .-]?\d\d|"
    r"0[1-9]\d\d?[ /.]\d{2,3}(?:[ .]\d\d){2,3}|0\d/\d{2,3}[ .]?\d\d[ .]?\d\d|"
    r"0[1-9]\d \d{3} \d\d \d\d|0[1-9] \d{3} \d{3}|[2-79]\d \d{3} \d\d \d\d|[2-79]\d \d{3} \d{3}|(?:0[157]|"
    r"2[57])(?: \d\d){4})(?![\w/%]|[.,:-]\d| \d)"
)
_FOREIGN = re.compile(
    r"(?<![\w.])(?:\+|00)\d{1,3}[ .]?(?:\(0\)[ .]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,5}(?![\w/%]|[.,:-]\d)"
)
_CUE = "|".join(sorted(map(re.escape, cue_words("phone_cues")), key=len, reverse=True))
_FAX = "|".join(sorted(map(re.escape, cue_words("fax_cues")), key=len, reverse=True))
_SAID = (
    r"(?:[\s:.()=/°-]|n[°º]|no\b|num[ée]ro|au|de|du|la|le|son|sa|fils|fille|mère|père|domicile|maison|"
    r"travail|perso|"
    r"professionnel|personnel|portable|mobile|direct|secrétariat|bureau|cell|fixe|urgences?){0,10}"
)
_CUED = re.compile(
    rf"(?<!\w)(?:(?P<fax>{_FAX})|(?:{_CUE})){_SAID}(?P<it>(?:\+|"
    rf"00)?\(?\d(?:[ ./()-]{{0,2}}\d){{5,14}})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_EXTENSION = re.compile(
    r"(?<!\w)(?:postes?|ext\.?|bip|dect|p\.(?=\d)|#|téléavertisseur|pagette|"
    r"pager)(?: n[°º])?[ :]{0,2}(?P<it>\d{3,6}(?:-\d{3,4})?)(?![\w/%]|[.,]\d)",
    re.IGNORECASE,
)  # fmt: skip
_OPENINGS = Openings(
    (_CUED, f"{_FAX}|{_CUE}"),
    # A mark is a blank there: `p.`.
    (_EXTENSION, "poste|ext|bip|dect|p |téléavertisseur|pagette|pager", places_of("#")),
)
_NORTH = re.compile(
    r"(?<![\w.,/$-])(?<!\d )(?:\+?1[ .-]{1,2})?\(?[2-9]\d\d\)?[ .-]{1,2}[2-9]\d\d[ .-]\d{4}(?![\w/%]|"
    r"[.,:-]\d)"
)
_FEWEST, _MOST = 6, 15


def find(text: str) -> list[Span]:
    """Every telephone and fax number."""
    return [*_cued(text), *_alone(text)]


def _cued(text: str) -> Iterator[Span]:
    for number, match in _OPENINGS.find(text):
        if number:
            yield Span(*match.span("it"), "PHONE", 0.88, SOURCE)
        elif _FEWEST <= sum(map(str.isdigit, match["it"])) <= _MOST:
            yield Span(*match.span("it"), "FAX" if match["fax"] else "PHONE", 0.96, SOURCE)


def _alone(text: str) -> Iterator[Span]:
    starts = sorted({*long_starts(text), *(start - 1 for start in long_starts(text) if start)})
    for match in (*scan(_NORTH, text, starts), *scan(_FOREIGN, text, starts)):
        yield Span(*match.span(), "PHONE", 0.9, SOURCE)
    for match in scan(_GROUPED, text, long_starts(text)):
        if _is_valid(match.group()):
            yield Span(*match.span(), "PHONE", 0.88, SOURCE)


def _is_valid(value: str) -> bool:
    import phonenumbers

    for region in _REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(value, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False
