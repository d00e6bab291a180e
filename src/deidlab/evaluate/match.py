"""Gold and system spans in, which of them count as the same out.

Four rules, each one to one, so that no span is credited twice. Where several pairings are possible the
largest is taken: its size does not depend on the order in which spans come.

- strict: same label, start and end;
- relaxed: same label and start, the end off by at most two characters (the i2b2 2014 rule);
- overlap: same label, at least one character in common;
- exact, touching: strict and overlap with labels left aside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deidlab.evaluate.layout import Flags, Ints, SpanTable, expand_ranges
from deidlab.evaluate.matching import FREE, largest_matching

RELAXED_END = 2


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """For each gold and each system span, whether it found its partner."""

    gold: Flags
    system: Flags


def match_strict(gold: SpanTable, system: SpanTable) -> Matched:
    width = _width(gold, system)
    return _match_keys(_keys(gold, width), _keys(system, width))


def match_relaxed(gold: SpanTable, system: SpanTable) -> Matched:
    n_labels = _n_labels(gold, system)
    keys = system.start * n_labels + system.label
    order = np.argsort(keys, kind="stable")
    wanted = gold.start * n_labels + gold.label
    low = np.searchsorted(keys, wanted, side="left", sorter=order)
    high = np.searchsorted(keys, wanted, side="right", sorter=order)
    left, right = expand_ranges(low, high)
    right = order[right]
    near = np.abs(gold.end[left] - system.end[right]) <= RELAXED_END
    return _largest_matching(left[near], right[near], len(gold), len(system))


def match_overlap(gold: SpanTable, system: SpanTable) -> Matched:
    left, right = _overlaps(gold, system)
    same = gold.label[left] == system.label[right]
    return _largest_matching(left[same], right[same], len(gold), len(system))


def match_touching(gold: SpanTable, system: SpanTable) -> Matched:
    return _largest_matching(*_overlaps(gold, system), len(gold), len(system))


def drop_labels(spans: SpanTable) -> SpanTable:
    """The same stretches, each once, all under one label: what measures that ignore the label compare."""
    first = np.ones(len(spans), np.bool_)
    first[1:] = (spans.start[1:] != spans.start[:-1]) | (spans.end[1:] != spans.end[:-1])
    kept = spans.take(first)
    blank = np.zeros_like(kept.label)
    return SpanTable(kept.doc, kept.start, kept.end, blank, kept.score, kept.flat, kept.wanted)


def count_matched(gold: SpanTable, system: SpanTable, matched: Matched, n_docs: int, n_labels: int) -> Ints:
    """True positives, false positives and false negatives: documents × labels × 3."""
    found = _tally(gold.take(matched.gold), n_docs, n_labels)
    alarms = _tally(system.take(~matched.system), n_docs, n_labels)
    misses = _tally(gold.take(~matched.gold), n_docs, n_labels)
    return np.stack([found, alarms, misses], axis=-1)


def _tally(spans: SpanTable, n_docs: int, n_labels: int) -> Ints:
    cells = np.bincount(spans.doc * n_labels + spans.label, minlength=n_docs * n_labels)
    return cells.reshape(n_docs, n_labels)


def _width(gold: SpanTable, system: SpanTable) -> tuple[int, int]:
    longest = max(int(spans.end.max(initial=0)) for spans in (gold, system)) + 1
    return longest, _n_labels(gold, system)


def _n_labels(gold: SpanTable, system: SpanTable) -> int:
    return max(int(spans.label.max(initial=0)) for spans in (gold, system)) + 1


def _keys(spans: SpanTable, width: tuple[int, int]) -> Ints:
    longest, n_labels = width
    return (spans.start * longest + spans.end) * n_labels + spans.label


def _match_keys(gold: Ints, system: Ints) -> Matched:
    return Matched(np.isin(gold, system, assume_unique=True), np.isin(system, gold, assume_unique=True))


def _overlaps(gold: SpanTable, system: SpanTable) -> tuple[Ints, Ints]:
    """Every gold and system span that share a character, as two arrays of row numbers."""
    if not len(gold) or not len(system):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    reached = np.maximum.accumulate(system.end)
    low = np.searchsorted(reached, gold.start, side="right")
    high = np.searchsorted(system.start, gold.end, side="left")
    left, right = expand_ranges(low, high)
    shared = system.end[right] > gold.start[left]
    return left[shared], right[shared]


def _largest_matching(left: Ints, right: Ints, n_left: int, n_right: int) -> Matched:
    gold, system = np.zeros(n_left, np.bool_), np.zeros(n_right, np.bool_)
    alone = (np.bincount(left, minlength=n_left)[left] == 1) & (
        np.bincount(right, minlength=n_right)[right] == 1
    )
    gold[left[alone]] = True
    system[right[alone]] = True
    if not alone.all():
        left, right = left[~alone], right[~alone]
        # Numbered anew: only few of all spans are left.
        golds, one = np.unique(left, return_inverse=True)
        systems, other = np.unique(right, return_inverse=True)
        partner = np.array(largest_matching(one.tolist(), other.tolist(), len(golds), len(systems)))
        gold[golds[partner != FREE]] = True
        system[systems[partner[partner != FREE]]] = True
    return Matched(gold, system)
