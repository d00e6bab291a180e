"""A tagger and pieced notes in, scores of their words out: rows laid out once, scored as often as asked.

On a GPU a row is replayed as one captured graph, so that nothing waits for kernels to be launched one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from deidlab.detect.packed.tagger import Tagger, first_position
from deidlab.encode.decoding import Scores
from deidlab.encode.packing import RowShape, build_rows, choose_row_shape, n_used, pack_windows
from deidlab.encode.pieced import PiecedCorpus

GPU_PIECES = 16_384
_CPU_PIECES = 2_048


@dataclass(frozen=True, slots=True)
class _Row:
    shape: RowShape
    values: Any
    pieces: Any
    words: Any


@dataclass(frozen=True, slots=True)
class Rows:
    """The windows of some notes on the device, and which piece of a row stands for which word."""

    rows: tuple[_Row, ...] = field(repr=False)
    n_words: int

    def __len__(self) -> int:
        return len(self.rows)


def lay_out(
    corpus: PiecedCorpus, plan: Iterable[Sequence[int]], shape: RowShape, device: Any, whole: bool
) -> Rows:
    """The rows of a plan; with `whole` all of one size, else each ends with its last window."""
    lengths = corpus.lengths.tolist()
    rows = []
    for windows in plan:
        used = RowShape(n_used(windows, lengths), len(windows), shape.longest, shape.first_position)
        rows.append(_lay_out_row(corpus, windows, shape if whole else used, device))
    return Rows(tuple(rows), corpus.n_words)


def _lay_out_row(corpus: PiecedCorpus, windows: Sequence[int], shape: RowShape, device: Any) -> _Row:
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


class RowScorer:
    """Scores rows with the tagger as it is at the time."""

    def __init__(self, tagger: Tagger, device: Any) -> None:
        self._tagger, self._device = tagger, device
        self._graphed = device.type == "cuda" and tagger.packs
        self._steps: dict[RowShape, ScoreSteps] = {}

    def score(self, rows: Rows) -> Scores:
        """[words, tags] in the order of the notes."""
        was_training = self._tagger.training
        self._tagger.eval()
        n_tags = int(self._tagger.model.config.num_labels)
        scores = torch.zeros((rows.n_words, n_tags), dtype=torch.float32, device=self._device)
        for row in rows.rows:
            scores[row.words] = self._run(row)[row.pieces]
        self._tagger.train(was_training)
        found: Scores = _fetch(scores).numpy()
        return found

    def _run(self, row: _Row) -> Any:
        # Without a graph a step holds nothing of its row's size, and one serves for all.
        key = row.shape if self._graphed else RowShape(0, 0, 0)
        if key not in self._steps:
            self._steps[key] = ScoreSteps(self._tagger, row.shape, self._device, self._graphed)
        return self._steps[key].run(row.values, row.shape)


def _fetch(scores: Any) -> Any:
    """A tensor of the device, here; from a GPU by way of memory that stays in place, which is far faster."""
    if scores.device.type != "cuda":
        return scores.cpu()
    here = torch.empty(scores.shape, dtype=scores.dtype, pin_memory=True)
    here.copy_(scores, non_blocking=True)
    torch.cuda.current_stream().synchronize()
    return here


class WordScorer:
    """Scores every word of a corpus with the tagger as it is at the time: how a training is validated."""

    def __init__(self, tagger: Tagger, corpus: PiecedCorpus, device: Any) -> None:
        self._tagger, self._scorer = tagger, RowScorer(tagger, device)
        on_gpu = device.type == "cuda"
        batch = (GPU_PIECES if on_gpu else _CPU_PIECES) / float(corpus.lengths.mean())
        shape = choose_row_shape(corpus, max(1.0, batch), first_position(tagger.model))
        order = np.argsort(-corpus.lengths, kind="stable")
        plan = pack_windows(corpus.lengths.tolist(), order.tolist(), shape)
        self._rows = lay_out(corpus, plan, shape, device, whole=on_gpu)

    def score(self) -> Scores:
        """[words, tags] in the order of the corpus."""
        return self._scorer.score(self._rows)

    def steps(self) -> Scores | None:
        """A CRF's steps between tags, where the tagger has one."""
        return crf_steps(self._tagger)


def crf_steps(tagger: Tagger) -> Scores | None:
    """A CRF's steps between tags, where a tagger has one."""
    steps = tagger.steps
    return None if steps is None else steps.detach().float().cpu().numpy()


class ScoreSteps:
    """Scores rows of constant size, as a captured graph where there is a GPU."""

    def __init__(
        self, score: Callable[[Any, RowShape], Any], shape: RowShape, device: Any, graphed: bool
    ) -> None:
        self._score, self._shape = score, shape
        self._graph: Any = None
        self._row = torch.zeros(shape.width, dtype=torch.int32, device=device)
        self._row[shape.edges] = shape.n_pieces
        self._graphed = graphed
        self._scores: Any = None

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def run(self, row: Any, shape: RowShape) -> Any:
        """[pieces, …] of one row; on a GPU good until the next call."""
        if not self._graphed:
            return self._score(row, shape).float()
        self._row.copy_(row)
        if self._graph is None:
            self._capture()
        else:
            self._graph.replay()
        return self._scores

    def _capture(self) -> None:
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._score(self._row, self._shape)
        torch.cuda.current_stream().wait_stream(aside)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._scores = self._score(self._row, self._shape).float()
        self._graph.replay()
