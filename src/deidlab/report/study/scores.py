"""A study's records in, every row of its tests scored out: train, validation and test, from offsets alone.

A row counts only while everything that it rests on is there: the completion record of its run, and for an
ensemble or a hybrid those of all its members. What had to be left out is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deidlab.evaluate.compare import Difference, compare_systems
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import Figures, ScoreSettings, SystemScore, score_systems
from deidlab.labels import guess_label_set, known_maps, load_label_set, load_map
from deidlab.report.study.predictions import BLANK_STYLE, map_labels, pairs_of
from deidlab.study.records import PARTS, Completion, StudyRecords, TestRecord

MODEL = "model"
# What was trained elsewhere may have learned from these very notes, and heads no study.
_ELSEWHERE = "embedded-"


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row of the tests; `parts` holds the scores of those parts whose predictions are there."""

    name: str
    kind: str
    test: TestRecord
    run: Completion | None
    parts: Mapping[str, SystemScore] = field(repr=False)

    @property
    def score(self) -> SystemScore:
        return self.parts["test"]

    @property
    def figures(self) -> Figures:
        return self.parts["test"].figures

    @property
    def validation_f1(self) -> float:
        """What rows are ordered by, as in the study."""
        if self.kind == MODEL and self.run is not None and self.run.f1 is not None:
            return self.run.f1
        part = self.parts.get("validation")
        found = None if part is None else part.figures.summary.words.micro.f1
        return found if found is not None else -1.0


@dataclass(frozen=True, slots=True)
class ScoredStudy:
    """The records and their scores; `pairs` are the test documents of each row."""

    records: StudyRecords
    rows: tuple[ScoredRow, ...]
    resample: ResampleSettings
    pairs: Mapping[str, Sequence[Pair]] = field(repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[ScoredRow, ...]:
        return tuple(row for row in self.rows if row.kind == MODEL)

    @property
    def others(self) -> tuple[ScoredRow, ...]:
        return tuple(row for row in self.rows if row.kind != MODEL)

    @property
    def best(self) -> ScoredRow | None:
        """The row with the best validation F1, whatever its kind: the test has no say in it."""
        own = [row for row in self.rows if not row.name.startswith(_ELSEWHERE)]
        # Of equals the first: a model before what is made of it.
        return max(own, key=lambda row: row.validation_f1, default=None)

    @property
    def best_model(self) -> ScoredRow | None:
        """The model with the best validation F1, which the other rows are held against."""
        return self.models[0] if self.models else None

    @property
    def resample_note(self) -> str:
        """How the intervals of a table were made."""
        resample = self.resample
        if not resample.n_resamples:
            return "No intervals were asked for."
        return (
            f"In brackets: {resample.confidence:.0%} intervals from {resample.n_resamples:,} resamples by "
            f"{resample.unit}."
        )

    def compare(self, first: ScoredRow, second: ScoredRow) -> Mapping[str, Difference]:
        return compare_systems(first.score.tally, second.score.tally, self.resample)


def score_study(records: StudyRecords, resample: ResampleSettings) -> ScoredStudy:
    """Score every row that rests on records that are there."""
    kept, left_out = _complete_rows(records)
    parts: dict[str, dict[str, SystemScore]] = {}
    test_pairs: dict[str, Sequence[Pair]] = {}
    for part in PARTS:
        found = {
            test.name: pairs_of(records.predictions(test.name, part))
            for test in kept
            if records.has_predictions(test.name, part)
        }
        parts[part] = _score(found, resample)
        if part == "test":
            test_pairs = dict(found)
    runs = {run.run: run for run in records.done}
    rows = [
        ScoredRow(
            test.name,
            test.kind,
            test,
            runs.get(test.run or ""),
            {part: scores[test.name] for part, scores in parts.items() if test.name in scores},
        )
        for test in kept
        if test.name in test_pairs
    ]
    rows.sort(key=lambda row: (row.kind != MODEL, -row.validation_f1, row.name))
    return ScoredStudy(records, tuple(rows), resample, test_pairs, tuple(left_out))


def _complete_rows(records: StudyRecords) -> tuple[list[TestRecord], list[str]]:
    done = {run.run for run in records.done}
    tests = {test.name: test for test in records.tests}
    kept: list[TestRecord] = []
    left_out: list[str] = []

    def lacks(test: TestRecord) -> str | None:
        if not records.has_predictions(test.name, "test"):
            return test.note or "its test predictions are not there"
        if test.kind == MODEL:
            return None if test.run in done else f"the completion record of its run {test.run} is not there"
        for member in test.members:
            if member in tests and lacks(tests[member]):
                return f"its member {member} is left out"
        return None

    for test in records.tests:
        reason = lacks(test)
        if reason is None:
            kept.append(test)
        else:
            left_out.append(f"{test.name} has no row: {reason}.")
    return kept, left_out


def _score(systems: Mapping[str, Sequence[Pair]], resample: ResampleSettings) -> dict[str, SystemScore]:
    if not systems:
        return {}
    settings = ScoreSettings(style=BLANK_STYLE, resample=resample)
    return {score.name: score for score in score_systems(systems, settings)}


def score_cross(
    records: StudyRecords, row: ScoredRow, corpus: str, resample: ResampleSettings
) -> SystemScore:
    """One row on another corpus."""
    return _score({row.name: pairs_of(records.cross_predictions(row.name, corpus))}, resample)[row.name]


def hipaa_scores(study: ScoredStudy) -> Mapping[str, Mapping[str, SystemScore]]:
    """Every row under the labels of HIPAA, in two readings; empty where the corpus has labels of its own.

    `challenge` is the subset that the i2b2 2014 program scores, `safe harbor` the law's 18 identifiers.
    """
    to_2014 = map_to_2014(study)
    if to_2014 is None:
        return {}
    readings = {}
    onward = load_map("i2b2-2014--hipaa")
    for name, label_set, last in (("challenge", "hipaa-i2b2", {}), ("safe harbor", "hipaa", onward)):
        settings = ScoreSettings(
            style=BLANK_STYLE, label_set=load_label_set(label_set), resample=study.resample
        )
        pairs = {
            row: map_labels(map_labels(found, to_2014), last) if last else map_labels(found, to_2014)
            for row, found in study.pairs.items()
        }
        readings[name] = {score.name: score for score in score_systems(pairs, settings)}
    return readings


def map_to_2014(study: ScoredStudy) -> dict[str, str] | None:
    """How the gold's labels become those of 2014; None where they belong to no scheme with such a map."""
    counts: Counter[str] = Counter()
    for pair in next(iter(study.pairs.values()), ()):
        counts.update(span.label for span in pair.gold.spans)
    scheme = guess_label_set(counts)
    if scheme.name == "i2b2-2014":
        return {}
    name = f"{scheme.name}--i2b2-2014"
    return load_map(name) if name in known_maps() else None
