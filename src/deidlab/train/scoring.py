"""Predicted and gold spans in, strict scores out: a span counts where start, end and label all agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from deidlab.types import Counts, Span


def count_strict(gold: Iterable[Sequence[Span]], found: Iterable[Sequence[Span]]) -> dict[str, Counts]:
    """Counts by label over all documents, in the order of the alphabet."""
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for gold_spans, found_spans in zip(gold, found, strict=True):
        gold_keys = {(span.start, span.end, span.label) for span in gold_spans}
        found_keys = {(span.start, span.end, span.label) for span in found_spans}
        wanted.update(label for _, _, label in gold_keys)
        said.update(label for _, _, label in found_keys)
        right.update(label for _, _, label in gold_keys & found_keys)
    return {
        label: Counts(right[label], said[label] - right[label], wanted[label] - right[label])
        for label in sorted(wanted | said)
    }


def total_counts(counts: dict[str, Counts]) -> Counts:
    return sum(counts.values(), Counts())
