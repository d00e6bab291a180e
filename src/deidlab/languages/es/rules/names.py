"""Spanish text in, people out whom something beside them gives away: a title, a label, a calling."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.languages.es.rules.words import (
    PARTICLES,
    TOKEN,
    cue_table,
    cue_words,
    is_given,
    is_known,
    is_listed,
    is_never,
    is_particle,
    word_list_of,
)
from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import scan
from deidlab.rules.openings import Openings
from deidlab.rules.person import INITIAL, LOWER, UPPER, WORD, capital_starts, fold_word, initial_starts
from deidlab.types import Span

SOURCE = "rules:name"
_PART = rf"(?:{WORD}|{INITIAL}(?![º°ª]))"
_NAME = re.compile(rf"{PARTICLES}{_PART}(?:,? ?(?<=[ .,]){PARTICLES}{_PART}){{0,5}}")
_SMALL = re.compile(rf"[{LOWER}'’-]{{2,20}}(?: {PARTICLES}[{LOWER}'’-]{{2,20}}){{0,3}}")
_CAPITALISED = rf"[{UPPER}][{LOWER}]{{2,20}}"
_TITLE = re.compile(r"(?:dr|dra|dres|drs|sr|sra|srta|don|doña|dña|d|dª|lic|prof|enf|due)\b[.ª]{0,2}[ ]{1,2}")
_TITLE_GAP = re.compile(r"(?:\(a\)|/a)?(?:[.ª]{1,2}[ ]{0,2}|,? {1,2})")
_LABEL_GAP = re.compile(r"(?:\(a\)|/a|\(s\))?\.?[ \t]{0,3}[:=|][ \t|]{0,12}(?:\n[ \t]{0,4})?")
_SIGNED_GAP = re.compile(r"[.,:]{0,2}[ \t]{0,3}\n\s{0,8}")
_SIGNED = frozenset(cue_words("signed"))
_CALLING = (
    r"m[ée]dic[oa]|enfermer[oaí]|psic[óo]log[oa]|residente|r[1-5]\b|mir\b|pir\b|eir\b|due\b|matrona|obstetra|"
    r"trabajador[a]? social|fisioterapeuta|pediatra|cirujan[oa]|neum[óo]log[oa]|cardi[óo]log[oa]|"
    r"odont[óo]log[oa]"
)
_CALLED = re.compile(
    rf"(?<![\w.])(?P<name>(?:[{UPPER}]\. ?){{0,2}}{WORD}(?: {WORD}){{0,3}})(?:, | \(|/)(?i:{_CALLING})"
)
_DONE = (
    r"operad|vist|valorad|atendid|acompañad|implantad|realizad|intervenid|traíd|comentad|avisad|revisad|"
    r"explorad|supervisad"
)
_SPEAKS = r"hablo|hablado|comento|contacto|contactado|llamo"
_DEED = re.compile(
    rf"\b(?:(?:{_DONE})[oa]s? (?:\S{{1,12}} ){{0,2}}(?:por|con)|(?:{_SPEAKS}) (?:con|c/|a)) "
    rf"(?P<name>{_CAPITALISED}(?: {_CAPITALISED}){{0,2}})(?![\w@])"
)
# An initial and a family name, at the end of a line or at its start.
_SIGNATURE = re.compile(
    rf"(?<![\w./])(?P<name>(?:[{UPPER}]\. ?){{1,2}}[{UPPER}][{LOWER}]{{2,20}}(?:-{WORD})?)(?=[ \t]*(?:$|\n))"
    rf"|^(?P<line>(?:[{UPPER}]\. ?){{1,2}}[{UPPER}][{LOWER}]{{2,20}})\b",
    re.MULTILINE,
)
_DEEDS = Openings((_DEED, f"{_DONE}|{_SPEAKS}"))
_DOCTOR = re.compile(r"\bdra?\.? {1,2}$")
_FIRM = frozenset(cue_words("firm"))


def find(text: str) -> list[Span]:
    """Every name that stands beside such a thing."""
    return [*_cued(text), *_before_a_calling(text), *_after_a_deed(text)]


def _after_a_deed(text: str) -> Iterator[Span]:
    """`operado por Ilundáin`, `hablo con Puri`."""
    for _, match in _DEEDS.find(text):
        if not any(is_never(word) for word in TOKEN.findall(match["name"])):
            yield Span(*match.span("name"), "DOCTOR", 0.7, SOURCE)


def _before_a_calling(text: str) -> Iterator[Span]:
    """`B. Outeiral, médico de familia`, `Uxía (enfermería)`; and an initial with a family name on its own."""
    starts = capital_starts(text)
    for match in (*scan(_CALLED, text, starts), *scan(_SIGNATURE, text, initial_starts(text))):
        name = match.lastgroup or "name"
        words = TOKEN.findall(match[name])
        if not any(is_never(word) or fold_word(word) in word_list_of("species") for word in words):
            yield Span(*match.span(name), "DOCTOR", 0.75, SOURCE)


@functools.cache
def _cues() -> tuple[Cues, dict[str, list[tuple[str, str]]]]:
    table: dict[str, list[tuple[str, str]]] = {}
    for kind in ("titles", "labels"):
        for label, words in cue_table(kind).items():
            for word in words:
                table.setdefault(word, []).append((kind, label))
    return Cues(table), table


def _cued(text: str) -> Iterator[Span]:
    finder, table = _cues()
    for start, end, cue in finder.find(text):
        for kind, label in table[cue]:
            begin = _begin(text, start, end, cue, kind)
            stop = None if begin is None else _read(text, begin, firm=cue in _FIRM)
            if begin is not None and stop is not None:
                # La enfermera Sabela: in a sentence, a capital is enough.
                spoken = kind == "titles" and text[start].islower() and text[begin].isupper()
                score = _certainty(text[begin:stop], cue in _FIRM, spoken)
                if score:
                    yield Span(begin, stop, label, score, SOURCE)


def _begin(text: str, start: int, end: int, cue: str, kind: str) -> int | None:
    """Where the name after a cue would start."""
    if kind == "titles":
        gap = _TITLE_GAP.match(text, end)
        # A letter alone is a title with its full stop only: vitamina D.
        plain = len(cue) == 1 and (not text[start].isupper() or text[end : end + 1] != ".")
        return None if gap is None or plain else gap.end()
    gap = _LABEL_GAP.match(text, end) or (_SIGNED_GAP.match(text, end) if cue in _SIGNED else None)
    if gap is None:
        return None
    title = _TITLE.match(lowered(text), gap.end())
    return gap.end() if title is None else title.end()


def _read(text: str, begin: int, firm: bool) -> int | None:
    """Where the name that starts at `begin` ends; only after a firm title may it begin with a particle."""
    first = TOKEN.match(text, begin)
    if not firm and first is not None and is_particle(first.group()):
        return None
    match = _NAME.match(text, begin)
    if match is None:
        match = _SMALL.match(text, begin)
        return None if match is None else _read_small(text, begin, match.end())
    stop = None
    for token in TOKEN.finditer(text, begin, match.end()):
        if is_never(token.group()):
            break
        before = text[begin : token.start()].rstrip(" ")
        # What follows a comma is a given name, or something else.
        if before.endswith(",") and not (is_given(token.group()) or before.isupper()):
            break
        if token.group()[0].isupper():
            stop = token.end() - (token.group().endswith(".") and len(token.group()) > 2)
    return stop


def _read_small(text: str, begin: int, end: int) -> int | None:
    stop = None
    for token in TOKEN.finditer(text, begin, end):
        if is_particle(token.group()) and stop is not None:
            continue
        # Without capitals nothing tells a name from another word, but for the list, or a title in front.
        titled = stop is None and _DOCTOR.search(text[max(0, begin - 6) : begin]) is not None
        if not (is_listed(token.group()) or (titled and _could_be_name(token.group()))):
            break
        stop = token.end()
    return stop


def _could_be_name(word: str) -> bool:
    return len(word) > 3 and not is_never(word)


def _certainty(name: str, firm: bool, spoken: bool) -> float:
    """After a firm title any name will do; else one of its words must be listed, or two capitalised."""
    words = [word for word in re.split(r"[ ,.]+", name) if len(word) > 1 and not is_particle(word)]
    if firm:
        return 0.95 if words else 0.0
    if any(is_known(word) for word in words):
        return 0.92
    capitalised = sum(word[0].isupper() for word in words)
    return 0.8 if capitalised > 1 else 0.75 if capitalised and spoken else 0.0
