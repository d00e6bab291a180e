"""Two tallies of the same documents in, how far apart the systems are and how sure out.

The paired bootstrap draws the same units for both systems: its interval is of the difference, and its p is
twice the share of resamples on the far side of zero. Approximate randomisation swaps the two systems' counts
of each unit with a coin: its p is the share of swaps with a difference at least as large. Both p count the
data themselves as one draw more, so neither is ever 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deidlab.errors import CorpusError
from deidlab.evaluate.counts import CountTable, none_if_nan, precision_recall_f1
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.measures import headline_values
from deidlab.evaluate.resample import (
    CHUNK_WEIGHTS,
    ResampleSettings,
    draw_weights,
    interval,
    resample_totals,
    unit_table,
)
from deidlab.evaluate.tally import Tally

# Differences of ratios are equal up to rounding when this close.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of two systems; `difference` is the second less the first."""

    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_bootstrap: float | None = None
    p_randomisation: float | None = None

    @property
    def interval(self) -> Interval:
        return Interval(self.difference, self.low, self.high)


def compare_systems(first: Tally, second: Tally, settings: ResampleSettings) -> dict[str, Difference]:
    """Every headline figure of the two systems, unit by unit on the same documents."""
    if first.ids != second.ids or first.labels != second.labels or first.scored != second.scored:
        raise CorpusError("two systems can be compared only on the same documents and the same labels")
    tables = unit_table(first, settings.unit), unit_table(second, settings.unit)
    scored = first.scored_codes
    points = [headline_values(table.total(), scored) for table in tables]
    if settings.n_resamples == 0 or tables[0].n_rows < 2:
        return {name: _plain(points[0][name], points[1][name]) for name in points[0]}
    drawn = _gaps(zip(*(resample_totals(table, settings) for table in tables), strict=True), scored)
    swapped = _gaps(_swap_totals(*tables, settings), scored)
    return {
        name: _difference(points[0][name], points[1][name], drawn[name], swapped[name], settings.confidence)
        for name in points[0]
    }


def _gaps(totals: Iterator[tuple[CountTable, CountTable]], scored: Ints) -> dict[str, Floats]:
    """Second less first of every figure, over all draws."""
    parts: list[dict[str, Floats]] = []
    for first, second in totals:
        one, two = headline_values(first, scored), headline_values(second, scored)
        parts.append({name: two[name] - one[name] for name in one})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _swap_totals(
    first: CountTable, second: CountTable, settings: ResampleSettings
) -> Iterator[tuple[CountTable, CountTable]]:
    for one, two in _swaps(first.flatten(), second.flatten(), settings):
        yield first.unflatten(one), second.unflatten(two)


def _swaps(one: Floats, two: Floats, settings: ResampleSettings) -> Iterator[tuple[Floats, Floats]]:
    """The sums of both systems after each round of coins, some rounds at a time."""
    gap, sum_one, sum_two = two - one, one.sum(axis=0), two.sum(axis=0)
    # A stream of its own, so that the coins do not follow the resamples.
    random = np.random.default_rng([settings.seed, 1])
    step = max(1, CHUNK_WEIGHTS // len(one))
    for start in range(0, settings.n_resamples, step):
        n_rows = min(step, settings.n_resamples - start)
        coins = random.integers(0, 2, (n_rows, len(one))).astype(np.float64)
        moved = coins @ gap
        yield sum_one + moved, sum_two - moved


def _plain(first: Floats, second: Floats) -> Difference:
    return Difference(none_if_nan(first), none_if_nan(second), none_if_nan(second - first))


def _difference(
    first: Floats, second: Floats, drawn: Floats, swapped: Floats, confidence: float
) -> Difference:
    gap = float(second - first)
    if np.isnan(gap):
        return _plain(first, second)
    bounds = interval(gap, drawn, confidence)
    kept = drawn[~np.isnan(drawn)]
    far = min((kept <= _ROUNDING).sum(), (kept >= -_ROUNDING).sum())
    return Difference(
        none_if_nan(first),
        none_if_nan(second),
        gap,
        bounds.low,
        bounds.high,
        min(1.0, float(2 * (far + 1) / (len(kept) + 1))),
        _p_of_swaps(gap, swapped),
    )


def _p_of_swaps(gap: float, swapped: Floats) -> float:
    """The share of swaps with a difference at least as large, the data themselves counted as one."""
    swaps = swapped[~np.isnan(swapped)]
    as_large = (np.abs(swaps) >= abs(gap) - _ROUNDING).sum()
    return float((as_large + 1) / (len(swaps) + 1))


def compare_types(
    first: Tally, second: Tally, settings: ResampleSettings
) -> dict[str, tuple[Interval, float | None]]:
    """F1 of typed words, the second less the first, of each scored type: its interval and two-sided p."""
    one, two = (_word_cells(unit_table(each, settings.unit), each) for each in (first, second))
    n_types = len(first.scored)
    point = _f1_gap(one.sum(axis=0), two.sum(axis=0), n_types)
    weights = draw_weights(len(one), settings.n_resamples, settings.seed)
    drawn = np.concatenate([_f1_gap(each @ one, each @ two, n_types) for each in weights])
    swapped = np.concatenate([_f1_gap(*sums, n_types) for sums in _swaps(one, two, settings)])
    found: dict[str, tuple[Interval, float | None]] = {}
    for column, label in enumerate(first.scored):
        value = float(point[column])
        if np.isnan(value):
            found[label] = (Interval(None), None)
        else:
            bounds = interval(value, drawn[:, column], settings.confidence)
            found[label] = (bounds, _p_of_swaps(value, swapped[:, column]))
    return found


def _word_cells(table: CountTable, tally: Tally) -> Floats:
    """Units × (scored types × tp, fp, fn), in typed words."""
    chosen: Floats = table.cells["words"][:, tally.scored_codes].astype(np.float64)
    return chosen.reshape(len(chosen), -1)


def _f1_gap(one: Floats, two: Floats, n_types: int) -> Floats:
    shape = (*one.shape[:-1], n_types, 3)
    return precision_recall_f1(two.reshape(shape))[2] - precision_recall_f1(one.reshape(shape))[2]


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Step-down adjustment for as many comparisons as have a p; the order stays."""
    known = sorted((value, index) for index, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, index) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        adjusted[index] = highest
    return adjusted
