"""Figure 3's question, answered: of which types the best model is better than each other, and how surely.

The same documents are drawn for both models, and their answers swapped by the same coins, as for the figures
over all types; only the counts of each type's words are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deidlab.evaluate.counts import CountTable, Typed, precision_recall_f1
from deidlab.evaluate.layout import Floats
from deidlab.evaluate.resample import (
    CHUNK_WEIGHTS,
    Interval,
    ResampleSettings,
    draw_weights,
    interval,
    unit_table,
)
from deidlab.evaluate.tally import Tally
from deidlab.report.cells import DataTable, Value, columns_of
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.study.tables.overall import holm, resample_note
from deidlab.report.study.tables.types import types_in_order

# Differences of ratios are equal up to rounding when this close.
_ROUNDING = 1e-12


def type_gap_table(study: ScoredStudy) -> DataTable | None:
    """F1 of the best model less that of each other model, type by type."""
    if len(study.models) < 2 or not study.resample.n_resamples:
        return None
    best = study.models[0]
    rows: list[tuple[Value, ...]] = []
    for other in study.models[1:]:
        gaps = type_gaps(other.score.tally, best.score.tally, study.resample)
        labels = [label for label in types_in_order(study) if label in gaps]
        adjusted = holm([gaps[label][1] for label in labels])
        rows += [
            (best.name, other.name, label, *gaps[label], p) for label, p in zip(labels, adjusted, strict=True)
        ]
    columns = columns_of(
        ("first", "Model", "text"), ("second", "Against", "text"), ("type", "Type", "text"),
        ("f1", "F1, difference", "signed"), ("p", "p swaps", "p"), ("p_holm", "p, Holm", "p"),
    )  # fmt: skip
    note = (
        f"First less second on the same test notes, typed words, paired by {study.resample.unit}; Holm "
        f"over the types of a pair. {resample_note(study)}"
    )
    return DataTable("figure-3-significance", "Paired differences by type", columns, tuple(rows), note)


def type_gaps(
    first: Tally, second: Tally, settings: ResampleSettings
) -> dict[str, tuple[Interval, float | None]]:
    """F1 of the second less the first for each scored type, with its interval and two-sided p."""
    tables = [_cells(unit_table(each, settings.unit), each) for each in (first, second)]
    n_units, n_types, _ = tables[0].shape
    one, two = (table.reshape(n_units, -1) for table in tables)
    point = _gap(one.sum(axis=0), two.sum(axis=0), n_types)
    drawn = np.concatenate(
        [
            _gap(weights @ one, weights @ two, n_types)
            for weights in draw_weights(n_units, settings.n_resamples, settings.seed)
        ]
    )
    swapped = np.concatenate([_gap(*sums, n_types) for sums in _swaps(one, two, settings)])
    found: dict[str, tuple[Interval, float | None]] = {}
    for column, label in enumerate(first.scored):
        value = float(point[column])
        if np.isnan(value):
            found[label] = (Interval(None), None)
            continue
        swaps = swapped[:, column][~np.isnan(swapped[:, column])]
        as_large = int((np.abs(swaps) >= abs(value) - _ROUNDING).sum())
        bounds = interval(value, drawn[:, column], settings.confidence)
        found[label] = (bounds, (as_large + 1) / (len(swaps) + 1))
    return found


def _cells(table: CountTable, tally: Tally) -> Floats:
    """Units × scored types × (tp, fp, fn) of words."""
    chosen: Floats = table.typed[:, Typed.WORD][:, tally.scored_codes].astype(np.float64)
    return chosen


def _gap(one: Floats, two: Floats, n_types: int) -> Floats:
    shape = (*one.shape[:-1], n_types, 3)
    return precision_recall_f1(two.reshape(shape))[2] - precision_recall_f1(one.reshape(shape))[2]


def _swaps(one: Floats, two: Floats, settings: ResampleSettings) -> Iterator[tuple[Floats, Floats]]:
    gap, sum_one, sum_two = two - one, one.sum(axis=0), two.sum(axis=0)
    random = np.random.default_rng([settings.seed, 1])
    step = max(1, CHUNK_WEIGHTS // len(one))
    for start in range(0, settings.n_resamples, step):
        n_rows = min(step, settings.n_resamples - start)
        moved = random.integers(0, 2, (n_rows, len(one))).astype(np.float64) @ gap
        yield sum_one + moved, sum_two - moved
