"""A corpus larger than memory is fine: readers hold one note at a time, or a few rows."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from deidlab.corpus import FORMATS, read_corpus, write_corpus
from deidlab.corpus.format import OneTable, OneText
from deidlab.types import Document, Span


def notes(n_notes: int, length: int) -> Iterator[Document]:
    text = ("Seen by Dr. Brandt on 3/14. " * (length // 28 + 1))[:length]
    for number in range(n_notes):
        yield Document(f"n{number:04}", text=text, spans=(Span(12, 18, "DOCTOR"),))


# A list of JSON and what is packed are read whole: their limits say how large a file may be.
STREAMED = [
    name
    for name, each in FORMATS.items()
    if each.takes_any_note
    and (isinstance(each.one, OneTable) or (isinstance(each.one, OneText) and not each.one.between))
]


@pytest.mark.parametrize("name", STREAMED)
def test_one_file_formats_stream(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"notes{FORMATS[name].suffixes[0]}"
    # Word by word is slow to trace: fewer characters, more notes.
    by_words = "conll" in name or "huggingface" in name
    n_notes, length = (500, 1_500) if by_words else (600, 60_000)
    write_corpus(notes(n_notes, length), path, name)
    tracemalloc.start()
    try:
        assert sum(len(document.spans) for document in read_corpus(path, name)) == n_notes
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_notes * length / 3
