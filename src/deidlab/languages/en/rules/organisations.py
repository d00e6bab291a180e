"""Text in, hospitals, practices, schools, pharmacies and companies out, by their head words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.person import LOWER, UPPER, is_never
from deidlab.rules.wordlists import cue_table, cue_words
from deidlab.types import Span

SOURCE = "rules:organisation"
_HOSPITAL = cue_words("organisations", "hospital")
_ORGANISATION = cue_words("organisations", "organisation")
_AREA = cue_words("organisations", "area")
# Heads that everyday notes are full of: less certain.
_SOFT = frozenset(cue_words("organisations", "soft"))
_GENERIC = frozenset(cue_words("organisations", "generic"))
_CAP = rf"(?:[{UPPER}][{UPPER}{LOWER}\d'’.-]{{0,24}}|&|of|the|and|for|de|la|del|at|in|on|by|-|–)"
_FRONT = re.compile(rf"(?:(?<=[\s(\[,:;/|\"“'-])|^)(?:{_CAP}[ ]){{1,6}}$")
_BACK = re.compile(
    rf"[ ](?:of|at|in|for|de)(?: the)? (?:[{UPPER}][{UPPER}{LOWER}'’.-]{{1,24}}(?: |(?=\W)|"
    rf"$)){{1,3}}|,? (?:Inc|LLC|Ltd|PLLC|PC|NHS (?:Foundation )?Trust)\b\.?|[ ](?:Medical "
    rf"(?:Center|Centre)|Hospital|Campus|Clinic|Center|Centre|System)\b|-[{UPPER}][{LOWER}]+"
)
_HEAD_FIRST = re.compile(
    rf"(?:Hospital|Clínica|Centro de Salud|Centro Médico|Complejo Hospitalario|"
    rf"Ambulatorio|C\.S\.|Sanatorio|Residencia|Instituto|IES|Colegio|Universidad|Farmacia|"
    rf"Fundación|Clinica|Policlínico)(?: (?:Universitario|Universitaria|General|Clínico|"
    rf"Regional|Infantil|Comarcal|Provincial))?"
    rf"(?: (?:(?:de|del|la|las|los|el|y|San|Santa) ){{0,3}}[{UPPER}][{UPPER}{LOWER}'’.-]{{1,20}}){{1,4}}"
)


_CARE_FIRST = ("Ho", "Cl", "Ce", "Co", "Am", "C.", "Sa", "Re", "Po")


@functools.cache
def _cues() -> tuple[Cues, dict[str, str]]:
    labels = dict.fromkeys(_AREA, "LOCATION-OTHER")
    labels.update(dict.fromkeys(_ORGANISATION, "ORGANIZATION"))
    labels.update(dict.fromkeys(_HOSPITAL, "HOSPITAL"))
    return Cues(labels), labels


def find(text: str) -> list[Span]:
    """Every named institution."""
    cues, labels = _cues()
    spans: list[Span] = []
    for start, end, head in cues.find(text):
        if text[start].isupper() and text[start - 1 : start] in (" ", "\n") and start:
            spans += _named(text, start, end, head, labels[head])
    spans += _introduced(text)
    for match in _head_first(text):
        if is_never(lowered(match.group().rsplit(" ", 1)[-1])):
            continue
        label = "HOSPITAL" if match.group()[:2] in _CARE_FIRST else "ORGANIZATION"
        spans.append(Span(*match.span(), label, 0.85, SOURCE))
    return spans


def _head_first(text: str) -> Iterator[re.Match[str]]:
    """Matches that begin a word; a pattern that opens with a look behind would be slow to search for."""
    match = _HEAD_FIRST.search(text)
    while match:
        inside = match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] == "_")
        if not inside:
            yield match
        match = _HEAD_FIRST.search(text, match.start() + 1 if inside else match.end())


_INTRODUCED = cue_table("organisations", "introduced")
_PHRASE = re.compile(
    rf"(?:the )?([{UPPER}][{UPPER}{LOWER}\d'’&.-]{{1,24}}(?:[ ](?:(?:of|and|&|de|la|del|the) "
    rf")?[{UPPER}][{UPPER}{LOWER}\d'’&-]{{1,24}}){{0,4}})"
)
_UNITS = frozenset(cue_words("organisations", "units"))


@functools.cache
def _introductions() -> tuple[Cues, dict[str, str]]:
    labels = {cue: label for label, cues in _INTRODUCED.items() for cue in cues}
    return Cues(labels), labels


def _introduced(text: str) -> Iterator[Span]:
    """A capitalised phrase after words that a place or an institution must follow."""
    cues, labels = _introductions()
    for _start, end, cue in cues.find(text):
        gap = re.match(r"(?: ?:[ ]{1,12}| an? | )" if " " in cue else r" ?:[ ]{1,12}", text[end : end + 14])
        match = _PHRASE.match(text, end + gap.end()) if gap else None
        if match is None:
            continue
        words = [lowered(word).strip(".") for word in match[1].split(" ")]
        if words[0] in _UNITS or is_never(words[0]) or all(map(_is_generic, match[1].split(" "))):
            continue
        stop = match.start(1) + len(match[1].rstrip("."))
        yield Span(match.start(1), stop, labels[cue], 0.6, SOURCE)


def _named(text: str, start: int, end: int, head: str, label: str) -> Iterator[Span]:
    begin = max(start - 72, 0)
    match = _FRONT.search(text[begin:start])
    if match is None:
        return
    words = match.group().rstrip(" ").split(" ")
    place = begin + match.start()
    # What comes before the name: articles, prepositions, ends of the sentence before.
    while words and _leads_in(words):
        place += len(words.pop(0)) + 1
    # 'Verhoeven at Larchmont Clinic': whoever is before 'at' is no part of the name.
    while "at" in words:
        place += len(words.pop(0)) + 1
    distinctive = [word for word in words if not _is_generic(word)]
    if not distinctive and words and head in ("hospital", "university", "medical center", "clinic"):
        # The name may come behind: Children's Hospital of Denver.
        distinctive = [word for word in text[end : _extend(text, end)].split() if not _is_generic(word)]
    shouting = " ".join(words).isupper()
    if not distinctive or (shouting and head in _SOFT and len(text[start:end]) < 8):
        return
    stop = _extend(text, end)
    score = 0.6 if head in _SOFT else 0.9
    yield Span(place, stop, label, score, SOURCE)


_LEADING = ("the", "at", "to", "from", "in", "dr.", "mr.", "&", "-", "–")


def _leads_in(words: list[str]) -> bool:
    first = words[0]
    ends = first.endswith((".", ":")) and len(first) > 3 and lowered(first) not in ("mt.", "ft.", "st.")
    never = is_never(lowered(first)) and lowered(first) not in ("st", "general") and len(words) > 1
    return first.islower() or ends or never or lowered(first) in _LEADING


def _is_generic(word: str) -> bool:
    plain = lowered(word).strip(".")
    return word.islower() or plain in _GENERIC or is_never(plain) or not plain[:1].isalpha()


def _extend(text: str, end: int) -> int:
    for _ in range(2):
        match = _BACK.match(text, end)
        if match is None:
            break
        tail = match.group().rstrip(" ")
        last = tail.rsplit(" ", 1)[-1]
        if is_never(lowered(last).strip(".")):
            break
        end += len(tail.rstrip(".,"))
    return end
