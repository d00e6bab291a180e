"""Notes and what masking made of them in, how much of their clinical content is kept out.

An item is kept where the masked note says the same as often; an interval where two dates are as far apart as
before. Counts are of notes, so that whole notes are drawn again for intervals, and styles are held against
each other on the same draws.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.resample import ResampleSettings, draw_weights, interval
from deidlab.mask.dates import anchor_of
from deidlab.types import Document, MaskedDocument
from deidlab.utility.clinical import KINDS, find_items
from deidlab.utility.learning import sum_by_unit

ALL = (*KINDS, "intervals")
"""What is counted, in the order of columns."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Notes × kinds: how many there were, how many are kept, and how many are there that were not."""

    there: Floats
    kept: Floats
    new: Floats

    def shares(self, columns: Sequence[int], settings: ResampleSettings, owners: Ints) -> Interval:
        """The share kept of these kinds together; `owners` has for each note what is drawn again with it."""
        there, kept = (part[:, list(columns)].sum(axis=1) for part in (self.there, self.kept))
        return _ratio_interval(sum_by_unit(kept, owners), sum_by_unit(there, owners), settings)


def count_kept(
    documents: Sequence[Document], masked: Sequence[MaskedDocument], day_first: bool, language: str
) -> Kept:
    """The masked notes are those of the documents, in the same order."""
    rows = [
        _count_note(one, other, day_first, language) for one, other in zip(documents, masked, strict=True)
    ]
    there, kept, new = (np.array([row[part] for row in rows], float) for part in range(3))
    return Kept(there, kept, new)


def compare_kept(one: Kept, other: Kept, settings: ResampleSettings, owners: Ints) -> Interval:
    """How much more of all kinds together the one keeps, on the same draws."""
    more = sum_by_unit((one.kept - other.kept).sum(axis=1), owners)
    return _ratio_interval(more, sum_by_unit(one.there.sum(axis=1), owners), settings)


def find_owners(documents: Sequence[Document], unit: str) -> Ints:
    """What is drawn again with each note: the note itself, or its patient."""
    if unit == "document":
        return np.arange(len(documents))
    return np.unique(np.array([each.patient for each in documents], object), return_inverse=True)[1]


def _ratio_interval(upper: Floats, lower: Floats, settings: ResampleSettings) -> Interval:
    whole = float(lower.sum())
    value = float(upper.sum()) / whole if whole else float("nan")
    if not whole or len(lower) < 2 or not settings.n_resamples:
        return Interval(value if whole else None)
    drawn = []
    for weights in draw_weights(len(lower), settings.n_resamples, settings.seed):
        totals = weights @ lower
        drawn.append(np.divide(weights @ upper, totals, out=np.full(len(totals), np.nan), where=totals > 0))
    return interval(value, np.concatenate(drawn), settings.confidence)


def _count_note(
    document: Document, masked: MaskedDocument, day_first: bool, language: str
) -> tuple[list[int], list[int], list[int]]:
    before, after = _by_kind(document.text), _by_kind(masked.text)
    there = [before[kind].total() for kind in KINDS]
    kept = [(before[kind] & after[kind]).total() for kind in KINDS]
    new = [(after[kind] - before[kind]).total() for kind in KINDS]
    gaps = _gaps(document, masked, day_first, language)
    return [*there, len(gaps)], [*kept, sum(gaps)], [*new, 0]


def _by_kind(text: str) -> Mapping[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for item in find_items(text):
        counts[item.kind][item.said] += 1
    return counts


def _gaps(document: Document, masked: MaskedDocument, day_first: bool, language: str) -> list[bool]:
    """For every two whole dates in a row that were replaced: whether they are as far apart as before."""
    dates: list[tuple[dt.date, dt.date | None]] = []
    for span, new in masked.replacements:
        before = anchor_of(document.text[span.start : span.end], day_first, language)
        if before is not None:
            dates.append((before, anchor_of(new, day_first, language)))
    return [
        one[1] is not None and other[1] is not None and other[0] - one[0] == other[1] - one[1]
        for one, other in pairwise(dates)
    ]
