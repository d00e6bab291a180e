"""A tagger and notes with gold in; loss and accuracy over words and strict scores over spans out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deidlab.detect.packed.scoring import WordScorer
from deidlab.encode.decoding import Scores, TagGrammar, TagIds
from deidlab.encode.pieced import PiecedCorpus
from deidlab.evaluate.layout import Floats
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
        return self._describe(self._scorer.score(), by_label)

    def measure_notes(self) -> tuple[dict[str, Any], Floats]:
        """The same by label too, and the mean loss over the words of each note that has any."""
        scores = self._scorer.score()
        owners = np.repeat(np.arange(len(self._corpus.words)), [len(words) for words in self._corpus.words])
        n_words, losses = np.bincount(owners), word_losses(scores, self._labels)
        summed: Floats = np.bincount(owners, weights=losses).astype(float)
        return self._describe(scores, True), summed[n_words > 0] / n_words[n_words > 0]

    def find(self) -> list[tuple[Span, ...]]:
        """What the tagger as it is now finds in each note."""
        return tags_to_found(self._corpus, self._choose(self._scorer.score()), self._grammar.tags)

    def _describe(self, scores: Scores, by_label: bool) -> dict[str, Any]:
        tags = self._choose(scores)
        found = tags_to_found(self._corpus, tags, self._grammar.tags)
        counts = count_strict(self._corpus.spans, found)
        figures: dict[str, Any] = {
            "loss": float(word_losses(scores, self._labels).mean()),
            "accuracy": _accuracy(tags, self._labels),
        }
        figures |= describe_counts(total_counts(counts))
        if by_label:
            figures["by_label"] = {label: describe_counts(count) for label, count in counts.items()}
        return figures

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


def word_losses(scores: Scores, labels: NDArray[np.int32]) -> Floats:
    """Minus the log-likelihood of each word's gold tag."""
    top = scores.max(axis=1)
    whole = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    losses: Floats = whole - scores[np.arange(len(labels)), labels]
    return losses


def _accuracy(tags: list[Any], labels: Any) -> float:
    return float((np.concatenate(tags) == labels).mean())
