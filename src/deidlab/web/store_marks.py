"""Marks and a reviewer's wish in, the changed marks out: what a decision means, with no database near.

A mark has one of four states. `found` and `accepted` ones are PHI; `hint` (a detector thought of it) and
`rejected` ones are not. PHI marks never overlap: one that is made or accepted over others rejects those.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from deidlab.errors import ConfigError
from deidlab.types import Span

Status = Literal["found", "hint", "accepted", "rejected"]
Kind = Literal["accept", "reject", "reopen", "relabel", "resize", "draw", "accept-all", "done", "not-done"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PHI: tuple[Status, ...] = ("found", "accepted")
UNDECIDED: tuple[Status, ...] = ("found", "hint")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Mark:
    """A span under review; `reviewer` decided on it last, and is empty where nobody has."""

    id: int
    start: int
    end: int
    label: str
    score: float | None
    source: str
    status: Status
    reviewer: str = ""

    @property
    def is_phi(self) -> bool:
        return self.status in PHI

    @property
    def doubt(self) -> float:
        """How wrong the mark is expected to be as it stands: 0 once somebody decided."""
        if self.status == "found":
            return 0.0 if self.score is None else 1.0 - self.score
        return self.score or 0.0 if self.status == "hint" else 0.0

    def to_json(self) -> dict[str, Any]:
        # By hand: `asdict` copies deeply, and a note may have thousands of marks.
        return {name: getattr(self, name) for name in self.__slots__}

    def to_span(self) -> Span:
        """As a corpus holds it: what people decided has no score, and says who."""
        if self.status == "accepted":
            return Span(self.start, self.end, self.label, None, f"review:{self.reviewer}")
        return Span(self.start, self.end, self.label, self.score, self.source)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reviewer asks for; `everywhere` draws every further mention of the drawn text too."""

    kind: Kind
    marks: tuple[int, ...] = ()
    label: str = ""
    start: int = 0
    end: int = 0
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One mark before and after; None where it was not there."""

    before: Mark | None
    after: Mark | None

    def reverse(self) -> Change:
        return Change(self.after, self.before)


def changes_to_json(changes: Sequence[Change], done: tuple[bool, bool] | None) -> dict[str, Any]:
    rows = [[mark.to_json() if mark else None for mark in (one.before, one.after)] for one in changes]
    return {"marks": rows, "done": list(done) if done else None}


def changes_from_json(table: Mapping[str, Any]) -> tuple[list[Change], tuple[bool, bool] | None]:
    rows = [
        Change(*(Mark(**fields) if fields else None for fields in (before, after)))
        for before, after in table["marks"]
    ]
    done = table["done"]
    return rows, (bool(done[0]), bool(done[1])) if done else None


def decide(text: str, marks: Sequence[Mark], wish: Wish, reviewer: str) -> list[Change]:
    """What the wish changes; an impossible wish is a ConfigError that quotes no text."""
    held = {mark.id: mark for mark in marks}
    unknown = [str(number) for number in wish.marks if number not in held]
    if unknown:
        raise ConfigError(f"no mark {', '.join(unknown)} in this note")
    if wish.kind == "draw":
        wanted = _drawn(text, marks, wish, reviewer)
    elif wish.kind == "accept-all":
        wanted = [replace(m, status="accepted", reviewer=reviewer) for m in marks if m.status == "found"]
    else:
        if not wish.marks and wish.kind not in ("done", "not-done"):
            raise ConfigError(f"say which marks to {wish.kind}")
        wanted = [_changed(text, held[number], wish, reviewer) for number in dict.fromkeys(wish.marks)]
    return _settle(held, wanted, reviewer)


def _changed(text: str, mark: Mark, wish: Wish, reviewer: str) -> Mark:
    decided = replace(mark, status="accepted", reviewer=reviewer)
    if wish.kind == "accept":
        return decided
    if wish.kind == "reject":
        return replace(decided, status="rejected")
    if wish.kind == "reopen":
        return replace(mark, status="hint" if mark.status == "rejected" else "found", reviewer="")
    if wish.kind == "relabel":
        return replace(decided, label=_label(wish))
    if wish.kind == "resize":
        if len(wish.marks) != 1:
            raise ConfigError("edges are those of one mark")
        start, end = trim(text, wish.start, wish.end)
        return replace(decided, start=start, end=end)
    raise ConfigError(f"'{wish.kind}' takes no marks")


def _label(wish: Wish) -> str:
    if not wish.label:
        raise ConfigError("say which label")
    return wish.label


def _drawn(text: str, marks: Sequence[Mark], wish: Wish, reviewer: str) -> list[Mark]:
    label = _label(wish)
    start, end = trim(text, wish.start, wish.end)
    places = [(start, end)]
    if wish.everywhere:
        taken = [(mark.start, mark.end) for mark in marks if mark.is_phi] + places
        places += [
            place
            for place in find_mentions(text, text[start:end])
            if not any(place[0] < other_end and other_start < place[1] for other_start, other_end in taken)
        ]
    first = max((mark.id for mark in marks), default=0) + 1
    source = f"review:{reviewer}"
    return [
        Mark(first + i, *place, label, None, source, "accepted", reviewer) for i, place in enumerate(places)
    ]


def find_mentions(text: str, mention: str, flags: int = 0) -> list[tuple[int, int]]:
    """Where else the same characters stand as whole words, without overlaps."""
    left = r"(?<!\w)" if _WORD.match(mention[0]) else ""
    right = r"(?!\w)" if _WORD.match(mention[-1]) else ""
    return [match.span() for match in re.finditer(left + re.escape(mention) + right, text, flags)]


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without white space at its edges; one outside the text, or of nothing else, is refused."""
    if not 0 <= start < end <= len(text):
        raise ConfigError(f"{start}–{end} is no stretch of a text of {len(text)} characters")
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        raise ConfigError("there is nothing but white space there")
    return start, end


def _settle(held: Mapping[int, Mark], wanted: Iterable[Mark], reviewer: str) -> list[Change]:
    """The changes that bring about what is wanted, with PHI marks that come to lie beneath rejected."""
    now = dict(held)
    for mark in wanted:
        before = now.get(mark.id)
        now[mark.id] = mark
        stays = before and before.is_phi and (before.start, before.end) == (mark.start, mark.end)
        if stays or not mark.is_phi:
            continue
        for other in list(now.values()):
            if other.id != mark.id and other.is_phi and other.start < mark.end and mark.start < other.end:
                now[other.id] = replace(other, status="rejected", reviewer=reviewer)
    return [Change(held.get(key), mark) for key, mark in sorted(now.items()) if held.get(key) != mark]


def first_marks(spans: Iterable[Span], hints: Iterable[Span] = ()) -> list[Mark]:
    """Marks from what a corpus or a detector gives; a span that overlaps a longer one becomes a hint."""
    marks = [Mark(0, s.start, s.end, s.label, s.score, s.source, "hint") for s in hints]
    taken: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start, span.label)):
        place = bisect_left(taken, (span.start, span.end))
        before, after = taken[place - 1 : place], taken[place : place + 1]
        is_free = (not before or before[0][1] <= span.start) and (not after or span.end <= after[0][0])
        if is_free:
            taken.insert(place, (span.start, span.end))
        status: Status = "found" if is_free else "hint"
        marks.append(Mark(0, span.start, span.end, span.label, span.score, span.source, status))
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end, mark.label, mark.source))
    return [replace(mark, id=number) for number, mark in enumerate(ordered, start=1)]
