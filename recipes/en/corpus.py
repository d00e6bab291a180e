"""The training notes of the English model: made by the grammar, and of a base of notes, both from a seed.

`prepare` reads a base once, with the rules, into a small file; `make_corpus` needs none of the rules'
libraries.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
from collections.abc import Iterable
from pathlib import Path

from deidlab.make.base import fill_notes, read_notes
from deidlab.make.masks import BaseNote
from deidlab.make.notes import make_notes
from deidlab.types import Document

_CHUNK = 500


def prepare(documents: Iterable[Document], path: Path) -> int:
    """Write a base as notes to fill; how many."""
    n = 0
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        for note in read_notes(documents):
            stream.write(json.dumps([note.id, note.sentences, note.gaps]) + "\n")
            n += 1
    return n


def read_prepared(path: Path) -> list[BaseNote]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [
        BaseNote(
            id,
            tuple(tuple((text, becomes, share) for text, becomes, share in each) for each in sentences),
            tuple(gaps),
        )
        for id, sentences, gaps in rows
    ]


_BASE: list[BaseNote] = []


def _make(task: tuple[str, int, int, int]) -> list[Document]:
    source, first, n, seed = task
    if source == "base":
        return list(fill_notes(_BASE, n, seed, lift=True, first=first))
    # Patients have up to three notes: numbers that far apart never meet.
    return list(make_notes(n, seed, lift=True, first=first))


def make_corpus(n_grammar: int, n_base: int, base: Path | None, seed: int) -> list[Document]:
    """So many notes of either source, in an order that does not depend on the number of processes."""
    if n_base and base is not None:
        _BASE[:] = read_prepared(base)
    tasks = [
        (source, first, min(_CHUNK, n - first), seed)
        for source, n in (("grammar", n_grammar), ("base", n_base))
        for first in range(0, n, _CHUNK)
    ]
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        return [document for part in pool.map(_make, tasks) for document in part]
