"""A tagger and pieced notes in, scores of words, tags and spans out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_greedy, decode_valid
from deidlab.encode.tags import tags_to_spans
from deidlab.train.packing import RowShape, build_rows, choose_row_shape, n_used, pack_windows
from deidlab.train.pieced import PiecedCorpus
from deidlab.train.steps import ScoreSteps
from deidlab.train.tagger import Tagger, first_position
from deidlab.types import Span

_GPU_PIECES = 16_384
_CPU_PIECES = 2_048


@dataclass(frozen=True, slots=True)
class _Row:
    shape: RowShape
    values: Any
    pieces: Any
    words: Any


class WordScorer:
    """Scores every word of a corpus with the tagger as it is at the time; rows are laid out once."""

    def __init__(self, tagger: Tagger, corpus: PiecedCorpus, device: Any) -> None:
        self._tagger, self._n_words, self._device = tagger, corpus.n_words, device
        mean = float(corpus.lengths.mean())
        on_gpu = device.type == "cuda"
        batch = (_GPU_PIECES if on_gpu else _CPU_PIECES) / mean
        shape = choose_row_shape(corpus, max(1.0, batch), first_position(tagger.model))
        order = np.argsort(-corpus.lengths, kind="stable")
        lengths = corpus.lengths.tolist()
        plan = pack_windows(lengths, order.tolist(), shape)
        self._rows = [_lay_out(corpus, windows, shape, on_gpu, device) for windows in plan]
        self._steps = ScoreSteps(tagger, shape, device, graphed=on_gpu and tagger.packs)

    def score(self) -> Scores:
        """[words, tags] in the order of the corpus."""
        was_training = self._tagger.training
        self._tagger.eval()
        n_tags = int(self._tagger.model.config.num_labels)
        scores = torch.zeros((self._n_words, n_tags), dtype=torch.float32, device=self._device)
        for row in self._rows:
            scores[row.words] = self._steps.run(row.values, row.shape)[row.pieces]
        self._tagger.train(was_training)
        found: Scores = scores.cpu().numpy()
        return found

    @property
    def n_rows(self) -> int:
        """How many times the model runs to score the corpus."""
        return len(self._rows)

    def steps(self) -> Scores | None:
        """A CRF's steps between tags, where the tagger has one."""
        steps = self._tagger.steps
        return None if steps is None else steps.detach().float().cpu().numpy()


def _lay_out(
    corpus: PiecedCorpus, windows: Sequence[int], shape: RowShape, on_gpu: bool, device: Any
) -> _Row:
    used = n_used(windows, corpus.lengths.tolist())
    if not on_gpu:
        shape = RowShape(used, len(windows), shape.longest, shape.first_position)
    values = torch.from_numpy(build_rows(corpus, [windows], shape)[0]).to(device)
    pieces, words = [], []
    at = 0
    for window in windows:
        start, end = int(corpus.starts[window]), int(corpus.starts[window + 1])
        first, last = np.searchsorted(corpus.deciding, (start, end))
        pieces.append(corpus.deciding[first:last] - start + at)
        words.append(np.arange(first, last))
        at += end - start
    return _Row(
        shape,
        values,
        torch.from_numpy(np.concatenate(pieces)).to(device),
        torch.from_numpy(np.concatenate(words)).to(device),
    )


def split_by_note(scores: Scores, corpus: PiecedCorpus) -> list[Scores]:
    """The scores of each note's words."""
    edges = np.cumsum([len(words) for words in corpus.words])
    return np.split(scores, edges[:-1]) if len(edges) else []


def choose_tags(
    scores: list[Scores], grammar: TagGrammar, decoding: str, steps: Scores | None = None
) -> list[TagIds]:
    """The tags of each note's words by the run's way of decoding."""
    if decoding == "greedy":
        return decode_greedy(scores)
    return decode_valid(scores, grammar, steps if decoding == "crf" else None)


def tags_to_found(corpus: PiecedCorpus, tags: list[TagIds], names: Sequence[str]) -> list[tuple[Span, ...]]:
    """The spans that each note's tags spell."""
    return [
        tags_to_spans(words, [names[tag] for tag in note.tolist()])
        for words, note in zip(corpus.words, tags, strict=True)
    ]
