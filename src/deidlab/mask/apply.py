"""Spans and what replaces them in, edited text out: the only code that edits text.

`settle` turns any spans into disjoint ones that cover the same characters; `apply` and `undo` are each
other's mirror; `move_spans` gives the same annotations with their offsets in the edited text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from deidlab.errors import AlignmentError
from deidlab.types import Region, Span

Replacement = tuple[Span, str]


def settle(spans: Iterable[Span], rank: Callable[[Span], int] = lambda span: 0) -> tuple[Span, ...]:
    """Disjoint spans that cover every character the given ones cover.

    Spans that overlap become one, from the first start to the last end, under the label, score and source of
    the longest of those that rank highest: nothing that somebody marked is left in the text. Spans that only
    touch stay apart.
    """
    settled: list[Span] = []
    strongest: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.label, s.source)):
        strength = (rank(span), span.end - span.start)
        if settled and span.start < settled[-1].end:
            last = settled[-1]
            lead = span if strength > strongest[-1] else last
            end = max(last.end, span.end)
            settled[-1] = Span(last.start, end, lead.label, lead.score, lead.source)
            strongest[-1] = max(strongest[-1], strength)
        else:
            settled.append(span)
            strongest.append(strength)
    return tuple(settled)


def give_way(settled: Sequence[Span], spans: Iterable[Span]) -> list[list[Span]]:
    """For each settled span those that gave way to it: they lie in it and have another label."""
    others: list[list[Span]] = [[] for _ in settled]
    index = 0
    for span in sorted(spans, key=lambda s: s.start):
        while settled[index].end <= span.start:
            index += 1
        if span.label != settled[index].label:
            others[index].append(span)
    return others


def apply(text: str, replacements: Sequence[Replacement]) -> str:
    """The text with each span replaced; spans are disjoint and in order, all else stays as it was."""
    parts: list[str] = []
    done = 0
    for span, new in replacements:
        if span.start < done or span.end > len(text):
            raise AlignmentError(
                f"span {span.start}–{span.end} overlaps the one before it or reaches past the text"
            )
        parts += (text[done : span.start], new)
        done = span.end
    parts.append(text[done:])
    return "".join(parts)


def landings(replacements: Sequence[Replacement]) -> list[tuple[int, int]]:
    """Where each replacement stands in the edited text."""
    shift = 0
    places = []
    for span, new in replacements:
        start = span.start + shift
        places.append((start, start + len(new)))
        shift += len(new) - (span.end - span.start)
    return places


def move_regions(regions: Sequence[Region], replacements: Sequence[Replacement]) -> tuple[Region, ...]:
    """The regions with their offsets in the edited text; a replacement across the edge of one is an error."""
    moved: list[Region] = []
    index = shift = 0
    for region in regions:
        start = region.start + shift
        cuts = _move_cuts(region.cuts, replacements, index, shift)
        while index < len(replacements) and replacements[index][0].start < region.end:
            span, new = replacements[index]
            if span.start < region.start or span.end > region.end:
                raise AlignmentError(f"span {span.start}–{span.end} reaches over the edge of its region")
            shift += len(new) - (span.end - span.start)
            index += 1
        moved.append(replace(region, start=start, end=region.end + shift, cuts=cuts))
    if index < len(replacements):
        raise AlignmentError("a replaced span lies outside all regions")
    return tuple(moved)


def _move_cuts(
    cuts: Sequence[int], replacements: Sequence[Replacement], index: int, shift: int
) -> tuple[int, ...]:
    """Cuts in the edited text: what is replaced over a cut stands before it."""
    moved = []
    for cut in cuts:
        while index < len(replacements) and replacements[index][0].end <= cut:
            span, new = replacements[index]
            shift += len(new) - (span.end - span.start)
            index += 1
        inside = index < len(replacements) and replacements[index][0].start < cut
        moved.append(
            replacements[index][0].start + shift + len(replacements[index][1]) if inside else cut + shift
        )
    return tuple(moved)


def undo(edited: str, pieces: Sequence[tuple[int, int, str]]) -> str:
    """The text as it was: each piece says which stretch of the edited text stood for which original."""
    return apply(edited, [(Span(start, end, "x"), original) for start, end, original in pieces])


def move_spans(spans: Iterable[Span], replacements: Sequence[Replacement]) -> tuple[Span, ...]:
    """The same annotations with offsets in the edited text; those replaced get their replacement's edges."""
    moved: list[Span] = []
    index = shift = 0
    ordered = sorted(spans, key=lambda s: (s.start, s.end))
    places = landings(replacements)
    for span in ordered:
        while index < len(replacements) and replacements[index][0].end <= span.start:
            shift = places[index][1] - replacements[index][0].end
            index += 1
        start, end = span.start + shift, span.end + shift
        inside = index
        while inside < len(replacements) and replacements[inside][0].start < span.end:
            old = replacements[inside][0]
            if inside == index and old.start <= span.start:
                start = places[inside][0]
            delta = places[inside][1] - old.end
            end = max(span.end, old.end) + delta
            inside += 1
        moved.append(Span(start, end, span.label, span.score, span.source))
    return tuple(moved)
