"""Notes with gold and systems in, everything that tells which one works on these notes out.

    notes + systems -> asking -> naming -> evaluate (the same measures as everywhere) -> Comparison

A note that a system failed on counts as one in which it found nothing. A system that does not start at all
has no figures; it is named with the reason, and the others are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from deidlab.errors import ConfigError, CorpusError, DeidError
from deidlab.evaluate.compare import Difference, compare_systems
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import bootstrap_type_recall, bootstrap_types
from deidlab.evaluate.score import SystemScore, score_systems
from deidlab.systems.asking import Answers, Speed
from deidlab.systems.contract import SystemFacts
from deidlab.systems.copies import ask_copies, labels_of_names
from deidlab.systems.judging import (
    ENSEMBLE,
    CompareSettings,
    add_ensemble,
    ask_about,
    check_ensemble,
    name_answers,
    name_for_ensemble,
    pair_found,
)
from deidlab.systems.members import rows_for
from deidlab.systems.naming import (
    LabelCounts,
    Naming,
    count_labels,
    find_naming,
    hide_words,
    scheme_of_gold,
)
from deidlab.systems.specification import SystemSpec
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system on the notes; `types` has strict and relaxed F1 and recall by label, and `repeated` how many
    notes failed by copy and reason, where copies were asked about."""

    name: str
    kind: str
    score: SystemScore
    types: Mapping[str, Mapping[str, Interval]]
    naming: Naming
    labels: LabelCounts
    failures: Mapping[str, str]
    unread_spans: int
    unread_notes: int
    facts: SystemFacts
    speed: Speed
    robustness: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)
    fairness: Mapping[str, Interval] = field(default_factory=dict)
    repeated: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`tests` has every pair of systems, by their names; `absent` the systems that did not start, and why."""

    documents: tuple[Document, ...] = field(repr=False)
    gold: Naming
    results: tuple[SystemResult, ...]
    absent: Mapping[str, str]
    tests: Mapping[tuple[str, str], Mapping[str, Difference]]
    settings: CompareSettings


def compare(
    documents: Sequence[Document],
    specs: Sequence[SystemSpec],
    settings: CompareSettings,
    tell: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Ask every system about every note, and hold what they found against the gold; `tell` hears what is
    done."""
    gold, naming = name_gold(documents, settings.target)
    check_ensemble(settings)
    if settings.fairness:
        labels_of_names(gold, settings.target)
    asked: dict[str, tuple[SystemSpec, Answers]] = {}
    absent: dict[str, str] = {}
    for spec in specs:
        tell(f"asking {spec.name}")
        try:
            asked[spec.name] = (spec, ask_about(spec, gold, settings, warm=True))
        except DeidError as error:
            absent[spec.name] = str(error)
    if not asked:
        raise ConfigError(f"no system started: {'; '.join(f'{name}: {why}' for name, why in absent.items())}")
    namings = {name: _naming(*asked[name], gold, settings) for name in asked}
    found = {name: name_answers(answers, namings[name]) for name, (_, answers) in asked.items()}
    if settings.ensemble:
        said = {name: name_for_ensemble(name, answers, settings) for name, (_, answers) in asked.items()}
        add_ensemble(gold, said, found, settings)
    scores = score_systems({name: pair_found(gold, spans) for name, spans in found.items()}, settings.scoring)
    members = {name: (spec, namings[name]) for name, (spec, _) in asked.items()}
    copies = ask_copies(members, gold, settings, tell)
    results = [
        replace(
            _result(score, *asked[score.name], namings[score.name], gold, settings)
            if score.name in asked
            else _ensemble_result(score, settings),
            robustness=copies.robustness.get(score.name, {}),
            fairness=copies.fairness.get(score.name, {}),
            repeated=copies.failures.get(score.name, {}),
        )
        for score in scores
    ]
    tests = {
        (one.name, other.name): compare_systems(one.tally, other.tally, settings.scoring.resample)
        for one, other in combinations(scores, 2)
    }
    return Comparison(tuple(gold), naming, tuple(results), absent, tests, settings)


def best_by_recall(comparison: Comparison) -> list[SystemResult]:
    """The systems, the one that leaves the least PHI visible first; of equals the more precise one."""

    def figures(each: SystemResult) -> tuple[float, float]:
        headline = each.score.figures.intervals.headline
        recall, precision = headline["privacy.word_recall"].value, headline["words_binary.precision"].value
        return recall or 0.0, precision or 0.0

    return sorted(comparison.results, key=figures, reverse=True)


def name_gold(documents: Sequence[Document], target: str) -> tuple[list[Document], Naming]:
    """The notes with their gold in the labels of the comparison."""
    counts = Counter(span.label for each in documents for span in each.spans)
    if not counts:
        raise CorpusError("the notes have no gold spans, so nothing can be compared on them")
    naming = find_naming(counts, target, scheme_of_gold(counts, target))
    return [replace(each, spans=naming.rename(each.spans)) for each in documents], naming


def _naming(
    spec: SystemSpec, answers: Answers, documents: Sequence[Document], settings: CompareSettings
) -> Naming:
    seen = {span.label for spans in answers.spans for span in spans}
    naming = find_naming(
        seen | set(answers.facts.labels),
        settings.target,
        answers.facts.scheme,
        rows_for(spec.name, settings.maps),
    )
    return hide_words(naming, (each.text for each in documents))


def _types(score: SystemScore, settings: CompareSettings) -> dict[str, dict[str, Interval]]:
    resample = settings.scoring.resample
    return {
        "strict": bootstrap_types(score.tally, resample, "strict"),
        "relaxed": bootstrap_types(score.tally, resample, "relaxed"),
        "recall": bootstrap_type_recall(score.tally, resample),
    }


def _ensemble_result(score: SystemScore, settings: CompareSettings) -> SystemResult:
    naming = Naming(settings.target, {})
    types = _types(score, settings)
    return SystemResult(
        score.name, ENSEMBLE, score, types, naming, LabelCounts(), {}, 0, 0, SystemFacts(), Speed()
    )


def _result(
    score: SystemScore,
    spec: SystemSpec,
    answers: Answers,
    naming: Naming,
    gold: Sequence[Document],
    settings: CompareSettings,
) -> SystemResult:
    unread = [
        sum(span.start >= answers.unread[each.id] for span in each.spans)
        for each in gold
        if each.id in answers.unread
    ]
    return SystemResult(
        score.name, spec.kind, score, _types(score, settings), naming, count_labels(naming, answers.spans),
        answers.failures, sum(unread), len(unread), answers.facts, answers.speed,
    )  # fmt: skip
