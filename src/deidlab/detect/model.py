"""Notes in, what a tagger finds in them out: spans with their certainty, and each word's probabilities.

The tagger is a folder: one that `deidlab export` wrote, which needs no torch, or a run's own, which does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deidlab.detect.folder import (
    MEDDOCAN,
    TOKENIZER,
    TaggerFacts,
    is_export,
    is_run,
    read_export,
    read_steps,
    read_tagger,
)
from deidlab.detect.meddocan import follow_corpus
from deidlab.detect.probabilities import tag_probabilities
from deidlab.detect.runtimes import IDS, SHAPES, Runtime, WindowInputs, choose_threads, open_runtime
from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_greedy, decode_valid
from deidlab.encode.pieces import WordPieces
from deidlab.encode.shapes import SPECIAL, find_shapes
from deidlab.encode.tags import tags_to_spans
from deidlab.encode.windows import WindowShape, cut_windows, deciding_pieces
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError, MissingExtraError, ModelError
from deidlab.labels import OUTSIDE
from deidlab.types import Document, Span, Window, Word

WordScore = tuple[int, int, float]

# Enough to keep every core busy, few enough that notes stream by and memory does not grow.
_BATCH_WINDOWS = 128


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
        return [(*word, sure) for word, sure in zip(self.words, self.phi.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Pieced:
    id: str
    text: str = field(repr=False)
    words: tuple[Word, ...] = field(repr=False)
    windows: list[WindowInputs] = field(repr=False)


class TaggingModel:
    """A tagger that is ready to run; `load_model` makes one from a folder.

    What is found in a note depends on that note alone. One model may serve several threads.
    """

    def __init__(
        self,
        facts: TaggerFacts,
        pieces: WordPieces,
        runtime: Runtime,
        steps: Scores | None = None,
        source: str = "model",
    ) -> None:
        self.facts, self.source = facts, source
        self._pieces, self._runtime, self._steps = pieces, runtime, steps
        self._grammar = TagGrammar.of(facts.tags)
        self._shape = WindowShape(facts.window, facts.stride, pieces.prefix, pieces.suffix)
        self._label_tags = _tags_by_label(facts.tags)
        self._labels = [label for label in self._label_tags if label]
        # Words that are at least so likely to be PHI of any label are found too; None leaves it to the tags.
        self.least = facts.least

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

    def find(self, text: str) -> tuple[Span, ...]:
        """The spans of one text, in order, none overlapping."""
        return next(self.tag_notes([Document(id="text", text=text)])).spans

    def find_spans(self, documents: Iterable[Document]) -> Iterator[tuple[Span, ...]]:
        """The spans of each note, in the order of the notes; spans that a note comes with play no part."""
        return (found.spans for found in self.tag_notes(documents))

    def predict(self, documents: Iterable[Document]) -> list[tuple[tuple[Span, ...], list[WordScore]]]:
        """Each note's spans, and start, end and PHI probability of every word of it."""
        return [(found.spans, found.word_scores()) for found in self.tag_notes(documents)]

    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]:
        """All that is found in each note, in the order of the notes, while they stream by."""
        batch: list[_Pieced] = []
        n_windows = 0
        for document in documents:
            batch.append(self._cut(document))
            n_windows += len(batch[-1].windows)
            if n_windows >= _BATCH_WINDOWS:
                yield from self._decide(batch)
                batch, n_windows = [], 0
        yield from self._decide(batch)

    def window_inputs(self, document: Document) -> list[WindowInputs]:
        """A note as its model takes it."""
        return self._cut(document).windows

    def _cut(self, document: Document) -> _Pieced:
        words = tuple(find_words(document.text, self.facts.words))
        windows = cut_windows(document.id, self._pieces.of_words(document.text, words), self._shape)
        shapes = find_shapes(document.text, words) if self.facts.shapes else []
        return _Pieced(document.id, document.text, words, [_to_inputs(window, shapes) for window in windows])

    def _decide(self, notes: Sequence[_Pieced]) -> Iterator[Findings]:
        parts = iter(self._runtime.score([window for note in notes for window in note.windows]))
        none = np.zeros((0, len(self.tags)), np.float32)
        scores = [np.concatenate([none, *(next(parts) for _ in note.windows)]) for note in notes]
        for note, own, tags in zip(notes, scores, self._choose(scores), strict=True):
            yield self._describe(note, own, tags)

    def _choose(self, scores: list[Scores]) -> list[TagIds]:
        if self.facts.decoding == "greedy":
            return decode_greedy(scores)
        return decode_valid(scores, self._grammar, self._steps)

    def _describe(self, note: _Pieced, scores: Scores, tag_ids: TagIds) -> Findings:
        tags = tuple(self.tags[tag] for tag in tag_ids.tolist())
        probabilities = tag_probabilities(scores, self._grammar, self._steps)
        outside = probabilities[:, self.tags.index(OUTSIDE)] if OUTSIDE in self.tags else 0.0
        starts = {start: place for place, (start, _) in enumerate(note.words)}
        spans = tuple(
            self._with_score(span, starts[span.start], note.words, probabilities)
            for span in tags_to_spans(note.words, tags)
        )
        phi = np.clip(1.0 - outside, 0.0, 1.0).astype(np.float32) * np.ones(len(tags), np.float32)
        if self.least is not None:
            spans = tuple(sorted((*spans, *self._further(note.words, tags, probabilities, phi)), key=_start))
        if self.facts.customs == MEDDOCAN:
            spans = tuple(follow_corpus(note.text, spans))
        return Findings(note.id, note.words, tags, probabilities, phi, spans)

    def _further(
        self, words: Sequence[Word], tags: Sequence[str], probabilities: Scores, phi: Scores
    ) -> Iterator[Span]:
        """Words that are likely enough to be PHI though no single label is likelier than none."""
        assert self.least is not None
        for place in np.flatnonzero(phi >= self.least).tolist():
            if tags[place] == OUTSIDE:
                own = probabilities[place]
                label = max(self._labels, key=lambda each: (float(own[self._label_tags[each]].sum()), each))
                yield Span(*words[place], label, float(phi[place]), self.source)

    def _with_score(self, span: Span, first: int, words: Sequence[Word], probabilities: Scores) -> Span:
        end = first
        while end < len(words) and words[end][1] <= span.end:
            end += 1
        sure = float(probabilities[first:end, self._label_tags[span.label]].sum(axis=1).mean())
        return Span(span.start, span.end, span.label, min(1.0, max(0.0, sure)), self.source)


def load_model(
    folder: Path | str,
    threads: int | None = None,
    at_once: int | None = None,
    source: str = "model",
    device: str = "cpu",
) -> TaggingModel:
    """The tagger in a folder.

    `threads` are all cores unless given. They compute `at_once` windows at the same time, a window a thread
    unless given, which is fastest for many notes; with 1 all threads share one window, which is fastest for
    a single note. On the `device` cuda only a run's own folder can be computed.
    """
    folder = Path(folder)
    if not is_export(folder) and not is_run(folder):
        raise ModelError(
            f"{folder}: neither a run of `deidlab train` nor a folder of `deidlab export` is here"
        )
    chosen = choose_threads(threads, at_once)
    facts = read_tagger(folder)
    if is_export(folder):
        if device != "cpu":
            raise ConfigError(
                f"{folder}: an exported model is computed by processors; for GPUs name the run it came from"
            )
        export = read_export(folder)
        _need_tokenizers(export.format)
        steps, runtime = read_steps(folder, facts), open_runtime(folder, export, chosen)
    else:
        _need_tokenizers("train")
        from deidlab.detect.torch_model import open_run

        steps, runtime = open_run(folder, facts, chosen, device)
    return TaggingModel(facts, WordPieces.from_file(folder / TOKENIZER), runtime, steps, source)


def _start(span: Span) -> int:
    return span.start


def _need_tokenizers(extra: str) -> None:
    if importlib.util.find_spec("tokenizers") is None:
        raise MissingExtraError("running a model", extra)


def _to_inputs(window: Window, shapes: Sequence[int]) -> WindowInputs:
    arrays = {IDS: np.array([window.input_ids], np.int64)}
    if shapes:
        own = [SPECIAL if word is None else shapes[word] for word in window.word_ids]
        arrays[SHAPES] = np.array([own], np.int64)
    return WindowInputs(arrays, np.array(deciding_pieces(window), np.int64))


def _tags_by_label(tags: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, tag in enumerate(tags):
        places.setdefault(tag.partition("-")[2], []).append(place)
    return places
