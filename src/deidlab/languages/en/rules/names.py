"""Text in, people out: after titles, labels and words of kinship, and before degrees."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.person import (
    AFTER_LABEL,
    AFTER_TITLE,
    LAST_FIRST_AT,
    fold_word,
    is_given,
    is_listed,
    is_never,
    read_name,
    read_name_before,
)
from deidlab.rules.wordlists import cue_table, cue_words, is_everyday
from deidlab.types import Span

SOURCE = "rules:name"
_TITLES = cue_table("names", "titles")
_LABELS = cue_table("names", "labels")
_KIN = cue_words("names", "kin")
_DEGREES = cue_words("names", "degrees")
_GAP_LABEL = re.compile(
    r"(?:'s name| name| on call| physician| md|\(s\)|s)?[ \t]{0,3}(?:[:=|]|\.{2,20}:?|-(?= "
    r"))[ \t]{0,24}(?:\r?\n[ \t]{0,24})?(?:\[|\")?"
)
_GAP_KIN = re.compile(r"(?:,? (?:named|called|is|was|whose name is)?,? ?|: |, | \(|\()")
_AND = re.compile(r"(?:,? and | & |/|, )")
_TITLE_AFTER = re.compile(r"(?:dr|mr|mrs|ms|prof|miss|doctor|nurse|sr|sra|dra|d|dña)\b\.?[ ]?", re.IGNORECASE)
_DEGREE_GAP = re.compile(r"(?:,[ ]{0,2}| |, ?\n| \()")


@functools.cache
def _cues() -> tuple[Cues, dict[str, list[tuple[str, str]]]]:
    table: dict[str, list[tuple[str, str]]] = {}
    for kind, groups in (("title", _TITLES), ("label", _LABELS)):
        for label, words in groups.items():
            for word in words:
                table.setdefault(word, []).append((kind, label))
    for word in _KIN:
        table.setdefault(word, []).append(("kin", "PATIENT"))
    for word in _DEGREES:
        table.setdefault(word, []).append(("degree", "DOCTOR"))
    return Cues(table), table


def find(text: str) -> list[Span]:
    """Every name that a word beside it gives away."""
    finder, table = _cues()
    spans: list[Span] = []
    for start, end, cue in finder.find(text):
        for kind, label in table[cue]:
            spans += _READERS[kind](text, start, end, label)
    return spans


def _span(start: int, end: int, label: str, score: float) -> Span:
    return Span(start, end, label, score, SOURCE)


def _after_title(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    begin = end + (text[end : end + 1] == ".")
    while text[begin : begin + 1] in (" ", "\n") and begin - end < 4:
        begin += 1
    if begin == end or not text[start].isupper():
        return
    # MS and DR in capitals are diseases and drives too: the name must then be a listed one.
    doubtful = text[start:end].rstrip(".").isupper() or text[start:end].lower() in _SOFT_TITLES
    stop = read_name(text, begin, told=None if doubtful else AFTER_TITLE)
    while stop is not None:
        word = fold_word(re.split(r"[ ,]", text[begin:stop], maxsplit=1)[0])
        if doubtful and not any(is_listed(fold_word(part)) for part in re.split(r"[ ,]+", text[begin:stop])):
            return
        yield _span(begin, stop, label, 0.6 if is_everyday(word) and doubtful else 0.95)
        joint = _AND.match(text, stop)
        if joint is None or not text[start:end].lower().startswith(("drs", "messrs")):
            return
        begin = joint.end()
        stop = read_name(text, begin)


_SOFT_TITLES = frozenset(
    {
        "father",
        "sister",
        "officer",
        "nurse",
        "master",
        "lady",
        "coach",
        "don",
        "d.",
        "bb",
        "bg",
        "judge",
        "sir",
        "nurse practitioner",
    }
)


def _after_label(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    gap = _GAP_LABEL.match(text, end)
    spaced = text[end : end + 1] == " "
    begin = gap.end() if gap else end + spaced
    title = _TITLE_AFTER.match(text, begin)
    if title and begin < title.end() < len(text):
        begin = title.end()
    if not gap and not spaced:
        return
    stop = read_name(
        text,
        begin,
        sure=2 if gap and LAST_FIRST_AT.match(text, begin) else 1,
        told=AFTER_LABEL if gap else None,
    )
    if stop is None:
        return
    words = [fold_word(word) for word in re.split(r"[ ,^]+", text[begin:stop]) if word]
    listed = any(is_listed(word) for word in words if len(word) > 1)
    if gap:
        plain = all(is_everyday(word) for word in words) or (
            text[begin:stop].isupper() and not listed and "," not in text[begin:stop]
        )
        yield _span(begin, stop, label, 0.45 if plain else 0.95 if listed else 0.85)
        yield from _more(text, stop, label)
    elif (
        listed
        and not is_everyday(words[0])
        and text[begin + 1 : begin + 2].islower()
        and text[start:end].lower() not in ("re", "name")
    ):
        yield _span(begin, stop, label, 0.87)


def _more(text: str, stop: int, label: str) -> Iterator[Span]:
    """`Surgeons: A. Hill, B. Stone` goes on."""
    for _ in range(6):
        joint = re.match(
            r"(?:, ?(?:MD|RN|DO|NP|PA-C|M\.D\.))?(?:; ?| and |, (?=[A-Z]\.? [A-Z])| / |/ ?)",
            text[stop : stop + 12],
        )
        if joint is None:
            return
        begin = stop + joint.end()
        title = _TITLE_AFTER.match(text, begin)
        begin = title.end() if title else begin
        found = read_name(text, begin)
        if found is None:
            return
        yield _span(begin, found, label, 0.8)
        stop = found


def _after_kin(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    gap = _GAP_KIN.match(text, end)
    if gap is None or not text[gap.end() : gap.end() + 1].isupper():
        return
    begin = gap.end()
    stop = read_name(text, begin)
    if stop is None:
        return
    first = fold_word(re.split(r"[ ,]", text[begin:stop], maxsplit=1)[0])
    if is_never(first):
        return
    if text[begin:stop].isupper() and not is_listed(first):
        return
    yield _span(begin, stop, label, 0.9 if is_given(first) else 0.35 if is_everyday(first) else 0.7)


def _before_degree(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    written = text[start:end]
    if text[end : end + 1].isalnum() or not (
        written[0].isupper() and written[-1] in ".)DSNPWMcCLAHRTdhGIOEBX"
    ):
        return
    for width in (2, 1, 3):
        gap = text[max(start - width, 0) : start]
        if _DEGREE_GAP.fullmatch(gap) is None:
            continue
        stop = start - width
        begin = read_name_before(text, stop)
        if begin is None:
            continue
        words = [fold_word(word) for word in re.split(r"[ ,]+", text[begin:stop]) if word]
        listed = any(is_listed(word) for word in words if len(word) > 1)
        if gap == " " and (
            not listed or len(words) < 2 or (lowered(written) in _SHORT_DEGREES and not listed)
        ):
            continue
        if not listed and (
            all(is_everyday(word) for word in words) or (text[begin:stop].isupper() and len(words) < 2)
        ):
            continue
        yield _span(begin, stop, label, 0.9)
        return


_SHORT_DEGREES = frozenset({"pt", "ot", "ma", "ms", "pa", "do", "od", "rd", "np"})
_READERS = {"title": _after_title, "label": _after_label, "kin": _after_kin, "degree": _before_degree}
