"""Counts in, figures out: the study's word-level measures, entity level, averages, and the headline.

Micro pools the counts of all types. Macro is the plain mean over the types present in the gold, weighted
the mean by their gold counts; a type that the system never names has no precision, which both means take
as 0. Everywhere else a ratio with nothing to divide by is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deidlab.evaluate.counts import Size, none_if_nan, ratio, to_counts
from deidlab.evaluate.i2b2 import i2b2_scores
from deidlab.evaluate.layout import Ints
from deidlab.evaluate.measures import find_measure, shown_measures, type_averages
from deidlab.evaluate.official import official_scores
from deidlab.evaluate.tally import Tally
from deidlab.types import Counts


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
    by_measure: Mapping[str, LevelScores | Counts]
    i2b2_2014: Mapping[str, Mapping[str, Mapping[str, float]]]
    official: Mapping[str, Mapping[str, Mapping[str, float]]]

    @property
    def levels(self) -> Mapping[str, LevelScores]:
        """The measures that keep types apart."""
        return {key: found for key, found in self.by_measure.items() if isinstance(found, LevelScores)}

    @property
    def blind(self) -> Mapping[str, Counts]:
        """The measures that leave the type aside."""
        return {key: found for key, found in self.by_measure.items() if isinstance(found, Counts)}

    @property
    def words(self) -> LevelScores:
        return self.levels["words"]

    @property
    def entities(self) -> Mapping[str, LevelScores]:
        return {key: level for key, level in self.levels.items() if find_measure(key).group == "entities"}

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
        by_measure={
            measure.key: _level(tally, total.cells[measure.key])
            if measure.typed
            else to_counts(total.cells[measure.key])
            for measure in shown_measures()
        },
        i2b2_2014=i2b2_scores(table, tally.labels),
        official=official_scores(table),
    )


def _level(tally: Tally, cells: Ints) -> LevelScores:
    chosen = cells[tally.scored_codes]
    macro, weighted = type_averages(chosen)
    total = chosen.sum(axis=0)
    return LevelScores(
        to_counts(total),
        Average(*(none_if_nan(value) for value in macro)),
        Average(*(none_if_nan(value) for value in weighted)),
        {label: to_counts(cell) for label, cell in zip(tally.scored, chosen, strict=True)},
    )
