"""What systems said of notes in, the same beside the gold out: named in its labels, together, and paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from deidlab.detect.naming import from_native, rename
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.score import ScoreSettings
from deidlab.systems.asking import Answers, ask_system
from deidlab.systems.members import rows_for
from deidlab.systems.naming import GROUPS, NATIVE, Naming, native_rows
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.specification import SystemSpec
from deidlab.systems.together import find_together, name_natively
from deidlab.types import Document, Span

ENSEMBLE = "ensemble"
Found = list[tuple[Span, ...]]
"""The spans of each note."""


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


def ask_about(
    spec: SystemSpec, documents: Sequence[Document], settings: CompareSettings, warm: bool
) -> Answers:
    """The system's answers to the notes, of whose gold it hears nothing."""
    bare = [Document(each.id, each.patient, each.text) for each in documents]
    return ask_system(make_system(spec, settings.limits, settings.hosts), bare, warm)


def name_answers(answers: Answers, naming: Naming) -> Found:
    return [naming.rename(spans) for spans in answers.spans]


def name_for_ensemble(name: str, answers: Answers, settings: CompareSettings) -> Found:
    """The system's answers as `mask` names them: an ensemble is formed before labels become those of the
    comparison."""
    rows = native_rows(rows_for(name, settings.maps), settings.target)
    return [name_natively(spans, answers.facts, rows) for spans in answers.spans]


def add_ensemble(
    notes: Sequence[Document],
    members: Mapping[str, Found],
    found: dict[str, Found],
    settings: CompareSettings,
) -> None:
    """What all systems find as one, as they would mask together, beside what each finds."""
    if settings.ensemble and len(members) > 1:
        names = _names_of_ensemble(settings)
        found[ENSEMBLE] = [
            tuple(rename(find_together(document.text, said, settings.ensemble), names))
            for document, said in zip(notes, zip(*members.values(), strict=True), strict=True)
        ]


def check_ensemble(settings: CompareSettings) -> None:
    """Raise where systems together could not answer in the labels of the comparison, before any is asked."""
    if settings.ensemble:
        _names_of_ensemble(settings)
        for rows in settings.maps.values():
            native_rows(rows, settings.target)


def _names_of_ensemble(settings: CompareSettings) -> Mapping[str, str]:
    return {} if settings.target == NATIVE else from_native(settings.target)


def pair_found(gold: Sequence[Document], spans: Sequence[tuple[Span, ...]]) -> tuple[Pair, ...]:
    """In the order of ids, which is that of every table of documents."""
    pairs = [Pair(one, replace(one, spans=found)) for one, found in zip(gold, spans, strict=True)]
    return tuple(sorted(pairs, key=lambda pair: pair.gold.id))
