"""The whole scoring of one or more systems against one gold: pairs in, every figure out.

pair_documents -> tally_pairs (counts, once) -> summarise, assess_privacy, bootstrap, compare_systems
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.evaluate.compare import Difference, compare_systems
from deidlab.evaluate.confusion import Confusion, confuse_types
from deidlab.evaluate.intervals import Intervals
from deidlab.evaluate.layout import Ints
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.privacy import Privacy, assess_privacy
from deidlab.evaluate.resample import ResampleSettings, bootstrap
from deidlab.evaluate.scores import Summary, summarise
from deidlab.evaluate.tally import Tally, labels_of, tally_pairs
from deidlab.labels import LabelSet

NO_VALUE = "(none)"


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How to score: words by `style`, only the labels of `label_set` where one is given, broken down `by`."""

    style: str = "runs"
    label_set: LabelSet | None = None
    by: str | None = None
    resample: ResampleSettings = field(default_factory=ResampleSettings)


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure over some documents."""

    summary: Summary
    privacy: Privacy
    intervals: Intervals
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system: its counts, its figures, and the same figures for each value of the field asked for."""

    name: str
    tally: Tally = field(repr=False)
    figures: Figures
    groups: Mapping[str, Figures]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second system against the first, figure by figure."""

    first: str
    second: str
    differences: Mapping[str, Difference]


def score_systems(systems: Mapping[str, Sequence[Pair]], settings: ScoreSettings) -> list[SystemScore]:
    """Score each named system; all share one order of labels, so that they can be compared."""
    seen = set().union(*(labels_of(pairs) for pairs in systems.values()))
    scores = []
    for name, pairs in systems.items():
        tally = tally_pairs(pairs, settings.label_set, settings.style, seen)
        groups = {} if settings.by is None else group_rows(pairs, settings.by)
        scores.append(
            SystemScore(
                name,
                tally,
                _figures(tally, settings.resample, None),
                {value: _figures(tally, settings.resample, rows) for value, rows in groups.items()},
            )
        )
    return scores


def compare_with_first(scores: Sequence[SystemScore], settings: ResampleSettings) -> list[Comparison]:
    """Every further system against the first."""
    return [
        Comparison(scores[0].name, other.name, compare_systems(scores[0].tally, other.tally, settings))
        for other in scores[1:]
    ]


def group_rows(pairs: Sequence[Pair], name: str) -> dict[str, Ints]:
    """The rows of documents for each value of a meta field; `patient` is a field too.

    The gold's field counts, or the system's where the gold has none; documents with neither are `(none)`.
    """
    values = [_field(pair, name) for pair in pairs]
    if all(value is None for value in values):
        known = {key for pair in pairs for side in (pair.gold, pair.system) for key in side.meta}
        if not known:
            raise ConfigError(f"cannot break down by '{name}': the documents carry no fields but 'patient'")
        raise UnknownNameError("field", name, {*known, "patient"})
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(NO_VALUE if value is None else value, []).append(row)
    return {value: np.array(rows[value], np.int64) for value in sorted(rows)}


def _field(pair: Pair, name: str) -> str | None:
    if name == "patient":
        return pair.gold.patient
    value = pair.gold.meta.get(name, pair.system.meta.get(name))
    return None if value is None or value == "" else str(value)


def _figures(tally: Tally, settings: ResampleSettings, rows: Ints | None) -> Figures:
    return Figures(
        summarise(tally, rows),
        assess_privacy(tally, settings.confidence, rows),
        bootstrap(tally, settings, rows),
        confuse_types(tally, rows),
    )
