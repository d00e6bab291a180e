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

from deidlab.detect.ensemble import combine
from deidlab.detect.resolve import resolve
from deidlab.errors import ConfigError, CorpusError, DeidError
from deidlab.evaluate.compare import Difference, compare_systems
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.resample import bootstrap_recall, bootstrap_types
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.evaluate.tally import Tally, tally_pairs
from deidlab.systems.asking import Answers, Speed, ask_system
from deidlab.systems.contract import SystemFacts
from deidlab.systems.naming import GROUPS, LabelCounts, Naming, count_labels, find_naming, scheme_of_gold
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.specification import SystemSpec
from deidlab.systems.swapped import name_origins, swap_names
from deidlab.systems.variants import VARIANTS
from deidlab.types import Document, Span

NAMES = "NAME"
ENSEMBLE = "ensemble"


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """`target` is the label set of the comparison, `maps` a person's own rows by the name of the system;
    `ensemble` says how all answer as one, where that is wanted."""

    scoring: ScoreSettings = field(default_factory=ScoreSettings)
    target: str = GROUPS
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    hosts: tuple[str, ...] = ()
    ensemble: str = ""
    robustness: bool = False
    fairness: bool = False


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system on the notes; `types` has strict and relaxed F1 by label."""

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
    found: dict[str, tuple[SystemSpec, Answers]] = {}
    absent: dict[str, str] = {}
    for spec in specs:
        tell(f"asking {spec.name}")
        try:
            answers = _ask(spec, gold, settings, warm=True)
        except DeidError as error:
            absent[spec.name] = str(error)
            continue
        found[spec.name] = (spec, answers)
    if not found:
        raise ConfigError(f"no system started: {'; '.join(f'{name}: {why}' for name, why in absent.items())}")
    namings = {name: _naming(spec, answers, settings) for name, (spec, answers) in found.items()}
    named = {name: _named(answers, namings[name]) for name, (_, answers) in found.items()}
    if settings.ensemble and len(named) > 1:
        named[ENSEMBLE] = _together(gold, list(named.values()), settings.ensemble)
    scores = score_systems({name: _pairs(gold, spans) for name, spans in named.items()}, settings.scoring)
    results = []
    for score in scores:
        if score.name not in found:
            results.append(_ensemble_result(score, settings))
            continue
        spec, answers = found[score.name]
        naming_of = namings[score.name]
        result = _result(score, spec, answers, naming_of, gold, settings)
        robustness = _robustness(spec, gold, naming_of, settings, tell)
        fairness = _fairness(spec, gold, naming_of, settings, tell)
        results.append(replace(result, robustness=robustness, fairness=fairness))
    tests = {
        (one.name, other.name): compare_systems(one.tally, other.tally, settings.scoring.resample)
        for one, other in combinations(scores, 2)
    }
    return Comparison(tuple(gold), naming, tuple(results), absent, tests, settings)


def name_gold(documents: Sequence[Document], target: str) -> tuple[list[Document], Naming]:
    """The notes with their gold in the labels of the comparison."""
    counts = Counter(span.label for each in documents for span in each.spans)
    if not counts:
        raise CorpusError("the notes have no gold spans, so nothing can be compared on them")
    naming = find_naming(counts, target, scheme_of_gold(counts, target))
    return [replace(each, spans=naming.rename(each.spans)) for each in documents], naming


def _ask(spec: SystemSpec, documents: Sequence[Document], settings: CompareSettings, warm: bool) -> Answers:
    bare = [Document(each.id, each.patient, each.text) for each in documents]
    return ask_system(make_system(spec, settings.limits, settings.hosts), bare, warm)


def _naming(spec: SystemSpec, answers: Answers, settings: CompareSettings) -> Naming:
    seen = {span.label for spans in answers.spans for span in spans}
    return find_naming(
        seen | set(answers.facts.labels),
        settings.target,
        answers.facts.scheme,
        settings.maps.get(spec.name) or settings.maps.get(""),
    )


def _named(answers: Answers, naming: Naming) -> list[tuple[Span, ...]]:
    return [naming.rename(spans) for spans in answers.spans]


def _together(
    gold: Sequence[Document], members: Sequence[Sequence[tuple[Span, ...]]], how: str
) -> list[tuple[Span, ...]]:
    return [
        resolve(document.text, combine(spans, how))
        for document, spans in zip(gold, zip(*members, strict=True), strict=True)
    ]


def _pairs(gold: Sequence[Document], spans: Sequence[tuple[Span, ...]]) -> tuple[Pair, ...]:
    """In the order of ids, which is that of every table of documents."""
    pairs = [Pair(one, replace(one, spans=found)) for one, found in zip(gold, spans, strict=True)]
    return tuple(sorted(pairs, key=lambda pair: pair.gold.id))


def _types(score: SystemScore, settings: CompareSettings) -> dict[str, dict[str, Interval]]:
    resample = settings.scoring.resample
    return {
        "strict": bootstrap_types(score.tally, resample, "strict"),
        "relaxed": bootstrap_types(score.tally, resample, "relaxed"),
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


def _robustness(
    spec: SystemSpec,
    gold: Sequence[Document],
    naming: Naming,
    settings: CompareSettings,
    tell: Callable[[str], None],
) -> dict[str, dict[str, Interval]]:
    """Recall and precision of words in each variant of the notes; answers made elsewhere cannot be asked
    again."""
    if not settings.robustness or spec.kind == "corpus":
        return {}
    figures = {}
    for name, vary in VARIANTS.items():
        tell(f"asking {spec.name}: {name}")
        notes = [vary(each) for each in gold]
        answers = _ask(spec, notes, settings, warm=False)
        (score,) = score_systems({spec.name: _pairs(notes, _named(answers, naming))}, settings.scoring)
        headline = score.figures.intervals.headline
        figures[name] = {
            "recall": headline["privacy.word_recall"],
            "precision": headline["words_binary.precision"],
        }
    return figures


def _fairness(
    spec: SystemSpec,
    gold: Sequence[Document],
    naming: Naming,
    settings: CompareSettings,
    tell: Callable[[str], None],
) -> dict[str, Interval]:
    """Recall of the words of names, for each origin that names are swapped for."""
    if not settings.fairness or spec.kind == "corpus":
        return {}
    if NAMES not in {span.label for each in gold for span in each.spans}:
        raise ConfigError("--fairness needs names in the gold, in the label set i2b2-groups")
    figures = {}
    for origin in name_origins():
        tell(f"asking {spec.name}: {origin} names")
        notes = list(swap_names(gold, origin, {NAMES}))
        answers = _ask(spec, notes, settings, warm=False)
        tally: Tally = tally_pairs(_pairs(notes, _named(answers, naming)), style=settings.scoring.style)
        figures[origin] = bootstrap_recall(tally, NAMES, settings.scoring.resample)
    return figures
