"""Glyphs of a page in the order of reading: what stands on one line is a line, whatever drew it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from statistics import median

from deidlab.carriers.pdf_state import Glyph

_SAME_LINE = 0.35
_SAME_PLACE = 0.3
_SPACE = 0.17
_APART = 2.5
_PARAGRAPH = 1.9
_HYPHENS = ("-", "\xad", "‐")
_LETTERS_APART = 3
_WIDER = 1.6


@dataclass(slots=True)
class Unit:
    """What is read as one: the glyphs that draw it, each over the one before; or a space of ours."""

    text: str = field(repr=False)
    glyphs: list[Glyph] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class _Stretch:
    """Glyphs of a line that follow each other closely."""

    units: list[Unit] = field(repr=False)
    order: int
    line: int
    start: float
    end: float
    height: float
    size: float


def read_page(glyphs: Sequence[Glyph], fields: Sequence[int] = ()) -> list[Unit]:
    """The units of a page; spaces and line ends stand where the page has room between them.

    What the page draws is read in the order of drawing. Behind it come the glyphs of each of its `fields`,
    which begin at those places: what was filled in is read behind the words that it stands beside.
    """
    stretches = [each for number, line in enumerate(_lines(glyphs)) for each in _stretches(line, number)]
    drawn: dict[int, list[_Stretch]] = {}
    filled: dict[int, list[_Stretch]] = {}
    for each in stretches:
        field = bisect_right(fields, each.order)
        (filled.setdefault(field, []) if field else drawn.setdefault(each.line, [])).append(each)
    places = {field: _words_beside(theirs, drawn) for field, theirs in filled.items()}

    def reading_order(each: _Stretch) -> tuple[int, int]:
        field = bisect_right(fields, each.order)
        return (places[field] if field else each.order, each.order)

    stretches.sort(key=reading_order)
    units: list[Unit] = []
    before: _Stretch | None = None
    for each in stretches:
        if before is not None and not _goes_on(before, each):
            units.append(Unit(_between(before, each)))
        units += _closed_up(each.units)
        before = each
    return units


def _words_beside(field: Sequence[_Stretch], drawn: Mapping[int, list[_Stretch]]) -> int:
    """Where the words are read that stand to the left of what was filled in, or else right above it."""
    for line in range(3):
        for each in field:
            row = drawn.get(each.line - line, [])
            place = bisect_right(row, each.end if line else each.start, key=lambda words: words.start)
            if place:
                return row[place - 1].order
    return field[0].order


def _goes_on(before: _Stretch, after: _Stretch) -> bool:
    """Whether a word goes on behind the hyphen at the end of a line, which then says nothing."""
    last = before.units[-1]
    begun = before.units[-2].text[-1:].isalpha() if len(before.units) > 1 else False
    if (
        before.line == after.line
        or last.text not in _HYPHENS
        or not begun
        or not after.units[0].text[:1].islower()
    ):
        return False
    last.text = ""
    return True


def _closed_up(units: list[Unit]) -> list[Unit]:
    """Letters that stand apart one by one, as in a title, are a word: only wider gaps are spaces."""
    closed: list[Unit] = []
    for is_apart, run in groupby(enumerate(units), lambda each: _stands_apart(units, each[0])):
        part = [unit for _, unit in run]
        gaps = [b.glyphs[0].start - a.glyphs[0].end for a, b in pairwise(part[::2]) if a.glyphs and b.glyphs]
        if is_apart and len(gaps) >= _LETTERS_APART and part[0].glyphs:
            wide = _WIDER * median(gaps)
            narrow = {2 * n + 1 for n, gap in enumerate(gaps) if gap <= wide}
            part = [unit for n, unit in enumerate(part) if n not in narrow]
        closed += part
    return closed


def _stands_apart(units: list[Unit], place: int) -> bool:
    """Whether it is one letter with a space of ours beside it, or such a space."""
    if not units[place].glyphs:
        return True
    around = units[max(0, place - 1) : place] + units[place + 1 : place + 2]
    return len(units[place].text) == 1 and bool(around) and not any(each.glyphs for each in around)


def _between(before: _Stretch, after: _Stretch) -> str:
    if before.line == after.line:
        return "\t"
    far = abs(before.height - after.height) > _PARAGRAPH * max(before.size, after.size)
    return "\n\n" if far else "\n"


def _lines(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    ordered = sorted(glyphs, key=lambda each: (each.angle, -each.height))
    line: list[Glyph] = []
    for each in ordered:
        first = line[0] if line else each
        if line and (
            each.angle != first.angle or first.height - each.height > _SAME_LINE * max(first.size, each.size)
        ):
            yield line
            line = []
        line.append(each)
    if line:
        yield line


def _stretches(line: list[Glyph], number: int) -> Iterator[_Stretch]:
    """A line cut where it has wide gaps."""
    chains = _chains(sorted(line, key=lambda each: each.order))
    chains.sort(key=lambda chain: chain[0].start)
    current: _Stretch | None = None
    for glyph in (each for chain in chains for each in chain):
        if current is not None and glyph.start - current.end <= _APART * glyph.size:
            _add(current, glyph)
            continue
        if current is not None:
            yield current
        unit = Unit(glyph.code.text, [glyph])
        current = _Stretch([unit], glyph.order, number, glyph.start, glyph.end, glyph.height, glyph.size)
    if current is not None:
        yield current


def _chains(line: list[Glyph]) -> list[list[Glyph]]:
    """Glyphs that were drawn one behind another; what is drawn over them is another chain."""
    chains: list[list[Glyph]] = []
    for each in line:
        last = chains[-1][-1] if chains else None
        if last is not None and -0.4 * each.size <= each.start - last.end <= _APART * each.size:
            chains[-1].append(each)
        else:
            chains.append([each])
    return chains


def _add(stretch: _Stretch, glyph: Glyph) -> None:
    near = _SAME_PLACE * (glyph.end - glyph.start)
    # Only what begins before the end can lie over something.
    for unit in stretch.units[-40:] if glyph.start < stretch.end - near else ():
        same = unit.glyphs and abs(unit.glyphs[0].start - glyph.start) < near
        if same and unit.text == glyph.code.text:
            unit.glyphs.append(glyph)
            return
    gap = glyph.start - stretch.end
    wordy = stretch.units[-1].text[-1:].isspace() or glyph.code.text.isspace()
    if not wordy and (gap > _SPACE * glyph.size or gap < -0.5 * glyph.size):
        stretch.units.append(Unit(" "))
    stretch.units.append(Unit(glyph.code.text, [glyph]))
    stretch.order = min(stretch.order, glyph.order)
    stretch.end = max(stretch.end, glyph.end) if gap >= -0.5 * glyph.size else glyph.end
