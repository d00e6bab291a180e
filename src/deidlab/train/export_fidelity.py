"""A run's model and its exports on the same notes in, what the export changed out: scores, tags, speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deidlab.detect.findings import Findings
from deidlab.detect.folder import TaggerFacts
from deidlab.detect.model import TaggingModel
from deidlab.detect.runtimes import IDS, SHAPES, Runtime, WindowInputs
from deidlab.encode.shapes import N_SHAPES
from deidlab.errors import ModelError
from deidlab.train.scoring import count_strict, total_counts
from deidlab.types import Counts, Document, Span

TOLERANCE = 0.002
"""How far int8's strict F1 may fall below fp32's: 0.2 points."""

_NOTES_AT_ONCE = 16
# Float sums in another order differ by some 1e-5; a wrongly traced model by far more.
_CLOSE = 1e-3


@dataclass(slots=True)
class Fidelity:
    """One model's figures on the notes; tags and probabilities are compared with the run's own, in torch."""

    spans: list[tuple[Span, ...]] = field(default_factory=list, repr=False)
    n_words: int = 0
    n_changed: int = 0
    largest_difference: float = 0.0
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)

    @property
    def f1(self) -> float:
        return self.counts.f1 or 0.0

    def as_dict(self, n_characters: int) -> dict[str, Any]:
        return {
            "precision": self.counts.precision,
            "recall": self.counts.recall,
            "f1": self.counts.f1,
            "tp": self.counts.tp,
            "fp": self.counts.fp,
            "fn": self.counts.fn,
            "words": self.n_words,
            "tags_changed": self.n_changed,
            "largest_difference": round(self.largest_difference, 6),
            "characters_per_second": round(n_characters / max(self.seconds, 1e-9)),
        }


def compare_on_notes(
    models: Mapping[str, TaggingModel],
    documents: Sequence[Document],
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> dict[str, Fidelity]:
    """Each model's figures, by name; the first is what the others are compared with.

    All see the same few notes by turns, so that a busy machine slows all alike.
    """
    measured = {name: Fidelity() for name in models}
    for notes in watch(_groups(documents)):
        first: list[Findings] = []
        for name, model in models.items():
            began = time.perf_counter()
            found = list(model.tag_notes(notes))
            measured[name].seconds += time.perf_counter() - began
            first = first or found
            _add(measured[name], found, first)
    gold = [document.spans for document in documents]
    for fidelity in measured.values():
        fidelity.counts = total_counts(count_strict(gold, fidelity.spans))
    return measured


def _groups(documents: Sequence[Document]) -> list[Sequence[Document]]:
    return [documents[at : at + _NOTES_AT_ONCE] for at in range(0, len(documents), _NOTES_AT_ONCE)]


def _add(fidelity: Fidelity, found: Sequence[Findings], first: Sequence[Findings]) -> None:
    for mine, other in zip(found, first, strict=True):
        fidelity.spans.append(mine.spans)
        fidelity.n_words += len(mine.words)
        fidelity.n_changed += sum(a != b for a, b in zip(mine.tags, other.tags, strict=True))
        if len(mine.words):
            gap = float(np.abs(mine.probabilities - other.probabilities).max())
            fidelity.largest_difference = max(fidelity.largest_difference, gap)


def check_traced(run: Runtime, exported: Runtime, facts: TaggerFacts, n_vocabulary: int) -> float:
    """The largest difference of any score over made-up windows; too large a one is an error."""
    windows = list(_probe_windows(facts, n_vocabulary))
    pairs = zip(run.score(windows), exported.score(windows), strict=True)
    gaps = [float(np.abs(a - b).max() / max(1.0, float(np.abs(a).max()))) for a, b in pairs]
    if not max(gaps) < _CLOSE:
        raise ModelError(
            f"the exported model does not agree with the run's: scores differ by up to {max(gaps):.2g}"
        )
    return max(gaps)


def _probe_windows(facts: TaggerFacts, n_vocabulary: int) -> Iterator[WindowInputs]:
    """Windows of random pieces: the shortest, the longest, and some between."""
    random = np.random.default_rng(0)
    lengths = sorted({3, facts.window // 3, facts.window // 2 + 1, facts.window} - {0, 1, 2})
    for length in lengths:
        arrays = {IDS: random.integers(0, n_vocabulary, (1, length))}
        if facts.shapes:
            arrays[SHAPES] = random.integers(0, N_SHAPES, (1, length))
        yield WindowInputs(arrays, np.arange(length))
