"""Text in, addresses out: streets, post boxes, ZIP and postcodes, and the city and state beside them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import letter_starts, long_starts, scan, wide_starts
from deidlab.rules.person import LOWER, UPPER, is_never
from deidlab.rules.wordlists import cue_words, is_everyday, word_list
from deidlab.types import Span

STREET, POSTCODE, ADDRESS = "rules:street", "rules:postcode", "rules:address"
_SUFFIXES = cue_words("places", "suffixes")
_BEFORE_SUFFIX = re.compile(
    rf"(?<![\w.,/$-])(?:(?:flat|apt\.?|unit|suite|plot|no\.?)[ ]?\d{{1,4}}[A-Za-z]?,? "
rf")?\d{{1,6}}(?:-\d{{1,5}})?[A-Za-z]?(?: 1/2)?,? "
    rf"(?:(?:[NSEW]|NE|NW|SE|SW)\.? |North |South |East |West |Old |St\.? |Mt\.? )?"
    rf"(?:(?:[{UPPER}][{UPPER}{LOWER}'’.-]{{0,25}}|\d{{1,3}}(?:st|nd|rd|th)) ){{1,4}}$", re.IGNORECASE
)  # fmt: skip
_UNIT = re.compile(
    r",?[ ](?:(?:apt|apartment|unit|suite|ste|flat|rm|lot|bldg|fl|floor|"
    r"no)\.?[ ]?#?[ ]?[A-Za-z]?-?\d{0,5}[A-Za-z]?|#[ ]?\w{1,5})(?!\w)|[ ](?:NE|NW|SE|SW|N|S|E|"
    r"W)\b(?!\.)",
    re.IGNORECASE,
)
_BOX = re.compile(r"[ #:]{0,3}\d{1,7}")
_RURAL = re.compile(r"(?<!\w)rr ?#?\d{1,3},? $")
_BOX_CUES = cue_words("places", "box_cues")
_ROAD_CUES = cue_words("places", "road_cues")
_ZIP_CUES = cue_words("places", "zip_cues")
_WAY_FIRST = re.compile(
    rf"[ ]?(?:(?:de|del|la|las|los|el|d[eo]|da) ){{0,3}}[{UPPER}][{UPPER}{LOWER}'’.-]{{1,20}}"
    rf"(?: (?:(?:de|del|la|las|los|y|i) "
    rf"){{0,3}}[{UPPER}][{UPPER}{LOWER}'’.-]{{1,20}}){{0,4}}(?:,? (?:nº|n°|núm\.?|n\.|s/n)? "
    rf"?\d{{0,4}}[A-Z]?)?(?:,? ?\d{{1,2}}[ºª°]?[ ]?[A-Z]?(?!\w))?"
)
_CANADA = re.compile(r"(?<!\w)[ABCEGHJ-NPRSTVXYabceghj-nprstvxy]\d[A-Za-z][ -]?\d[A-Za-z]\d(?!\w)")
_BRITAIN = re.compile(
    r"(?<![\w/-])(?:[A-PR-SUWYZ][A-HK-Y]?\d[A-Z\d]?|T[ADFNQRSW]\d{1,2}|"
    r"GIR)[ ]{1,2}\d[ABD-HJLNP-UW-Z]{2}(?![\w/-])"
)
_IRELAND = re.compile(
    r"(?<![\w-])(?:[AC-FHKNPRTV-Y]\d[0-9W])[ ]?(?=\w{0,3}\d|"
    r"[A-Z]{4})[0-9AC-FHKNPRTV-Y]{4}(?![\w-])"
)
_ZIP4 = re.compile(r"(?<![\w./$#-])\d{5}-\d{4}(?![\w-])")
_CUED = re.compile(r"[\s:.#=]{1,4}(\d{4,6}(?:-\d{4})?|[A-Z0-9]{3,4} ?[A-Z0-9]{3,4})(?!\w)", re.IGNORECASE)
US_STATES = frozenset(cue_words("places", "us_states"))
_OTHER_STATES = frozenset(cue_words("places", "other_states"))
_ZIP = re.compile(r"(?:\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z][ ]?\d[A-Z]\d)(?![\w/-]|[.,]\d)")
_STATE_BEFORE = re.compile(r"(?<![\w-])([A-Z]{2,3}|[A-Z]\.[A-Z]\.)(?:,?[ ]{1,3}|[ ]*\n[ ]*)$")
_COMMA_STATE = re.compile(r",[ ]?([A-Z]{2,3})(?![\w'’/&-])")
_CITY_BEFORE = re.compile(
    rf"(?:^|(?<=[\s,.;:(|]))((?:(?:St\.?|Ft\.?|Mt\.?|[{UPPER}][{UPPER}{LOWER}'’-]{{1,24}}|"
    rf"(?:of|de|del|la|los|on|upon|by|under|sur)|"
    rf"[{UPPER}][{LOWER}]+-[\w-]{{2,20}})[ ]){{0,3}}[{UPPER}][{UPPER}{LOWER}'’-]{{1,24}})[ ]*$"
)
_TOWN_BEHIND_CODE = re.compile(
    rf"(?<![\w./$-])((?:0[1-9]|[1-4]\d|"
    rf"5[0-2])\d{{3}})[ ,-]{{1,3}}([{UPPER}][{LOWER}]{{2,20}}(?: (?:de |del |la |el "
    rf")?[{UPPER}][{LOWER}]{{2,20}}){{0,2}})"
)
_INDIAN = re.compile(r"[1-8]\d{5}(?![\w-])")
_INDIAN_CITY = re.compile(rf"([{UPPER}][{LOWER}]{{2,20}})(?:[ ]?[-–,][ ]?| )$")


@functools.cache
def _cues() -> Cues:
    return Cues(_SUFFIXES)


@functools.cache
def _other_cues() -> Cues:
    return Cues((*_BOX_CUES, *_ROAD_CUES, *_ZIP_CUES))


def find(text: str) -> list[Span]:
    """Every part of an address."""
    return [*_streets(text), *_postcodes(text), *_towns(text)]


def _streets(text: str) -> Iterator[Span]:
    for start, end, suffix in _cues().find(text):
        if text[end : end + 1].isdigit() or text[start - 1 : start] != " ":
            continue
        begin = max(start - 64, 0)
        match = _BEFORE_SUFFIX.search(text[begin:start])
        if match is None or not _street_like(match.group(), text[start:end]):
            continue
        stop = end
        unit = _UNIT.match(text, stop)
        stop = unit.end() if unit else stop
        yield Span(begin + match.start(), stop, "STREET", 0.95 if len(suffix) > 2 else 0.85, STREET)
    for start, end, cue in _other_cues().find(text):
        if cue in _BOX_CUES:
            box = _BOX.match(text, end)
            rural = _RURAL.search(lowered(text[max(start - 8, 0) : start])) if cue == "box" else None
            if box and (rural or cue != "box"):
                yield Span(start - len(rural.group()) if rural else start, box.end(), "STREET", 0.95, STREET)
        elif cue in _ROAD_CUES and text[start].isupper():
            road = _WAY_FIRST.match(text, end)
            if road:
                yield Span(start, end + len(road.group().rstrip(" ,")), "STREET", 0.85, STREET)


_MEASURES = frozenset(
    ["mg", "ml", "days", "units", "years", "hours", "weeks", "tabs", "patients", "minutes", "year", "day"]
)


def _street_like(front: str, suffix: str) -> bool:
    """A number, a word with a capital that is no unit or verb, then the suffix with a capital."""
    words = re.findall(r"[^\W\d_]{2,}|\d{1,3}(?:st|nd|rd|th)", front)
    if not suffix[0].isupper() and not all(word.islower() for word in words):
        return False
    if suffix[0].islower() and lowered(suffix) not in (
        "street",
        "avenue",
        "road",
        "lane",
        "boulevard",
        "ave",
        "blvd",
    ):
        return False
    return bool(words) and not any(word.lower() in _MEASURES or is_never(word.lower()) for word in words)


def _postcodes(text: str) -> Iterator[Span]:
    for pattern, score in ((_CANADA, 0.93), (_BRITAIN, 0.9), (_IRELAND, 0.85), (_ZIP4, 0.8)):
        for match in scan(pattern, text, long_starts(text) if pattern is _ZIP4 else letter_starts(text)):
            if pattern is _CANADA and match.group()[0] in "Tt" and " " not in match.group():
                continue  # T2N1M0 is a tumour
            yield Span(*match.span(), "ZIP", score, POSTCODE)
    for _, end, cue in _other_cues().find(text):
        cued = _CUED.match(text, end) if cue in _ZIP_CUES else None
        if cued and any(char.isdigit() for char in cued[1]):
            yield Span(*cued.span(1), "ZIP", 0.93, POSTCODE)
    for match in scan(_TOWN_BEHIND_CODE, text, long_starts(text)):
        if lowered(match[2]) in word_list("cities") or lowered(match[2]) in word_list("states"):
            yield Span(*match.span(1), "ZIP", 0.9, POSTCODE)
            yield Span(*match.span(2), "CITY", 0.9, ADDRESS)
    for match in scan(_INDIAN, text, long_starts(text)):
        begin = max(match.start() - 24, 0)
        city = _INDIAN_CITY.search(text[begin : match.start()])
        if city and lowered(city[1]) in word_list("cities"):
            yield Span(begin + city.start(1), begin + city.end(1), "CITY", 0.9, ADDRESS)
            yield Span(*match.span(), "ZIP", 0.9, POSTCODE)


def _towns(text: str) -> Iterator[Span]:
    """City, state and ZIP: `Tacoma, WA 98402`, `Carlton VIC 3053`, `Boise, ID`."""
    seen: set[int] = set()
    for match in scan(_ZIP, text, wide_starts(text)):
        begin = max(match.start() - 12, 0)
        found = _STATE_BEFORE.search(text[begin : match.start()])
        state = found[1].replace(".", "") if found else ""
        if found and ((state in US_STATES and len(match.group()) >= 5) or state in _OTHER_STATES):
            place = begin + found.start(1)
            seen.add(place)
            yield Span(place, begin + found.end(1), "STATE", 0.95, ADDRESS)
            yield Span(*match.span(), "ZIP", 0.95, ADDRESS)
            yield from _city(text, place, 0.9)
    for match in _COMMA_STATE.finditer(text):
        if match.start(1) in seen or match[1] not in US_STATES | _OTHER_STATES:
            continue
        for city in _city(text, match.start(), 0.85):
            name = lowered(text[city.start : city.end])
            listed = name in word_list("cities")
            if not listed and match[1] in _DEGREE_LIKE:
                continue
            yield Span(city.start, city.end, "CITY", 0.92 if listed else 0.6, ADDRESS)
            yield Span(*match.span(1), "STATE", 0.92 if listed else 0.6, ADDRESS)


_DEGREE_LIKE = frozenset(cue_words("places", "degree_like"))


def _city(text: str, stop: int, score: float) -> Iterator[Span]:
    begin = max(stop - 48, 0)
    window = text[begin:stop].rstrip(" ,\n")
    match = _CITY_BEFORE.search(window.rsplit("\n", 1)[-1])
    if match is None:
        return
    start = begin + window.rfind("\n") + 1 + match.start(1)
    words = match[1].split(" ")
    while len(words) > 1 and (
        is_never(lowered(words[0])) or words[0].islower() or lowered(words[0]) in _SUFFIXES
    ):
        start += len(words.pop(0)) + 1
    name = " ".join(words)
    if is_never(lowered(name)) or (is_everyday(lowered(name)) and score < 0.9):
        return
    yield Span(start, start + len(name), "CITY", score, ADDRESS)
