"""The one set of counts: for each document, integers from which every figure is a ratio.

Adding documents up, taking a group of them, or drawing them again at random are all sums over rows, so a
breakdown or a bootstrap never counts anything a second time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidlab.evaluate.layout import Floats, Ints
from deidlab.types import Counts

TP, FP, FN = range(3)


class Size(IntEnum):
    """Plain numbers of a document."""

    DOCUMENTS = 0
    WITH_PHI = 1
    LEAKING = 2
    WORDS = 3
    RIGHT_WORDS = 4
    OVERMASKED_WORDS = 5
    PARTLY_COVERED_WORDS = 6
    PHI_CHARACTERS = 7
    LEAKED_CHARACTERS = 8
    GOLD_SPANS = 9
    SYSTEM_SPANS = 10
    GOLD_GAVE_WAY = 11
    SYSTEM_GAVE_WAY = 12
    GOLD_TWICE = 13
    SYSTEM_TWICE = 14
    GOLD_WORDLESS = 15
    GOLD_UNSCORED = 16
    SYSTEM_UNSCORED = 17
    PLAIN_WORDS = 18


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """`cells` hold each measure's counts under its key: … × labels × 3 where labels must agree, else … × 3.

    `sizes` are … × Size; … is documents, or none once they are added up.
    """

    cells: Mapping[str, NDArray[Any]]
    sizes: NDArray[Any]

    @property
    def n_rows(self) -> int:
        return len(self.sizes)

    def map(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> CountTable:
        return CountTable({key: change(part) for key, part in self.cells.items()}, change(self.sizes))

    def flatten(self) -> Floats:
        """One row a document, one column a count; `unflatten` is the mirror."""
        parts = [part.reshape(self.n_rows, -1) for part in (*self.cells.values(), self.sizes)]
        return np.concatenate(parts, axis=1).astype(np.float64)

    def unflatten(self, columns: Floats) -> CountTable:
        """Sums of this table's rows, such as `weights @ table.flatten()`, in this table's shape."""
        lead, done, cells = columns.shape[:-1], 0, {}
        for key, part in self.cells.items():
            n_columns = math.prod(part.shape[1:])
            cells[key] = columns[..., done : done + n_columns].reshape(*lead, *part.shape[1:])
            done += n_columns
        return CountTable(cells, columns[..., done:])

    def take(self, rows: NDArray[Any]) -> CountTable:
        return self.map(lambda part: part[rows])

    def total(self) -> CountTable:
        return self.map(lambda part: part.sum(axis=0))

    def merge_rows(self, owner: Ints, n_owners: int) -> CountTable:
        """Rows of one owner added up: documents of one patient, for instance."""

        def add(part: NDArray[Any]) -> NDArray[Any]:
            added = np.zeros((n_owners, *part.shape[1:]), part.dtype)
            np.add.at(added, owner, part)
            return added

        return self.map(add)


def join_tables(tables: Sequence[CountTable]) -> CountTable:
    """Tables of runs of documents as one."""
    return CountTable(
        {key: np.concatenate([table.cells[key] for table in tables]) for key in tables[0].cells},
        np.concatenate([table.sizes for table in tables]),
    )


def to_counts(cell: NDArray[Any]) -> Counts:
    """Three numbers as the value that travels."""
    return Counts(int(cell[TP]), int(cell[FP]), int(cell[FN]))


def ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """part / whole, and NaN where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    answer = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=answer, where=whole > 0)
    return answer


def none_if_nan(value: NDArray[np.float64] | float) -> float | None:
    return None if np.isnan(value) else float(value)


def precision_recall_f1(cells: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """The three ratios of … × 3 counts."""
    tp, fp, fn = cells[..., TP], cells[..., FP], cells[..., FN]
    return ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn)
