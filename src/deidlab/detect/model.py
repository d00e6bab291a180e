"""Notes in, what a tagger finds in them out: spans with their certainty, and each word's probabilities.

The tagger is a folder: one that `deidlab export` wrote, which needs no torch, or a run's own, which does. A
GPU computes either, with torch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deidlab.detect.findings import Describer, Findings, NoteTagger
from deidlab.detect.folder import (
    TOKENIZER,
    TaggerFacts,
    is_export,
    is_run,
    read_export,
    read_steps,
    read_tagger,
)
from deidlab.detect.probabilities import tag_probabilities
from deidlab.detect.runtimes import IDS, SHAPES, Runtime, WindowInputs, choose_threads, open_runtime
from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_greedy, decode_valid
from deidlab.encode.pieces import WordPieces
from deidlab.encode.shapes import SPECIAL, find_shapes
from deidlab.encode.windows import WindowShape, cut_windows, deciding_pieces
from deidlab.encode.words import find_words
from deidlab.errors import MissingExtraError, ModelError
from deidlab.types import Document, Span, Window, Word

# Enough to keep every core busy, few enough that notes stream by and memory does not grow.
_BATCH_WINDOWS = 128
# Enough to fill a GPU's rows.
_GPU_BATCH_WINDOWS = 1024


@dataclass(frozen=True, slots=True)
class CutNote:
    """A note as its model takes it."""

    id: str
    text: str = field(repr=False)
    words: tuple[Word, ...] = field(repr=False)
    windows: list[WindowInputs] = field(repr=False)


class TaggingModel(NoteTagger):
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
        batch_windows: int = _BATCH_WINDOWS,
    ) -> None:
        self.facts, self.runtime = facts, runtime
        self._pieces, self._steps, self._batch_windows = pieces, steps, batch_windows
        self._grammar = TagGrammar.of(facts.tags)
        self._shape = WindowShape(facts.window, facts.stride, pieces.prefix, pieces.suffix)
        self._describer = Describer(facts, source)

    @property
    def phi_minimum(self) -> float | None:
        """How likely words must be PHI of any label to be found beside what tags say; None: never."""
        return self._describer.phi_minimum

    @phi_minimum.setter
    def phi_minimum(self, value: float | None) -> None:
        self._describer.phi_minimum = value

    def find(self, text: str) -> tuple[Span, ...]:
        """The spans of one text, in order, none overlapping."""
        return next(self.tag_notes([Document(id="text", text=text)])).spans

    def find_spans(self, documents: Iterable[Document]) -> Iterator[tuple[Span, ...]]:
        """The spans of each note, in the order of the notes; spans that a note comes with play no part."""
        return (found.spans for found in self.tag_notes(documents))

    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]:
        """All that is found in each note, in the order of the notes, while they stream by."""
        batch: list[CutNote] = []
        n_windows = 0
        for document in documents:
            batch.append(self.cut(document))
            n_windows += len(batch[-1].windows)
            if n_windows >= self._batch_windows:
                yield from self.decide(batch, self.score(batch))
                batch, n_windows = [], 0
        yield from self.decide(batch, self.score(batch))

    def cut(self, document: Document) -> CutNote:
        """A note as words and windows."""
        words = tuple(find_words(document.text, self.facts.words))
        windows = cut_windows(document.id, self._pieces.of_words(document.text, words), self._shape)
        shapes = find_shapes(document.text, words) if self.facts.shapes else []
        return CutNote(document.id, document.text, words, [_to_inputs(window, shapes) for window in windows])

    def score(self, notes: Sequence[CutNote]) -> list[Scores]:
        """[words, tags] of each note."""
        parts = iter(self.runtime.score([window for note in notes for window in note.windows]))
        none = np.zeros((0, len(self.tags)), np.float32)
        return [np.concatenate([none, *(next(parts) for _ in note.windows)]) for note in notes]

    def decide(self, notes: Sequence[CutNote], scores: list[Scores]) -> Iterator[Findings]:
        """What the scores of each note's words say."""
        for note, own, tags in zip(notes, scores, self._choose(scores), strict=True):
            probabilities = tag_probabilities(own, self._grammar, self._steps)
            yield self._describer.describe(note.id, note.text, note.words, tags, probabilities)

    def _choose(self, scores: list[Scores]) -> list[TagIds]:
        if self.facts.decoding == "greedy":
            return decode_greedy(scores)
        return decode_valid(scores, self._grammar, self._steps)


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
    a single note. On the `device` cuda torch computes, an exported model with weights rebuilt from its own.
    """
    folder = Path(folder)
    if not is_export(folder) and not is_run(folder):
        raise ModelError(
            f"{folder}: neither a run of `deidlab train` nor a folder of `deidlab export` is here"
        )
    chosen = choose_threads(threads, at_once)
    facts = read_tagger(folder)
    steps: Scores | None
    runtime: Runtime
    if is_export(folder) and device == "cpu":
        export = read_export(folder)
        _need_tokenizers(export.format)
        steps, runtime = read_steps(folder, facts), open_runtime(folder, export, chosen)
    else:
        _need_tokenizers("train")
        from deidlab.detect.packed.runtime import open_run

        steps, runtime = open_run(folder, facts, chosen, device)
    batch = _BATCH_WINDOWS if device == "cpu" else _GPU_BATCH_WINDOWS
    return TaggingModel(facts, WordPieces.from_file(folder / TOKENIZER), runtime, steps, source, batch)


def _need_tokenizers(extra: str) -> None:
    if importlib.util.find_spec("tokenizers") is None:
        raise MissingExtraError("running a model", extra)


def _to_inputs(window: Window, shapes: Sequence[int]) -> WindowInputs:
    arrays = {IDS: np.array([window.input_ids], np.int64)}
    if shapes:
        own = [SPECIAL if word is None else shapes[word] for word in window.word_ids]
        arrays[SHAPES] = np.array([own], np.int64)
    return WindowInputs(arrays, np.array(deciding_pieces(window), np.int64))
