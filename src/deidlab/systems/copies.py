"""Notes with gold and systems in, how they do on copies of the notes out: in poorer shape, and with names of
other origins.

Answers made elsewhere cannot be asked for again: such a system has no figures here, nor has an ensemble
that it is part of. A system that does not start again fails for the whole of that copy, and the rest goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from deidlab.errors import ConfigError, DeidError
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import bootstrap_recall
from deidlab.evaluate.score import score_systems
from deidlab.evaluate.tally import tally_pairs
from deidlab.labels import load_label_set
from deidlab.systems.judging import (
    CompareSettings,
    Found,
    add_ensemble,
    ask_about,
    name_answers,
    name_for_ensemble,
    pair_found,
)
from deidlab.systems.naming import GROUPS, Naming, find_naming
from deidlab.systems.specification import SystemSpec
from deidlab.systems.swapped import name_origins, swap_names
from deidlab.systems.variants import VARIANTS
from deidlab.types import Document

NAMES = "NAME"


@dataclass(slots=True)
class Copies:
    """By the name of the system, then by copy; `failures` counts notes by copy and reason."""

    robustness: dict[str, dict[str, Mapping[str, Interval]]] = field(default_factory=dict)
    fairness: dict[str, dict[str, Interval]] = field(default_factory=dict)
    failures: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)


def labels_of_names(gold: Sequence[Document], target: str) -> frozenset[str]:
    """The labels that names have in the gold; without one `--fairness` has nothing to swap."""
    groups = find_naming(load_label_set(target).labels, GROUPS, target).names
    names = {label for label, group in groups.items() if group == NAMES}
    if found := names & {span.label for each in gold for span in each.spans}:
        return frozenset(found)
    raise ConfigError(f"--fairness needs names in the gold, and in label set {target} there are none")


def ask_copies(
    members: Mapping[str, tuple[SystemSpec, Naming]],
    gold: Sequence[Document],
    settings: CompareSettings,
    tell: Callable[[str], None],
) -> Copies:
    """Every system about every copy that was asked for."""
    copies = Copies()
    scoring = settings.scoring
    if settings.robustness:
        for name, vary in VARIANTS.items():
            notes = [vary(each) for each in gold]
            for system, found in _ask_all(members, notes, name, settings, copies, tell).items():
                (score,) = score_systems({system: pair_found(notes, found)}, scoring)
                headline = score.figures.intervals.headline
                copies.robustness.setdefault(system, {})[name] = {
                    "recall": headline["privacy.word_recall"],
                    "precision": headline["words_binary.precision"],
                }
    if settings.fairness:
        labels = labels_of_names(gold, settings.target)
        for origin in name_origins():
            notes = list(swap_names(gold, origin, labels))
            asked = _ask_all(members, notes, f"{origin} names", settings, copies, tell)
            for system, found in asked.items():
                tally = tally_pairs(pair_found(notes, found), style=scoring.style)
                recall = bootstrap_recall(tally, labels, scoring.resample)
                copies.fairness.setdefault(system, {})[origin] = recall
    return copies


def _ask_all(
    members: Mapping[str, tuple[SystemSpec, Naming]],
    notes: Sequence[Document],
    copy: str,
    settings: CompareSettings,
    copies: Copies,
    tell: Callable[[str], None],
) -> dict[str, Found]:
    found: dict[str, Found] = {}
    said: dict[str, Found] = {}
    for name, (spec, naming) in members.items():
        if spec.kind == "corpus":
            continue
        tell(f"asking {name}: {copy}")
        failed = copies.failures.setdefault(name, Counter())
        try:
            answers = ask_about(spec, notes, settings, warm=False)
        except DeidError:
            found[name] = said[name] = [()] * len(notes)
            failed[copy, "did not start again"] += len(notes)
            continue
        found[name] = name_answers(answers, naming)
        if settings.ensemble:
            said[name] = name_for_ensemble(name, answers, settings)
        failed.update((copy, reason) for reason in answers.failures.values())
    if len(said) == len(members):
        add_ensemble(notes, said, found, settings)
    return found
