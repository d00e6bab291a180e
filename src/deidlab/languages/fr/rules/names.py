"""French text in, people out whom something beside them gives away: a title, a label, a calling."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.languages.fr.rules.words import (
    PARTICLES,
    TOKEN,
    cue_table,
    cue_words,
    is_everyday,
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
_INITIALS = rf"[{UPPER}]\.(?: ?-?[{UPPER}]\.){{0,3}}"
_PART = rf"(?:{_INITIALS}|{WORD}|{INITIAL})"
_NAME = re.compile(rf"{PARTICLES}{_PART}(?:,? ?(?<=[ .,]){PARTICLES}{_PART}){{0,5}}")
_SMALL = re.compile(rf"[{LOWER}'’-]{{2,20}}(?: {PARTICLES}[{LOWER}'’-]{{2,20}}){{0,3}}")
_CAPITALISED = rf"[{UPPER}][{LOWER}]{{2,20}}(?:-[{UPPER}][{LOWER}]{{2,20}})?"
_TITLE = re.compile(
    r"(?:docteure?|professeure?|dre?s?|prs?|pr[eé]|prof|mr|m|mme|mlle|melle|monsieur|madame|me|inf|"
    r"ide)\b\.?[ ]{1,2}"
)
_TITLE_GAP = re.compile(
    r"(?:\(e\)|\(s\))?(?:\.[ ]{0,2}|[ \u00a0]{1,2})(?:(?:le |la )?(?:docteure?|dre?|"
    r"pre?|professeure?|juge|abbé)\b\.? ?)?",
    re.IGNORECASE,
)
_LABEL_GAP = re.compile(r"(?:\(e\)|\(s\)|\.e|·e)?\.?[ \t\u00a0]{0,3}[:=|][ \t|]{0,12}(?:\n[ \t]{0,4})?")
_SIGNED_GAP = re.compile(r"[.,:]{0,2}[ \t]{0,3}\n\s{0,8}")
_SIGNED = frozenset(cue_words("signed"))
_FIRM = frozenset(cue_words("firm"))
_CALLING = (
    r"m[ée]decin|infirmi[eè]re?|inf\.|ide\b|psychologue|psychiatre|interne\b|r[1-5]\b|externe\b|"
    r"r[ée]sidente?|"
    r"sage-femme|travailleu(?:r|se) sociale?|t\.s\.|kin[ée]sith|physioth|ergoth|orthophoniste|p[ée]diatre|"
    r"chirurgien|cardiologue|pneumologue|pharmacien|di[ée]t[ée]ti|nutritionniste|assistante? sociale?|"
    r"aide-soignant|pr[ée]pos[ée]|omnipraticien|g[ée]n[ée]raliste|m\.d\.|md\b|ips\b|gynécologue|"
    r"radiologue|anesthésiste"
)
_CALLED = re.compile(
    rf"(?<![\w.])(?!MM?\. )(?P<name>(?:{_INITIALS} ?)?{WORD}(?: {WORD}){{0,3}})(?:, | \(| - |"
    rf"/)(?i:{_CALLING})"
)
_DONE = r"op[ée]r|vu|[ée]valu|examin|accompagn|re[çc]u|suivi|adress|r[ée]f[ée]r|pris|trait|avis|revu"
_SPOKE = r"discuté|parlé|discussion|échangé|entretien|appel|avis|accord"
_DEED = re.compile(
    rf"\b(?:(?:{_DONE})[ée]?e?s? (?:\S{{1,12}} ){{0,1}}(?:par|avec)|"
    rf"(?:{_SPOKE})(?: téléphonique)? (?:avec|de|à|par)) "
    rf"(?P<name>{_CAPITALISED}(?: {_CAPITALISED}){{0,2}})(?![\w@])"
)
# An initial and a family name, at the end of a line or at its start.
_SIGNATURE = re.compile(
    rf"(?<![\w./])(?!MM?\. )(?P<name>{_INITIALS} ?[{UPPER}](?:[{LOWER}]{{2,20}}|"
    rf"[{UPPER}]{{2,20}})(?:-{WORD})?)(?=[ \t]*(?:$|\n|, ))"
    rf"|^(?!MM?\. )(?P<line>{_INITIALS} ?[{UPPER}][{LOWER}]{{2,20}})\b",
    re.MULTILINE,
)
_BORN = re.compile(rf"\b(?:née|ép\.|vve) ((?:{PARTICLES})(?:{WORD})(?:[ -]{WORD})?)(?! le\b)")
_DEEDS, _BIRTHS = Openings((_DEED, f"{_DONE}|{_SPOKE}")), Openings((_BORN, "née|ép|vve"))
# J.-M. D., M.-C. L.: two initials or more with a hyphen are a person.
_BARE_INITIALS = re.compile(
    rf"(?<![\w.])(?:[{UPPER}]\.-[{UPPER}]\.)(?: ?[{UPPER}]\.(?![{UPPER}])){{0,2}}(?![{LOWER}])"
)


def find(text: str) -> list[Span]:
    """Every name that stands beside such a thing."""
    return [*_cued(text), *_before_a_calling(text), *_after_a_deed(text), *_others(text)]


def _others(text: str) -> Iterator[Span]:
    for _, match in _BIRTHS.find(text):
        if not is_never(match[1].split(" ")[-1]):
            yield Span(*match.span(1), "PATIENT", 0.9, SOURCE)
    for match in scan(_BARE_INITIALS, text, initial_starts(text)):
        yield Span(*match.span(), "PATIENT", 0.7, SOURCE)


def _after_a_deed(text: str) -> Iterator[Span]:
    """`opéré par Vaillant`, `discuté avec Sylvie`."""
    for _, match in _DEEDS.find(text):
        words = TOKEN.findall(match["name"])
        if not any(is_never(word) or is_everyday(word) for word in words):
            yield Span(*match.span("name"), "DOCTOR", 0.7, SOURCE)


def _before_a_calling(text: str) -> Iterator[Span]:
    """`B. Lacasse, infirmière`, `Sylvie (ergothérapeute)`; and an initial with a family name on its own."""
    starts = capital_starts(text)
    for match in (*scan(_CALLED, text, starts), *scan(_SIGNATURE, text, initial_starts(text))):
        name = match.lastgroup or "name"
        words = [word for word in TOKEN.findall(match[name]) if len(word.strip(".")) > 1]
        start = match.start(name)
        while words and is_never(words[0]):
            gone = words.pop(0)
            start = text.index(gone, start) + len(gone) + 1
        if words and not any(is_never(word) or fold_word(word) in word_list_of("species") for word in words):
            yield Span(start, match.end(name), "DOCTOR", 0.75, SOURCE)


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
            stop = None if begin is None else _read(text, begin, cue in _FIRM, label)
            if begin is not None and stop is not None:
                # L'infirmière Sandrine: in a sentence, a capital is enough.
                spoken = kind == "titles" and text[start].islower() and text[begin].isupper()
                score = _certainty(text[begin:stop], cue in _FIRM, spoken)
                if score:
                    yield Span(begin, stop, label, score, SOURCE)


def _begin(text: str, start: int, end: int, cue: str, kind: str) -> int | None:
    """Where the name after a cue would start."""
    if kind == "titles":
        gap = _TITLE_GAP.match(text, end)
        return None if gap is None or not _is_title(text, start, end, cue) else gap.end()
    gap = _LABEL_GAP.match(text, end) or (_SIGNED_GAP.match(text, end) if cue in _SIGNED else None)
    if gap is None:
        return None
    title = _TITLE.match(lowered(text), gap.end())
    return gap.end() if title is None else title.end()


def _is_title(text: str, start: int, end: int, cue: str) -> bool:
    """M. and Me have their capital, M its full stop too, and no number before it: `me dit` is none."""
    if len(cue) > 2 or cue in ("dr", "mr"):
        return True
    if not text[start].isupper() or (start and text[start - 1] in "'’-."):
        return False
    after = text[end : end + 2]
    if cue in ("m", "mm"):
        return after[:1] == "." and not re.search(r"\d ?$", text[max(0, start - 2) : start]) and after != ".-"
    return not (cue == "pr" and text[start:end].isupper())


def _read(text: str, begin: int, firm: bool, label: str) -> int | None:
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
        word = token.group()
        if is_particle(word):
            continue
        if is_never(word) and not (firm and stop is None and len(word) > 4 and word.isupper()):
            break
        before = text[begin : token.start()].rstrip(" ")
        # What follows a comma is a given name, or something else.
        if before.endswith(",") and not (is_given(word) or before.isupper()):
            break
        if (
            stop is not None
            and word[0].isupper()
            and not word.isupper()
            and is_everyday(word)
            and not is_given(word)
        ):
            break
        if word[0].isupper() or (word[0] in "dl" and word[1:2] in "'’" and word[2:3].isupper()):
            stop = token.end() - (word.endswith(".") and len(word.strip(".")) > 1 and word[-3:-2] not in ".-")
    return stop


def _read_small(text: str, begin: int, end: int) -> int | None:
    stop = None
    titled = re.search(
        r"\b(?:dre?|docteure?|mme|mlle)\.? {1,2}$", text[max(0, begin - 10) : begin], re.IGNORECASE
    )
    for token in TOKEN.finditer(text, begin, end):
        if is_particle(token.group()) and stop is not None:
            continue
        # Without capitals nothing tells a name from another word, but for the list, or a title in front.
        fits = titled is not None and stop is None and _could_be_name(token.group())
        if not (is_listed(token.group()) or fits):
            break
        stop = token.end()
    return stop


def _could_be_name(word: str) -> bool:
    return len(word) > 3 and not is_never(word) and not is_everyday(word)


def _certainty(name: str, firm: bool, spoken: bool) -> float:
    """After a firm title any name will do; else one of its words must be listed, or two capitalised."""
    words = [word for word in re.split(r"[ ,.]+", name) if len(word) > 1 and not is_particle(word)]
    if firm:
        return 0.95 if words or re.search(rf"[{UPPER}]\.?", name) else 0.0
    if any(is_known(word) for word in words):
        return 0.92
    capitalised = sum(word[0].isupper() for word in words)
    return 0.8 if capitalised > 1 else 0.75 if capitalised and spoken else 0.0
