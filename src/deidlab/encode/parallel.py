"""Many notes in, all their windows out as `piece_corpus` cuts them, by as many processes as there are cores.

A large corpus takes a millisecond a note in one process: minutes in which a GPU would stand still.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from deidlab.encode.pieced import Cutting, PiecedCorpus, piece_corpus
from deidlab.labels import LabelSet
from deidlab.machine import n_cores
from deidlab.types import Document

CHUNK = 500
"""Notes that a process takes at a time."""
_MOST_PROCESSES = 16
_QUIET = "TOKENIZERS_PARALLELISM"

Task = tuple[Sequence[Document], Cutting, LabelSet, bool, bool]
# What forked processes find already there: notes are not sent to them.
_TASK: list[Task] = []


def piece_many(
    documents: Sequence[Document],
    cutting: Cutting,
    labels: LabelSet,
    all_pieces: bool = False,
    as_gold: bool = True,
) -> PiecedCorpus:
    """As `piece_corpus`, note for note; by several processes where that pays and forking is safe."""
    n_processes = min(_MOST_PROCESSES, n_cores(), len(documents) // CHUNK)
    if n_processes < 2 or not sys.platform.startswith("linux"):
        return piece_corpus(documents, cutting, labels, all_pieces, as_gold)
    _TASK[:] = [(documents, cutting, labels, all_pieces, as_gold)]
    try:
        with _one_thread_a_tokenizer(), multiprocessing.get_context("fork").Pool(n_processes) as pool:
            parts = pool.map(_piece_chunk, range(0, len(documents), CHUNK), chunksize=1)
    finally:
        _TASK.clear()
    return replace(join(parts), spans=tuple(document.spans for document in documents))


def join(parts: Sequence[PiecedCorpus]) -> PiecedCorpus:
    """Corpora end to end as one."""
    before = np.cumsum([0, *(part.n_pieces for part in parts)])[:-1].tolist()
    return PiecedCorpus(
        ids=np.concatenate([part.ids for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        shapes=np.concatenate([part.shapes for part in parts]),
        starts=np.concatenate(
            [[0], *(part.starts[1:] + start for part, start in zip(parts, before, strict=True))]
        ).astype(np.int64),
        deciding=np.concatenate([part.deciding + start for part, start in zip(parts, before, strict=True)]),
        words=tuple(words for part in parts for words in part.words),
        spans=tuple(spans for part in parts for spans in part.spans),
        n_misfits=sum(part.n_misfits for part in parts),
    )


def _piece_chunk(first: int) -> PiecedCorpus:
    documents, cutting, labels, all_pieces, as_gold = _TASK[0]
    part = piece_corpus(documents[first : first + CHUNK], cutting, labels, all_pieces, as_gold)
    # The one who asks has the spans.
    return replace(part, spans=())


@contextmanager
def _one_thread_a_tokenizer() -> Iterator[None]:
    """Tokenizers that start threads after a fork would wait for each other for ever."""
    before = os.environ.get(_QUIET)
    os.environ[_QUIET] = "false"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_QUIET]
        else:
            os.environ[_QUIET] = before
