"""Spans of several detectors in, one list of candidates out: their union, a vote, or the mean of certainties.

`vote` keeps what more than half of the detectors cover; `mean` gives every stretch the mean of the detectors'
certainties there, silence counting as 0. The label is that of the most certain detector.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence

from deidlab.errors import UnknownNameError
from deidlab.types import Span

HOW = ("union", "vote", "mean")


def combine(proposals: Sequence[Sequence[Span]], how: str = "union") -> list[Span]:
    """One list of candidates out of each detector's; with one detector, its own."""
    if how not in HOW:
        raise UnknownNameError("ensemble", how, HOW)
    if how == "union" or len(proposals) == 1:
        return [span for spans in proposals for span in spans]
    merged: list[Span] = []
    for start, end, covers in _stretches(proposals):
        best = max(covers, key=lambda span: (_certainty(span), span.label, span.source))
        if how == "vote":
            score = _certainty(best) if 2 * len(covers) > len(proposals) else 0.0
        else:
            score = sum(map(_certainty, covers)) / len(proposals)
        if score == 0.0:
            continue
        before = merged[-1] if merged else None
        if before and before.end == start and (before.label, before.score) == (best.label, score):
            merged[-1] = Span(before.start, end, best.label, score, how)
        else:
            merged.append(Span(start, end, best.label, score, how))
    return merged


def _certainty(span: Span) -> float:
    return 1.0 if span.score is None else span.score


def _stretches(proposals: Sequence[Sequence[Span]]) -> Iterator[tuple[int, int, list[Span]]]:
    """Every stretch between two neighbouring edges, with each detector's most certain span over it."""
    edges = sorted({edge for spans in proposals for span in spans for edge in (span.start, span.end)})
    queues = [sorted(spans, key=lambda span: span.start) for spans in proposals]
    places = [0] * len(queues)
    open_spans: list[list[tuple[float, int, Span]]] = [[] for _ in queues]
    for start, end in itertools.pairwise(edges):
        covers = []
        for number, queue in enumerate(queues):
            heap = open_spans[number]
            while places[number] < len(queue) and queue[places[number]].start <= start:
                span = queue[places[number]]
                heapq.heappush(heap, (-_certainty(span), places[number], span))
                places[number] += 1
            while heap and heap[0][2].end <= start:
                heapq.heappop(heap)
            if heap:
                covers.append(heap[0][2])
        if covers:
            yield start, end, covers
