"""Glyphs of a page in the order of reading: what stands on one line is a line, whatever drew it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from deidlab.carriers.pdf_state import Glyph

_SAME_LINE = 0.35
_SAME_PLACE = 0.3
_SPACE = 0.17
_APART = 2.5
_PARAGRAPH = 1.9


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


def read_page(glyphs: Sequence[Glyph]) -> list[Unit]:
    """The units of a page; spaces and line ends stand where the page has room between them."""
    stretches = [each for number, line in enumerate(_lines(glyphs)) for each in _stretches(line, number)]
    stretches.sort(key=lambda each: each.order)
    units: list[Unit] = []
    before: _Stretch | None = None
    for each in stretches:
        if before is not None:
            units.append(Unit(_between(before, each)))
        units += each.units
        before = each
    return units


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
    for unit in stretch.units[-40:]:
        same = unit.glyphs and abs(unit.glyphs[0].start - glyph.start) < _SAME_PLACE * (
            glyph.end - glyph.start
        )
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
