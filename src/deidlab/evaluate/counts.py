"""The one set of counts: for each document, integers from which every figure is a ratio.

Adding documents up, taking a group of them, or drawing them again at random are all sums over rows, so a
breakdown or a bootstrap never counts anything a second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidlab.evaluate.layout import Floats, Ints
from deidlab.types import Counts

TP, FP, FN = range(3)


class Typed(IntEnum):
    """Measures kept a label: a false alarm counts against the system's label, a miss against the gold's."""

    WORD = 0
    STRICT = 1
    RELAXED = 2
    OVERLAP = 3
    TOKEN = 4
    MASKED = 5  # words of this gold label hidden under any span (tp) or leaked (fn); nothing is an alarm


class Blind(IntEnum):
    """Measures that leave the label aside."""

    WORD = 0
    EXACT = 1
    TOUCHING = 2
    I2B2_TOKEN = 3
    I2B2_STRICT = 4
    HIPAA_TOKEN = 5
    HIPAA_STRICT = 6
    MERGED = 7


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
    """`typed` is … × Typed × labels × 3, `blind` … × Blind × 3, `sizes` … × Size; … is documents, or none."""

    typed: NDArray[Any]
    blind: NDArray[Any]
    sizes: NDArray[Any]

    @property
    def n_rows(self) -> int:
        return len(self.sizes)

    def flatten(self) -> Floats:
        """One row a document, one column a count; `unflatten` is the mirror."""
        rows = self.n_rows
        parts = [part.reshape(rows, -1) for part in (self.typed, self.blind, self.sizes)]
        return np.concatenate(parts, axis=1).astype(np.float64)

    def unflatten(self, columns: Floats) -> CountTable:
        """Sums of this table's rows, such as `weights @ table.flatten()`, in this table's shape."""
        lead = columns.shape[:-1]
        n_typed, n_blind = int(np.prod(self.typed.shape[1:])), int(np.prod(self.blind.shape[1:]))
        typed, blind, sizes = np.split(columns, [n_typed, n_typed + n_blind], axis=-1)
        return CountTable(
            typed.reshape(*lead, *self.typed.shape[1:]), blind.reshape(*lead, *self.blind.shape[1:]), sizes
        )

    def take(self, rows: NDArray[Any]) -> CountTable:
        return CountTable(self.typed[rows], self.blind[rows], self.sizes[rows])

    def total(self) -> CountTable:
        return CountTable(self.typed.sum(axis=0), self.blind.sum(axis=0), self.sizes.sum(axis=0))

    def merge_rows(self, owner: Ints, n_owners: int) -> CountTable:
        """Rows of one owner added up: documents of one patient, for instance."""
        return CountTable(
            *(_add_rows(part, owner, n_owners) for part in (self.typed, self.blind, self.sizes))
        )


def join_tables(tables: Iterable[CountTable]) -> CountTable:
    """Tables of runs of documents as one."""
    every = list(tables)
    return CountTable(
        np.concatenate([table.typed for table in every]),
        np.concatenate([table.blind for table in every]),
        np.concatenate([table.sizes for table in every]),
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


def precision_recall_f1(cells: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """The three ratios of … × 3 counts."""
    tp, fp, fn = cells[..., TP], cells[..., FP], cells[..., FN]
    return ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn)


def _add_rows(part: NDArray[Any], owner: Ints, n_owners: int) -> NDArray[Any]:
    added = np.zeros((n_owners, *part.shape[1:]), part.dtype)
    np.add.at(added, owner, part)
    return added
