"""French text in, addresses out: streets with their numbers, post boxes, postcodes and towns beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.words import PLAIN, cue_words, is_never
from deidlab.rules.numbers import digit_starts, scan
from deidlab.rules.openings import Openings, numbers_before
from deidlab.rules.person import LOWER, UPPER, capital_starts
from deidlab.types import Span

STREET, POSTCODE, ADDRESS = "rules:street", "rules:postcode", "rules:address"
_WAYS = "|".join(sorted(map(re.escape, cue_words("ways")), key=len, reverse=True))
_JOINTS = (
    r"(?:(?:de la|de|du|des|la|le|les|à|aux|au|et|sur|en|DE LA|De La|DE|De|DU|Du|DES|Des|LA|La|LE|Le) |"
    r"(?:de )?[dDlL]['’]){0,3}+"
)
_NUMBER = r"\d{1,5}(?:[ -]?(?:bis|ter|quater|BIS|TER|[A-Da-d]))?(?: ?[-/] ?\d{1,5})?(?:,| ,)? "
_LONGEST_NUMBER = 24
_NAMED = (
    rf"{_JOINTS}(?:{PLAIN}|\d{{1,3}}(?:er|e|ère|ème)?|[{UPPER}]\.|[Ss]te?\.)(?!\w)"
    rf"(?:[ -]{_JOINTS}(?:{PLAIN}|[{UPPER}]\.(?= [{UPPER}])|1[89]\d\d(?!\d)|(?:[Nn]ord|[Ss]ud|[Ee]st|"
    rf"[Oo]uest)\b)){{0,5}}+"
)
# Without a capital only a number tells that it is a street: 12 rue des lilas.
_SMALL_NAMED = rf"(?:de la|du|des|de l['’]|de) ?[{LOWER}]{{3,20}}(?:-[{LOWER}]{{2,20}}){{0,3}}"
_FLAT = (
    r"(?:,? (?:app(?:t|artement)?\.?|apt\.?|bât(?:iment)?\.?|bat\.?|esc(?:alier)?\.?|porte|bo[îi]te|bte|"
    r"étage|étg|bureau|unité|local)"
    r" ?[A-Z0-9][\dA-Z-]{0,4}(?!\w)|, n[°o] ?\d{1,5}|,? (?:n[°º] ?)?\d{1,4}[A-Z]?(?=[,;\n]| à | \d{4}|$))"
)
_WAY = rf"(?i:{_WAYS})(?!\w) "
_PATTERNS = (
    # 12, rue des Lilas; 3 bis avenue Jean-Jaurès; 1455 boul. De Maisonneuve Ouest, app. 3
    (re.compile(rf"(?<![\w.,/-]){_NUMBER}{_WAY}(?P<named>{_NAMED}|{_SMALL_NAMED})(?i:{_FLAT}){{0,3}}"), 0.95,
     numbers_before(_WAYS, _LONGEST_NUMBER)),
    # rue de la Loi 16; Rue du Rhône, 14
    (re.compile(rf"(?<![\w.,/'’-]){_WAY}(?P<named>{_NAMED})(?i:{_FLAT}){{1,3}}"), 0.93, _WAYS),
    (re.compile(rf"(?<![\w.,/'’-]){_WAY}(?P<named>{_NAMED})"), 0.8, _WAYS),
)  # fmt: skip
_BOX = re.compile(
    r"(?<!\w)(?:B\.?P\.?|C\.?P\.?|C\.S\.|CS|[Cc]ase postale|[Bb]oîte postale|TSA) ?(?:n° ?)?\d{2,6}(?!\w)"
)
_STREETS = Openings(
    *((pattern, opening) for pattern, _, opening in _PATTERNS),
    (_BOX, "bp|b p|cp|c p|c s|cs|case|bo[îi]te|tsa"),
)
_CANADA = re.compile(r"(?<!\w)[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d(?!\w)")
_TOWN = (
    rf"(?:(?:Le|La|Les|L['’]|LE|LA|LES|L['’])[ ]?)?{PLAIN}(?:(?:[ -](?:(?:sur|sous|en|le|la|les|de|du|des|"
    rf"lès|lez|et|à|aux|SUR|EN)[ -]){{0,2}}"
    rf"|[ -](?:de )?[dDlL]['’]){PLAIN}){{0,4}}(?: [Cc][Ee][Dd][Ee][Xx](?: \d{{1,2}})?)?"
)
_CODE_TOWN = re.compile(
    rf"(?<![\w.,/$:-])(?P<code>(?:[FBL]-|CH-|L )?(?:\d{{5}}|\d{{4}})) (?P<town>{_TOWN})(?! ?[:=%])"
)
_CUED_CODE = re.compile(r"\b(?:code postal|c\.p\.|cp)[ :]{1,3}(?P<it>\d{4,5})(?!\w)", re.IGNORECASE)
_CUED_CODES = Openings((_CUED_CODE, "code postal|c p|cp"))
_CANADIAN_TOWN = re.compile(
    rf"(?P<town>{_TOWN})(?: \((?P<state>Québec|Qu[ée]\.?|Qc|QC|Ontario|Ont\.?|ON|N\.-B\.|NB|Manitoba|"
    rf"Man\.)\)|,? (?P<short>QC|Qc|ON|NB|N\.-B\.|MB))"
)
_PROVINCE = re.compile(r" \(?(?:Qu[ée]|Qc|QC|Ont|ON|N\.-B\.|NB|Man|MB)")
_SWISS_OR_BELGIAN = re.compile(r"(?:CH-|B-|L-)?(?!(?:19|20)\d\d)[1-9]\d{3}")


def find(text: str) -> list[Span]:
    """Every part of an address."""
    return [*_streets(text), *_postcodes(text)]


def _streets(text: str) -> Iterator[Span]:
    for number, match in _STREETS.find(text):
        if number < len(_PATTERNS):
            words = re.findall(rf"[{UPPER}][{UPPER}{LOWER}]+", match["named"])
            telling = [word for word in words if word.lower() not in ("de", "du", "des", "la", "le")]
            if not telling or not is_never(telling[0]):
                yield Span(*match.span(), "STREET", _PATTERNS[number][1], STREET)
        else:
            yield Span(*match.span(), "STREET", 0.85, STREET)


def _postcodes(text: str) -> Iterator[Span]:
    for match in scan(_CANADA, text, capital_starts(text)):
        if match.group()[0] != "T" or " " in match.group():  # T2N1M0 is a tumour
            yield Span(*match.span(), "ZIP", 0.93, POSTCODE)
    for _, match in _CUED_CODES.find(text):
        yield Span(*match.span("it"), "ZIP", 0.93, POSTCODE)
    for match in scan(_CODE_TOWN, text, _code_starts(text)):
        code, town = match["code"], match["town"]
        if is_never(town.split(" ")[0].split("-")[0]) or (len(code) == 4 and not _is_code(text, match)):
            continue
        yield Span(*match.span("code"), "ZIP", 0.93, POSTCODE)
        yield Span(*match.span("town"), "CITY", 0.92, ADDRESS)
    for match in _CANADIAN_TOWN.finditer(text) if _PROVINCE.search(text) else ():
        place = match.lastgroup or "state"
        if not is_never(match["town"].split(" ")[0]):
            yield Span(*match.span("town"), "CITY", 0.92, ADDRESS)
            yield Span(*match.span(place), "STATE", 0.92, ADDRESS)


def _code_starts(text: str) -> list[int]:
    """Where a postcode may begin: with its number, or with the letter of its country."""
    return sorted((*digit_starts(text), *capital_starts(text)))


def _is_code(text: str, match: re.Match[str]) -> bool:
    """Four digits are a postcode before a listed town, or behind a street; a year or an amount is none."""
    from deidlab.languages.fr.rules.places import is_place
    from deidlab.rules.folding import fold_term

    if is_place(fold_term(match["town"])):
        return True
    before = text[max(0, match.start() - 3) : match.start()]
    return (
        _SWISS_OR_BELGIAN.fullmatch(match["code"]) is not None
        and re.search(
            r"\d, $|"
            r"[a-z], $",
            before,
        )
        is not None
    )
