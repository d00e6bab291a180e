"""What a model says of notes: asked for every reading of each, with answers brought back to the note's text.

And what its words' probabilities are used for: to back what rules found, and to take words without a label.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from deidlab.detect.lexicon import outside
from deidlab.encode.words import find_words
from deidlab.rules.readings import Reading, WordScore, readings
from deidlab.types import Document, Span

DEFAULT_THRESHOLD = 0.5
# Rules that go by words and lists. A model knows better whether such a word is a name in this place.
_BY_WORDS = ("date", "name", "name-list", "place-list", "organisation", "profession", "street", "age")
WORDY = frozenset(f"rules:{name}" for name in _BY_WORDS)
CERTAIN = 0.9
BACKING = 0.12
Answer = tuple[Sequence[Span], Sequence[WordScore]]


class Model(Protocol):
    """What a model adds: each document's spans with certainties, and every word's PHI probability."""

    @property
    def tags(self) -> tuple[str, ...]: ...

    @property
    def language(self) -> str: ...

    @property
    def own_threshold(self) -> float | None: ...

    def predict(self, documents: Sequence[Document]) -> Sequence[Answer]: ...


def to_ask(documents: Iterable[Document]) -> list[Document]:
    """What a model is asked about: each document, and after it the other ways to read it."""
    return [asked for document in documents for asked in _readings_of(document, _ways(document))]


def _readings_of(document: Document, ways: Iterable[Reading]) -> Iterator[Document]:
    for way in ways:
        plain = way.starts is None
        yield document if plain else Document(id=document.id, patient=document.patient, text=way.text)


def _ways(document: Document) -> list[Reading]:
    """Lines that are merely joined are not read again: a model has seen hyphens at line ends."""
    return [way for way in readings(document.text) if not way.lines_only]


def ask_model(model: Model, documents: Sequence[Document]) -> list[Answer]:
    """One answer a document, in order, made of those to all of its readings."""
    ways = [_ways(document) for document in documents]
    asked = [
        each for document, own in zip(documents, ways, strict=True) for each in _readings_of(document, own)
    ]
    answers = iter(model.predict(asked))
    merged: list[Answer] = []
    for own in ways:
        first, *others = [
            (way.back(spans), way.back_words(words)) for way in own for spans, words in [next(answers)]
        ]
        if others:
            spans = dict.fromkeys(span for each in (first, *others) for span in each[0])
            words = sorted({word for each in (first, *others) for word in each[1]})
            first = (sorted(spans, key=lambda span: (span.start, span.end)), words)
        merged.append(first)
    return merged


def keep_backed(text: str, found: Iterable[Span], words: Sequence[WordScore], least: float) -> list[Span]:
    """What the rules found; of names, places, dates and the like only what the model sees something in.

    A rule that goes by words is believed without where it is certain, unless all is in capitals, which tell
    nothing then. Words at the edges of a doubtful span that the model sees nothing in are cut off.
    """
    likely = [word for word in words if word[2] >= least]
    starts = [word[0] for word in likely]
    backed = []
    for span in found:
        sure = certainty(span) >= CERTAIN and not text[span.start : span.end].isupper()
        if span.source not in WORDY or sure:
            backed.append(span)
            continue
        first = max(bisect_left(starts, span.start) - 1, 0)
        inside = [word for word in likely[first : first + 60] if word[0] < span.end and span.start < word[1]]
        if inside:
            start, end = max(inside[0][0], span.start), min(max(word[1] for word in inside), span.end)
            backed.append(Span(start, end, span.label, span.score, span.source))
    return backed


def find_likely_words(answer: Answer, threshold: float) -> list[Span]:
    """Words that a model finds likelier than a lower threshold, though it gave them no label."""
    if threshold >= DEFAULT_THRESHOLD:
        return []
    likely = [Span(*word[:2], "OTHER", word[2], "model:word") for word in answer[1] if word[2] >= threshold]
    # A span that falls short of the threshold itself does not speak for its words.
    sure = [span for span in answer[0] if span.score is None or span.score >= threshold]
    return outside(likely, sorted((span.start, span.end) for span in sure))


def score_words(
    text: str, candidates: Iterable[Span], model_words: Sequence[WordScore]
) -> tuple[WordScore, ...]:
    """Each word's highest certainty among what covers it and what the model says of it."""
    words = find_words(text)
    ends = [end for _, end in words]
    covers = [(span.start, span.end, certainty(span)) for span in candidates]
    scores = [0.0] * len(words)
    # Nearly all words of a model are words here too.
    places = {word: place for place, word in enumerate(words)}
    for start, end, score in (*covers, *model_words):
        own = places.get((start, end))
        if own is not None:
            if score > scores[own]:
                scores[own] = score
            continue
        index = bisect_left(ends, start + 1)
        while index < len(words) and words[index][0] < end:
            scores[index] = max(scores[index], score)
            index += 1
    return tuple(zip([start for start, _ in words], ends, scores, strict=True))


def certainty(span: Span) -> float:
    return 1.0 if span.score is None else span.score
