"""Counts in, figures out: the study's word-level measures, entity level, averages, and the headline.

Micro pools the counts of all types. Macro is the plain mean over the types present in the gold, weighted
the mean by their gold counts; a type that the system never names has no precision, which both means take
as 0. Everywhere else a ratio with nothing to divide by is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidlab.evaluate.counts import (
    FN,
    FP,
    TP,
    Blind,
    CountTable,
    Size,
    Typed,
    precision_recall_f1,
    ratio,
    to_counts,
)
from deidlab.evaluate.i2b2 import i2b2_scores
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.official import official_scores
from deidlab.evaluate.tally import Tally
from deidlab.types import Counts

RATIOS = ("precision", "recall", "f1")
ENTITY_MODES = {"strict": Typed.STRICT, "relaxed": Typed.RELAXED, "overlap": Typed.OVERLAP}


@dataclass(frozen=True, slots=True)
class Average:
    """A mean of the types' own ratios."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class LevelScores:
    """One way to match, all ways to average; `by_type` holds every scored type, present or not."""

    micro: Counts
    macro: Average
    weighted: Average
    by_type: Mapping[str, Counts]


@dataclass(frozen=True, slots=True)
class Summary:
    """Every figure of one system over some documents."""

    n_documents: int
    n_patients: int
    sizes: Mapping[str, int]
    accuracy: float | None
    words: LevelScores
    words_binary: Counts
    entities: Mapping[str, LevelScores]
    entities_binary: Counts
    entities_binary_overlap: Counts
    i2b2_2014: Mapping[str, Mapping[str, Mapping[str, float]]]
    official: Mapping[str, Mapping[str, Mapping[str, float]]]

    @property
    def absent(self) -> tuple[str, ...]:
        """Scored types that the gold does not hold."""
        by_type = self.entities["strict"].by_type
        return tuple(label for label, counts in by_type.items() if counts.tp + counts.fn == 0)


def summarise(tally: Tally, rows: Ints | None = None) -> Summary:
    """The figures of all documents, or of those rows."""
    table = tally.table if rows is None else tally.table.take(rows)
    patients = tally.patients if rows is None else [tally.patients[row] for row in rows]
    total = table.total()
    sizes = {size.name.lower(): int(total.sizes[size]) for size in Size}
    return Summary(
        n_documents=table.n_rows,
        n_patients=len(set(patients)),
        sizes=sizes,
        accuracy=none_if_nan(ratio(total.sizes[Size.RIGHT_WORDS], total.sizes[Size.WORDS])),
        words=_level(tally, total.typed[Typed.WORD]),
        words_binary=to_counts(total.blind[Blind.WORD]),
        entities={name: _level(tally, total.typed[mode]) for name, mode in ENTITY_MODES.items()},
        entities_binary=to_counts(total.blind[Blind.EXACT]),
        entities_binary_overlap=to_counts(total.blind[Blind.TOUCHING]),
        i2b2_2014=i2b2_scores(table, tally.labels),
        official=official_scores(table),
    )


def headline_values(totals: CountTable, scored: Ints) -> dict[str, Floats]:
    """The headline figures of sums of counts of any leading shape: one corpus, or thousands of resamples."""
    typed = totals.typed[..., scored, :]
    blind, sizes = totals.blind, totals.sizes
    figures: dict[str, Floats] = {}
    for name, cells in (
        ("words", typed[..., Typed.WORD, :, :].sum(axis=-2)),
        ("words_binary", blind[..., Blind.WORD, :]),
        *((mode, typed[..., row, :, :].sum(axis=-2)) for mode, row in ENTITY_MODES.items()),
        ("binary", blind[..., Blind.EXACT, :]),
    ):
        for key, values in zip(RATIOS, precision_recall_f1(cells), strict=True):
            figures[f"{name}.{key}"] = values
    figures["words.accuracy"] = ratio(sizes[..., Size.RIGHT_WORDS], sizes[..., Size.WORDS])
    macro, weighted = type_averages(typed[..., Typed.WORD, :, :])
    figures["words.macro_f1"], figures["words.weighted_f1"] = macro[2], weighted[2]
    masked = typed[..., Typed.MASKED, :, :].sum(axis=-2)
    leaked, characters = sizes[..., Size.LEAKED_CHARACTERS], sizes[..., Size.PHI_CHARACTERS]
    with_phi, leaking = sizes[..., Size.WITH_PHI], sizes[..., Size.LEAKING]
    figures["privacy.word_recall"] = ratio(masked[..., TP], masked[..., TP] + masked[..., FN])
    figures["privacy.character_recall"] = ratio(characters - leaked, characters)
    figures["privacy.clean_documents"] = ratio(with_phi - leaking, with_phi)
    figures["privacy.leaked_words_per_document"] = ratio(masked[..., FN], sizes[..., Size.DOCUMENTS])
    return figures


def type_averages(cells: NDArray[np.float64] | Ints) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Macro and weighted precision, recall and F1 of … × types × 3 counts."""
    support = (cells[..., TP] + cells[..., FN]).astype(np.float64)
    present = (support > 0).astype(np.float64)
    own = [np.nan_to_num(part) for part in precision_recall_f1(cells)]
    macro = tuple(ratio((part * present).sum(axis=-1), present.sum(axis=-1)) for part in own)
    weighted = tuple(ratio((part * support).sum(axis=-1), support.sum(axis=-1)) for part in own)
    return macro, weighted


def none_if_nan(value: NDArray[np.float64] | float) -> float | None:
    return None if np.isnan(value) else float(value)


def _level(tally: Tally, cells: Ints) -> LevelScores:
    chosen = cells[tally.scored_codes]
    macro, weighted = type_averages(chosen)
    total = chosen.sum(axis=0)
    return LevelScores(
        Counts(int(total[TP]), int(total[FP]), int(total[FN])),
        Average(*(none_if_nan(value) for value in macro)),
        Average(*(none_if_nan(value) for value in weighted)),
        {label: to_counts(cell) for label, cell in zip(tally.scored, chosen, strict=True)},
    )
