"""Counts a document in, intervals out: documents or patients drawn again with replacement.

A resample is a row of weights, so thousands of them are one matrix product. Intervals are percentiles.
A resample in which a figure has nothing to divide by is left out of that figure's interval. Where every
unit scores the same the interval has no width: a leak rate of nought needs the Clopper–Pearson bound.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.evaluate.counts import CountTable, none_if_nan, precision_recall_f1
from deidlab.evaluate.intervals import Interval, Intervals
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.measures import headline_values
from deidlab.evaluate.tally import Tally

UNITS = ("document", "patient")
# Weights held at once: 2,000 resamples of 2,000 units.
CHUNK_WEIGHTS = 4_000_000


@dataclass(frozen=True, slots=True)
class ResampleSettings:
    """`unit` is what is drawn: patients where their notes resemble each other."""

    n_resamples: int = 2000
    seed: int = 0
    confidence: float = 0.95
    unit: str = "document"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise UnknownNameError("unit", self.unit, UNITS)
        if self.n_resamples < 0:
            raise ConfigError(f"{self.n_resamples} resamples are impossible: 0 leaves intervals out")
        if not 0 < self.confidence < 1:
            raise ConfigError(f"a confidence of {self.confidence} is impossible: it lies between 0 and 1")


def bootstrap(tally: Tally, settings: ResampleSettings, rows: Ints | None = None) -> Intervals:
    """Intervals over all documents, or over those rows."""
    table = unit_table(tally, settings.unit, rows)
    scored = tally.scored_codes
    point = table.total()
    values = headline_values(point, scored)
    f1 = _type_f1(point, scored)
    if settings.n_resamples == 0 or table.n_rows < 2:
        return Intervals(
            {name: Interval(none_if_nan(value)) for name, value in values.items()},
            {label: Interval(none_if_nan(value)) for label, value in zip(tally.scored, f1, strict=True)},
            table.n_rows,
        )
    drawn: list[dict[str, Floats]] = []
    drawn_f1: list[Floats] = []
    for totals in resample_totals(table, settings):
        drawn.append(headline_values(totals, scored))
        drawn_f1.append(_type_f1(totals, scored))
    types = np.concatenate(drawn_f1)
    return Intervals(
        {
            name: interval(value, np.concatenate([part[name] for part in drawn]), settings.confidence)
            for name, value in values.items()
        },
        {
            label: interval(f1[column], types[:, column], settings.confidence)
            for column, label in enumerate(tally.scored)
        },
        table.n_rows,
    )


def bootstrap_types(tally: Tally, settings: ResampleSettings, measure: str) -> dict[str, Interval]:
    """F1 of each scored type by that measure."""
    return dict(
        zip(tally.scored, _intervals(tally, settings, partial(_type_f1, measure=measure)), strict=True)
    )


def bootstrap_recall(tally: Tally, labels: Collection[str], settings: ResampleSettings) -> Interval:
    """The share of the words of these types together that spans of any label hide."""
    codes = [code for code, label in enumerate(tally.labels) if label in labels]

    def recall(totals: CountTable, _: Ints) -> Floats:
        return precision_recall_f1(totals.cells["masked"][..., codes, :].sum(axis=-2, keepdims=True))[1]

    return _intervals(tally, settings, recall)[0]


def bootstrap_type_recall(tally: Tally, settings: ResampleSettings) -> dict[str, Interval]:
    """The same of each scored type by itself."""

    def recall(totals: CountTable, scored: Ints) -> Floats:
        return precision_recall_f1(totals.cells["masked"][..., scored, :])[1]

    return dict(zip(tally.scored, _intervals(tally, settings, recall), strict=True))


def _intervals(
    tally: Tally, settings: ResampleSettings, figures: Callable[[CountTable, Ints], Floats]
) -> list[Interval]:
    """Of figures that are columns of one array."""
    table, scored = unit_table(tally, settings.unit), tally.scored_codes
    values = figures(table.total(), scored)
    if settings.n_resamples == 0 or table.n_rows < 2:
        return [Interval(none_if_nan(value)) for value in values]
    drawn = np.concatenate([figures(totals, scored) for totals in resample_totals(table, settings)])
    return [interval(value, drawn[:, column], settings.confidence) for column, value in enumerate(values)]


def unit_table(tally: Tally, unit: str, rows: Ints | None = None) -> CountTable:
    """One row of counts a unit, in the order of documents or of patients' names."""
    table = tally.table if rows is None else tally.table.take(rows)
    if unit == "document":
        return table
    patients = tally.patients if rows is None else [tally.patients[row] for row in rows]
    names, owner = np.unique(np.array(patients, object), return_inverse=True)
    return table.merge_rows(owner, len(names))


def resample_totals(table: CountTable, settings: ResampleSettings) -> Iterator[CountTable]:
    """The sums of every resample, some resamples at a time."""
    columns = table.flatten()
    for weights in draw_weights(table.n_rows, settings.n_resamples, settings.seed):
        yield table.unflatten(weights @ columns)


def draw_weights(n_units: int, n_resamples: int, seed: int) -> Iterator[Floats]:
    """How often each unit is drawn: resamples × units, each row adding up to the number of units."""
    random = np.random.default_rng(seed)
    step = max(1, CHUNK_WEIGHTS // n_units)
    for first in range(0, n_resamples, step):
        n_rows = min(step, n_resamples - first)
        drawn = random.integers(0, n_units, (n_rows, n_units)) + np.arange(n_rows)[:, None] * n_units
        times = np.bincount(drawn.ravel(), minlength=n_rows * n_units)
        yield times.reshape(n_rows, n_units).astype(np.float64)


def interval(value: Floats | float, drawn: Floats, confidence: float) -> Interval:
    """The percentiles that leave equal tails outside."""
    kept = drawn[~np.isnan(drawn)]
    if not len(kept):
        return Interval(none_if_nan(value))
    tail = (1 - confidence) / 2
    low, high = np.quantile(kept, (tail, 1 - tail))
    return Interval(none_if_nan(value), float(low), float(high))


def _type_f1(totals: CountTable, scored: Ints, measure: str = "words") -> Floats:
    return precision_recall_f1(totals.cells[measure][..., scored, :])[2]
