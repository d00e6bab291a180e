"""Notes and a detector in, what each style costs and hides on them out.

PHI is found once, as `deidlab mask` finds it, and the same notes are masked in every style with one key; what
was masked stays in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deidlab.detect import Detector
from deidlab.errors import ConfigError, CorpusError, UsageError
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import ResampleSettings
from deidlab.mask import MaskSettings, mask_notes
from deidlab.types import Document, MaskedDocument
from deidlab.utility.attacking import AttackFigures, attack_surrogates
from deidlab.utility.keeping import ALL, compare_kept, count_kept, find_owners
from deidlab.utility.learning import FOLDS, count_words, deal_folds, macro_f1, predict_unseen

STYLES = ("redact", "tag", "surrogate")
ORIGINAL = "original"
# A label that fewer notes have cannot be learned and tested.
_FEWEST = 10


@dataclass(frozen=True, slots=True)
class UtilitySettings:
    """`task` is a column of the notes with a label to learn; `left` the share of mentions that the attack
    leaves in plain sight."""

    masking: MaskSettings
    styles: tuple[str, ...] = STYLES
    task: str = ""
    left: float = 0.1
    resample: ResampleSettings = field(default_factory=ResampleSettings)


@dataclass(frozen=True, slots=True)
class StyleResult:
    """Of one style: what is kept by kind and over all, how much more than by the last style, and how many
    items are new."""

    kept: Mapping[str, Interval]
    overall: Interval
    more: Interval
    new: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """By what was learned from: F1 on original notes, F1 on notes that were masked alike, and how much more
    either is than that of originals on originals, on the same draws."""

    labels: tuple[str, ...]
    notes: int
    f1: Mapping[str, Interval]
    more: Mapping[str, Interval]
    alike: Mapping[str, Interval]
    alike_more: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Utility:
    """The whole; `there` counts items by kind, and `masked` are the notes by style."""

    notes: int
    there: Mapping[str, int]
    styles: Mapping[str, StyleResult]
    task: TaskResult | None
    attack: Mapping[str, AttackFigures]
    untested: str
    masked: Mapping[str, Sequence[MaskedDocument]] = field(repr=False)


def measure_utility(
    documents: Sequence[Document],
    detector: Detector,
    settings: UtilitySettings,
    tell: Callable[[str], None] = lambda _: None,
) -> Utility:
    """All figures on these notes; gold spans are for the attack alone."""
    if not documents:
        raise CorpusError("there are no notes to measure anything on")
    labels = _read_task(documents, settings.task) if settings.task else None
    tell("finding PHI")
    bare = [replace(each, spans=()) for each in documents]
    found = detector.detect(bare, with_words=False)
    marked = [replace(one, spans=other.spans) for one, other in zip(bare, found, strict=True)]
    masked = {}
    for style in settings.styles:
        tell(f"masking: {style}")
        masked[style] = mask_notes(marked, replace(settings.masking, style=style))
    there, styles = _measure_kept(documents, masked, settings)
    tell("learning" if labels else "attacking")
    task = _measure_task(documents, masked, labels, settings) if labels else None
    attack, untested = _measure_attack(documents, settings)
    return Utility(len(documents), there, styles, task, attack, untested, masked)


def _measure_kept(
    documents: Sequence[Document], masked: Mapping[str, Sequence[MaskedDocument]], settings: UtilitySettings
) -> tuple[dict[str, int], dict[str, StyleResult]]:
    masking, resample = settings.masking, settings.resample
    owners = find_owners(documents, resample.unit)
    counts = {
        style: count_kept(documents, notes, masking.day_first, masking.language)
        for style, notes in masked.items()
    }
    last = counts[settings.styles[-1]]
    styles = {
        style: StyleResult(
            {kind: each.shares([column], resample, owners) for column, kind in enumerate(ALL)},
            each.shares(range(len(ALL)), resample, owners),
            compare_kept(each, last, resample, owners),
            int(each.new.sum()),
        )
        for style, each in counts.items()
    }
    return dict(zip(ALL, map(int, last.there.sum(axis=0)), strict=True)), styles


def _read_task(documents: Sequence[Document], column: str) -> list[str]:
    """The label of each note, empty for those that are left out."""
    said = [str(each.meta.get(column) or "") for each in documents]
    counts = Counter(filter(None, said))
    if not counts:
        raise UsageError(f"--task {column}: no note has such a column")
    kept = {label for label, n in counts.items() if n >= _FEWEST}
    if len(kept) < 2:
        raise ConfigError(f"--task {column}: two labels with {_FEWEST} notes each are needed")
    return [label if label in kept else "" for label in said]


def _measure_task(
    documents: Sequence[Document],
    masked: Mapping[str, Sequence[MaskedDocument]],
    said: Sequence[str],
    settings: UtilitySettings,
) -> TaskResult:
    rows = [place for place, label in enumerate(said) if label]
    notes = [documents[row] for row in rows]
    names = sorted({said[row] for row in rows})
    gold = np.array([names.index(said[row]) for row in rows])
    bags = {ORIGINAL: [count_words(each.text) for each in notes]}
    bags |= {style: [count_words(made[row].text) for row in rows] for style, made in masked.items()}
    groups = [each.patient for each in notes]
    if len(set(groups)) < FOLDS:
        raise CorpusError(f"--task needs notes of {FOLDS} patients or more")
    folds = deal_folds(groups, settings.resample.seed)
    said_by = [predict_unseen(own, (bags[ORIGINAL], own), gold, folds, len(names)) for own in bags.values()]
    resample, owners = settings.resample, find_owners(notes, settings.resample.unit)
    on_originals, alike = (
        macro_f1(gold, [each[place] for each in said_by], len(names), resample, owners) for place in (0, 1)
    )
    return TaskResult(
        tuple(names),
        len(rows),
        {name: f1 for name, (f1, _) in zip(bags, on_originals, strict=True)},
        {name: more for name, (_, more) in zip(bags, on_originals, strict=True)},
        {name: f1 for name, (f1, _) in zip(bags, alike, strict=True)},
        {name: more for name, (_, more) in zip(bags, alike, strict=True)},
    )


def _measure_attack(
    documents: Sequence[Document], settings: UtilitySettings
) -> tuple[dict[str, AttackFigures], str]:
    if not any(each.spans for each in documents):
        return {}, "the notes have no gold spans, so nothing can be left in plain sight for the attack"
    try:
        return attack_surrogates(documents, settings.masking, settings.left, settings.resample), ""
    except CorpusError as error:
        return {}, str(error)
