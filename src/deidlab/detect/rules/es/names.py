"""Spanish text in, people out: after titles and labels, and wherever a listed name stands in capitals."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.banks import known_name
from deidlab.detect.folding import Cues, folded, lowered
from deidlab.detect.rules.es.places import is_place
from deidlab.detect.rules.person import INITIAL, LOWER, UPPER, WORD, fold_word
from deidlab.detect.wordlists import cue_table, cue_words, word_list
from deidlab.types import Span

CUED, LISTED = "rules:name", "rules:name-list"
_PARTICLES = r"(?:(?:de|del|la|las|los|y|i|e|da|do|dos|el|van|von|ben|al|san|santa) ){0,3}"
_PART = rf"(?:{WORD}|{INITIAL}(?![º°ª]))"
_NAME = re.compile(rf"{_PARTICLES}{_PART}(?:,? ?(?<=[ .,]){_PARTICLES}{_PART}){{0,5}}")
_SMALL = re.compile(rf"[{LOWER}'’-]{{2,20}}(?: {_PARTICLES}[{LOWER}'’-]{{2,20}}){{0,3}}")
_TOKEN = re.compile(rf"[{UPPER}{LOWER}'’-]+\.?")
_TITLE = re.compile(r"(?:dr|dra|dres|drs|sr|sra|srta|don|doña|dña|d|dª|lic|prof|enf|due)\b[.ª]{0,2}[ ]{1,2}")
_TITLE_GAP = re.compile(r"(?:\(a\)|/a)?(?:[.ª]{1,2}[ ]{0,2}|[ ]{1,2})")
_LABEL_GAP = re.compile(r"(?:\(a\)|/a|\(s\))?\.?[ \t]{0,3}[:=|][ \t|]{0,12}(?:\n[ \t]{0,4})?")
_SIGNED_GAP = re.compile(r"[.,:]{0,2}[ \t]{0,3}\n\s{0,8}")
_SIGNED = frozenset(cue_words("es", "signed"))
_EPONYM = re.compile(
    rf"\b(?:{'|'.join(cue_words('es', 'eponym_heads'))})(?: (?:de|del|d['’]?)(?: (?:la|los|las))?)? $",
    re.IGNORECASE,
)
_CAPITALISED = rf"[{UPPER}][{LOWER}]{{2,24}}(?:-[{UPPER}][{LOWER}]{{2,24}})?"
_LISTABLE = re.compile(rf"(?<![\w@./'’-]){_CAPITALISED}(?![\w@]|[.-]\w| et al)")
_SHOUTED_GAP = r",? (?:(?:DE|DEL|LA|LAS|LOS|Y|I|DA|DOS) ){0,3}"
_SHOUTED = re.compile(rf"(?<![\w@./'’-])[{UPPER}]{{3,24}}(?:{_SHOUTED_GAP}[{UPPER}]{{3,24}}){{1,4}}(?![\w@])")
_SMALL_WORD = re.compile(rf"(?<![\w@./-])[{LOWER}]{{3,20}}(?![\w@]|[.-]\w)")
_GAP = re.compile(rf" {_PARTICLES}")
_CALLING = (
    r"m[ée]dic[oa]|enfermer[oaí]|psic[óo]log[oa]|residente|r[1-5]\b|mir\b|pir\b|eir\b|due\b|matrona|obstetra|"
    r"trabajador[a]? social|fisioterapeuta|pediatra|cirujan[oa]|neum[óo]log[oa]|cardi[óo]log[oa]|"
    r"odont[óo]log[oa]"
)
_CALLED = re.compile(
    rf"(?<![\w.])(?P<name>(?:[{UPPER}]\. ?){{0,2}}{WORD}(?: {WORD}){{0,3}})(?:, | \(|/)(?i:{_CALLING})"
)
# An initial and a family name, at the end of a line or at its start.
_SIGNATURE = re.compile(
    rf"(?<![\w./])(?P<name>(?:[{UPPER}]\. ?){{1,2}}[{UPPER}][{LOWER}]{{2,20}}(?:-{WORD})?)(?=[ \t]*(?:$|\n))"
    rf"|^(?P<line>(?:[{UPPER}]\. ?){{1,2}}[{UPPER}][{LOWER}]{{2,20}})\b",
    re.MULTILINE,
)
_PARTICLE = re.compile(r"de|del|la|las|los|y|i|e|da|do|dos|el|van|von|ben|al|san|santa", re.IGNORECASE)
_DOCTOR = re.compile(r"\bdra?\.? {1,2}$")
_FIRM = frozenset(cue_words("es", "firm"))
_OPENS = re.compile(r"(?:^|[.!?:;\n•*-]\s{0,3}|\n\s*)$")
# A note with fewer capitals than this is written without them.
_FEW_CAPITALS = 0.012
_LOOK_BACK = 40
_LONG = 5


def find(text: str) -> list[Span]:
    """Every name that a word beside it gives away, and every listed one."""
    return [*_cued(text), *_before_a_calling(text), *_listed(text)]


def _before_a_calling(text: str) -> Iterator[Span]:
    """`B. Outeiral, médico de familia`, `Uxía (enfermería)`; and an initial with a family name on its own."""
    for match in (*_CALLED.finditer(text), *_SIGNATURE.finditer(text)):
        name = match.lastgroup or "name"
        words = [fold_word(word) for word in _TOKEN.findall(match[name])]
        if not any(word in word_list_of("never") or word in word_list_of("species") for word in words):
            yield Span(*match.span(name), "DOCTOR", 0.75, CUED)


@functools.cache
def _cues() -> tuple[Cues, dict[str, list[tuple[str, str]]]]:
    table: dict[str, list[tuple[str, str]]] = {}
    for kind in ("titles", "labels"):
        for label, words in cue_table("es", kind).items():
            for word in words:
                table.setdefault(word, []).append((kind, label))
    return Cues(table), table


def _cued(text: str) -> Iterator[Span]:
    finder, table = _cues()
    for start, end, cue in finder.find(text):
        for kind, label in table[cue]:
            begin = _begin(text, start, end, cue, kind)
            stop = None if begin is None else _read(text, begin)
            # la técnica de Brooke: only after a firm title may a name begin with a particle.
            if (
                begin is not None
                and stop is not None
                and (cue in _FIRM or not _is_particle(text[begin:].split(" ", 1)[0]))
            ):
                score = _certainty(text[begin:stop], cue in _FIRM)
                if score:
                    yield Span(begin, stop, label, score, CUED)


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


def _read(text: str, begin: int) -> int | None:
    """Where the name that starts at `begin` ends; in small letters all of its words must be listed."""
    match = _NAME.match(text, begin)
    if match is None:
        match = _SMALL.match(text, begin)
        return None if match is None else _read_small(text, begin, match.end())
    stop = None
    for token in _TOKEN.finditer(text, begin, match.end()):
        word = fold_word(token.group())
        if len(word) > 1 and word in word_list_of("never"):
            break
        before = text[begin : token.start()].rstrip(" ")
        # What follows a comma is a given name, or something else.
        if before.endswith(",") and not (known_name(token.group())[0] or before.isupper()):
            break
        if token.group()[0].isupper():
            stop = token.end() - (token.group().endswith(".") and len(word) > 1)
    return stop


def _read_small(text: str, begin: int, end: int) -> int | None:
    stop = None
    for token in _TOKEN.finditer(text, begin, end):
        if _is_particle(token.group()) and stop is not None:
            continue
        # Without capitals nothing tells a name from another word, but for the list, or a title in front.
        titled = stop is None and _DOCTOR.search(text[max(0, begin - 6) : begin]) is not None
        if not (_is_listed(token.group()) or (titled and _could_be_name(token.group()))):
            break
        stop = token.end()
    return stop


def _could_be_name(word: str) -> bool:
    return len(word) > 3 and fold_word(word) not in word_list_of("never")


def _is_listed(word: str) -> bool:
    """Whether the banks know a word as a name, and it is not used for other things as a rule."""
    plain = fold_word(word)
    doubtful = plain in word_list("everyday_es") or plain in word_list_of("never")
    return len(plain) > 2 and not doubtful and any(known_name(word))


def _is_particle(word: str) -> bool:
    return _PARTICLE.fullmatch(word) is not None


def _certainty(name: str, firm: bool) -> float:
    """After a firm title any name will do; else one of its words must be listed, or two capitalised."""
    words = [word for word in re.split(r"[ ,.]+", name) if len(word) > 1 and not _is_particle(word)]
    if firm:
        return 0.95 if words else 0.0
    if any(any(known_name(word)) for word in words):
        return 0.92
    return 0.8 if sum(word[0].isupper() for word in words) > 1 else 0.0


def _listed(text: str) -> Iterator[Span]:
    n_capitals = sum(map(str.isupper, text))
    if n_capitals < _FEW_CAPITALS * len(text):
        yield from _listed_small(text)
    end = 0
    for match in _LISTABLE.finditer(text):
        if match.start() < end or not _is_name(text, match):
            continue
        start, end = _widen(text, match.start(), match.end())
        given = any(known_name(word)[0] for word in text[start:end].split())
        yield Span(start, end, "PATIENT", 0.85 if given else 0.7, LISTED)
    for match in _SHOUTED.finditer(text):
        yield from _shouted(text, *match.span())


def _shouted(text: str, start: int, end: int) -> Iterator[Span]:
    """A name among words in capitals; headings and abbreviations are capitals too.

    Of what is left without words at the edges that are no names, most must be listed, one of them a given
    name, and one long.
    """
    words = [word for word in _TOKEN.finditer(text, start, end) if not _is_particle(word.group())]
    named = [any(known_name(word.group())) for word in words]
    if not any(named):
        return
    first, last = named.index(True), len(named) - named[::-1].index(True)
    listed = [word.group() for word in words[first:last] if _is_listed(word.group())]
    given = any(known_name(word)[0] for word in listed)
    if given and 2 * len(listed) > last - first > 1 and max(map(len, listed)) >= _LONG:
        yield Span(words[first].start(), words[last - 1].end(), "PATIENT", 0.8, LISTED)


def _listed_small(text: str) -> Iterator[Span]:
    for match in _SMALL_WORD.finditer(text):
        gender, _, _ = known_name(match.group())
        if gender and _is_listed(match.group()):
            yield Span(*match.span(), "PATIENT", 0.7, LISTED)


def _is_name(text: str, match: re.Match[str]) -> bool:
    """A given name of any origin, or a Spanish family name that does not open a sentence; no eponym."""
    word = fold_word(match.group())
    if not _is_listed(match.group()):
        return False
    gender, _, family = known_name(match.group())
    if is_place(word) and not gender:
        return False
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if _EPONYM.search(before) or word in word_list("eponyms") or word in word_list("eponyms_bare"):
        return False
    return bool(gender) or (family == "hispanic" and not _OPENS.search(before))


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """With the capitalised words beside it: an everyday one before it, any but the never ones after it."""
    before = re.search(rf"({WORD}) $", text[max(0, start - 32) : start])
    if (
        before is not None
        and any(known_name(before[1]))
        and fold_word(before[1]) not in word_list_of("never")
    ):
        start -= len(before[0])
    for _ in range(4):
        gap = _GAP.match(text, end)
        after = _LISTABLE.match(text, gap.end()) if gap else None
        if after is None or fold_word(after.group()) in word_list_of("never"):
            break
        end = after.end()
    return start, end


@functools.cache
def word_list_of(name: str) -> frozenset[str]:
    """A list among the cues for Spanish, folded."""
    return frozenset(folded(word).replace(" ", "") for word in cue_words("es", name))
