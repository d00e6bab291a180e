"""Windows in, scores of tags out, computed by torch: window by window on a processor, packed on a GPU.

What is found in a window cannot depend on its neighbours in a batch. A processor computes each by itself. On
a GPU all rows have one size, whatever is asked for, so that a window goes through the same sums wherever it
stands; a row of its size takes a few milliseconds, and a single note loses little.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from deidlab.detect.folder import TaggerFacts
from deidlab.detect.runtimes import IDS, SHAPES, Threads, WindowInputs
from deidlab.encode.decoding import Scores
from deidlab.encode.packing import RowShape, pack_windows
from deidlab.encode.pieced import PiecedCorpus
from deidlab.errors import ConfigError, MissingExtraError

try:
    import torch

    from deidlab.detect.packed.loading import load_tagger
    from deidlab.detect.packed.scoring import GPU_PIECES, Rows, RowScorer, crf_steps, lay_out
    from deidlab.detect.packed.tagger import Tagger
except ImportError:
    raise MissingExtraError("running a model with torch", "train") from None

# Room for so many windows in a row: each number is a graph of its own, so there are few.
_ROOMS = tuple(48 * 2**power for power in range(9))
# A kernel starts work for every window that a row may hold, and filler takes some of the room.
_SPARE = 8


class PackedRuntime:
    """Computes a run's tagger; one batch at a time, whoever asks."""

    def __init__(self, tagger: Tagger, facts: TaggerFacts, threads: Threads, device: Any) -> None:
        self._threads, self._device = threads, device
        self._longest, self._first_position = facts.window, facts.first_position
        self._on_gpu = device.type == "cuda"
        self._packs = tagger.packs
        tagger.steady = self._on_gpu
        self._scorer, self._lock = RowScorer(tagger, device), Lock()

    def score(self, windows: Sequence[WindowInputs]) -> list[Scores]:
        """[places, tags] for each window, in order."""
        if not windows:
            return []
        scores = self.run(self.lay_out(windows))
        edges = np.cumsum([len(window.places) for window in windows])
        return np.split(scores, edges[:-1])

    def lay_out(self, windows: Sequence[WindowInputs]) -> Rows:
        """The windows where they are computed."""
        corpus = _join(windows)
        if not self._on_gpu:
            alone = ([place] for place in range(corpus.n_windows))
            shape = RowShape(0, 1, self._longest, self._first_position)
            return lay_out(corpus, alone, shape, self._device, whole=False)
        shape = self._gpu_shape(corpus)
        order = np.argsort(-corpus.lengths, kind="stable").tolist()
        plan = pack_windows(corpus.lengths.tolist(), order, shape)
        return lay_out(corpus, plan, shape, self._device, whole=True)

    def run(self, rows: Rows) -> Scores:
        """[words, tags] of the places of all windows, one after another."""
        with self._lock, _using(self._threads.total):
            return self._scorer.score(rows)

    def _gpu_shape(self, corpus: PiecedCorpus) -> RowShape:
        longest = max(self._longest, int(corpus.lengths.max()))
        n_pieces = max(GPU_PIECES, longest)
        if not self._packs:
            # One window a line, all lines of one length: so many lines whatever is asked for.
            n_lines = max(1, n_pieces // longest)
            return RowShape(n_lines * longest, n_lines + _SPARE, longest, self._first_position)
        least = -(-n_pieces // longest) + _SPARE
        wanted = max(least, math.ceil(1.25 * n_pieces / float(corpus.lengths.mean())))
        room = next((room for room in _ROOMS if room >= wanted), _ROOMS[-1])
        return RowShape(n_pieces, max(room, least), longest, self._first_position)


def open_run(
    folder: Path, facts: TaggerFacts, threads: Threads, device: str = "cpu"
) -> tuple[Scores | None, PackedRuntime]:
    """The CRF steps of a run or an export, where it has any, and its model ready to run with torch."""
    if device != "cpu" and not torch.cuda.is_available():
        raise ConfigError("no GPU is seen here: ask for none, or give workers a part of one")
    place = torch.device(device)
    tagger = load_tagger(folder, facts, place)
    return crf_steps(tagger), PackedRuntime(tagger, facts, threads, place)


def _join(windows: Sequence[WindowInputs]) -> PiecedCorpus:
    """The windows end to end; each of the places that scores are wanted of counts as a word."""
    ids = [window.arrays[IDS][0] for window in windows]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in ids])])
    places = [window.places + start for window, start in zip(windows, starts.tolist(), strict=False)]
    joined = np.concatenate(ids).astype(np.int32)
    shapes = np.zeros_like(joined)
    if SHAPES in windows[0].arrays:
        shapes = np.concatenate([window.arrays[SHAPES][0] for window in windows]).astype(np.int32)
    return PiecedCorpus(
        ids=joined,
        labels=np.zeros_like(joined),
        shapes=shapes,
        starts=starts.astype(np.int64),
        deciding=np.concatenate(places).astype(np.int64),
        words=(),
        spans=(),
    )


@contextlib.contextmanager
def _using(n_threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
