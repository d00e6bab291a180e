"""A tagger and notes with gold in; loss and accuracy over words and strict scores over spans out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deidlab.detect.packed.scoring import WordScorer
from deidlab.encode.decoding import Scores, TagGrammar, TagIds
from deidlab.encode.pieced import PiecedCorpus
from deidlab.train.predicting import choose_tags, split_by_note, tags_to_found
from deidlab.train.scoring import count_strict, total_counts
from deidlab.types import Counts, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Validation:
    """Measures a tagger on one corpus, as often as asked."""

    def __init__(self, scorer: WordScorer, corpus: PiecedCorpus, grammar: TagGrammar, decoding: str) -> None:
        self._scorer, self._corpus, self._grammar, self._decoding = scorer, corpus, grammar, decoding
        self._labels = corpus.labels[corpus.deciding]

    def measure(self, by_label: bool = False) -> dict[str, Any]:
        """The figures of the tagger as it is now."""
        scores = self._scorer.score()
        tags = self._choose(scores)
        found = tags_to_found(self._corpus, tags, self._grammar.tags)
        counts = count_strict(self._corpus.spans, found)
        figures: dict[str, Any] = {
            "loss": _loss(scores, self._labels),
            "accuracy": _accuracy(tags, self._labels),
        }
        figures |= describe_counts(total_counts(counts))
        if by_label:
            figures["by_label"] = {label: describe_counts(count) for label, count in counts.items()}
        return figures

    def find(self) -> list[tuple[Span, ...]]:
        """What the tagger as it is now finds in each note."""
        return tags_to_found(self._corpus, self._choose(self._scorer.score()), self._grammar.tags)

    def _choose(self, scores: Scores) -> list[TagIds]:
        notes = split_by_note(scores, self._corpus)
        return choose_tags(notes, self._grammar, self._decoding, self._scorer.steps())


def describe_counts(counts: Counts) -> dict[str, Any]:
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def _loss(scores: Scores, labels: NDArray[np.int32]) -> float:
    top = scores.max(axis=1)
    whole = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    return float((whole - scores[np.arange(len(labels)), labels]).mean())


def _accuracy(tags: list[Any], labels: Any) -> float:
    return float((np.concatenate(tags) == labels).mean())
