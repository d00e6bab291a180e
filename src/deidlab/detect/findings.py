"""The words of a note, their tags and probabilities in, what was found in it out: spans with certainties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from deidlab import conventions
from deidlab.detect.folder import TaggerFacts
from deidlab.encode.decoding import Scores, TagIds
from deidlab.encode.tags import tags_to_spans
from deidlab.labels import OUTSIDE
from deidlab.types import Document, Span, Word

WordScore = tuple[int, int, float]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a tagger found in one note.

    `probabilities` is [words, tags], in the order of the model's tags; `phi` the probability of each word
    to be PHI of any label. A span's score is the mean, over its words, of the probability of its label.
    """

    id: str
    words: tuple[Word, ...] = field(repr=False)
    tags: tuple[str, ...] = field(repr=False)
    probabilities: Scores = field(repr=False, compare=False)
    phi: Scores = field(repr=False, compare=False)
    spans: tuple[Span, ...] = ()

    def word_scores(self) -> list[WordScore]:
        """Start, end and PHI probability of every word."""
        scores = zip(self.words, self.phi.tolist(), strict=True)
        return [(start, end, sure) for (start, end), sure in scores]


Answer = tuple[tuple[Span, ...], list[WordScore]]


def to_answers(findings: Iterable[Findings]) -> list[Answer]:
    """Each note's spans, and start, end and PHI probability of every word of it."""
    return [(found.spans, found.word_scores()) for found in findings]


class NoteTagger(ABC):
    """Whatever tags notes, as detectors ask it; how it does so is its own."""

    facts: TaggerFacts

    @abstractmethod
    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]:
        """What is found in each note, in the order of the notes."""

    def predict(self, documents: Iterable[Document]) -> list[Answer]:
        """Each note's spans, and start, end and PHI probability of every word of it."""
        return to_answers(self.tag_notes(documents))

    @property
    def tags(self) -> tuple[str, ...]:
        return self.facts.tags

    @property
    def own_threshold(self) -> float | None:
        """How certain a span should be by the measure of the corpus it learned from, where that is known."""
        return self.facts.own_threshold

    @property
    def language(self) -> str:
        """The language it is for, where its folder says so."""
        return self.facts.language


class Describer:
    """Turns tags and probabilities into findings, as a tagger's folder says."""

    def __init__(self, facts: TaggerFacts, source: str = "model") -> None:
        self._facts, self._source = facts, source
        self._tags_of: dict[str, list[int]] = {}
        for place, tag in enumerate(facts.tags):
            self._tags_of.setdefault(tag.partition("-")[2], []).append(place)
        self._columns = {label: np.array(places) for label, places in self._tags_of.items()}
        self._labels = [label for label in self._tags_of if label]
        # Words that are at least so likely to be PHI of any label are found too; None leaves it to the tags.
        self.phi_minimum = facts.phi_minimum

    def describe(
        self, id: str, text: str, words: tuple[Word, ...], tag_ids: TagIds, probabilities: Scores
    ) -> Findings:
        names = self._facts.tags
        tags = tuple(names[tag] for tag in tag_ids.tolist())
        outside = probabilities[:, names.index(OUTSIDE)] if OUTSIDE in names else 0.0
        starts = {start: place for place, (start, _) in enumerate(words)}
        spans = tuple(
            self._with_score(span, starts[span.start], words, probabilities)
            for span in tags_to_spans(words, tags)
        )
        phi = np.clip(1.0 - outside, 0.0, 1.0).astype(np.float32) * np.ones(len(tags), np.float32)
        if self.phi_minimum is not None:
            further = self._further(words, tags, probabilities, phi, self.phi_minimum)
            spans = tuple(sorted((*spans, *further), key=lambda span: span.start))
        if self._facts.conventions:
            spans = tuple(conventions.find(self._facts.conventions).redraw(text, spans))
        return Findings(id, words, tags, probabilities, phi, spans)

    def _further(
        self, words: Sequence[Word], tags: Sequence[str], probabilities: Scores, phi: Scores, minimum: float
    ) -> Iterator[Span]:
        """Words that are likely enough to be PHI though no single label is likelier than none."""
        for place in np.flatnonzero(phi >= minimum).tolist():
            if tags[place] == OUTSIDE:
                own = probabilities[place]
                label = max(self._labels, key=lambda each: (float(own[self._columns[each]].sum()), each))
                yield Span(*words[place], label, float(phi[place]), self._source)

    def _with_score(self, span: Span, first: int, words: Sequence[Word], probabilities: Scores) -> Span:
        end = first
        while end < len(words) and words[end][1] <= span.end:
            end += 1
        # As `sum` and `mean` add up, without what they ask first: a span has few words.
        own = np.add.reduce(probabilities[first:end, self._columns[span.label]], axis=1)
        sure = float(np.add.reduce(own) / len(own))
        return Span(span.start, span.end, span.label, min(1.0, max(0.0, sure)), self._source)
