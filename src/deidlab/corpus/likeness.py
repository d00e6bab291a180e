"""Notes in, those that are nearly the same out: MinHash over five-word shingles, with datasketch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from deidlab.encode.words import find_words
from deidlab.errors import needing

_SHINGLE = 5
_N_HASHES = 128


class NearDuplicates:
    """Finds notes of different parts whose shingles agree to at least `likeness` (Jaccard, estimated)."""

    def __init__(self, likeness: float) -> None:
        with needing("looking for notes that are nearly the same", "duplicates"):
            from datasketch import MinHash, MinHashLSH

        self._sketch = MinHash
        self._index: Any = MinHashLSH(threshold=likeness, num_perm=_N_HASHES)
        self._likeness = likeness
        self._seen: dict[str, tuple[str, Any]] = {}

    def add(self, document_id: str, part: str, text: str) -> Iterator[tuple[str, str, float]]:
        """Take a note in; those of other parts that it nearly repeats: id, part, likeness."""
        sketch = self._sketch(num_perm=_N_HASHES, seed=1)
        shingles = set(_shingles(text))
        if not shingles:
            return
        sketch.update_batch(sorted(shingles))
        for twin in sorted(self._index.query(sketch)):
            twin_part, twin_sketch = self._seen[twin]
            alike = sketch.jaccard(twin_sketch)
            if twin_part != part and alike >= self._likeness:
                yield twin, twin_part, alike
        self._index.insert(document_id, sketch)
        self._seen[document_id] = (part, sketch)


def _shingles(text: str) -> Iterator[bytes]:
    words = [text[start:end].lower().encode("utf-8", "surrogatepass") for start, end in find_words(text)]
    if 0 < len(words) < _SHINGLE:
        yield b" ".join(words)
    for window in zip(*(islice(words, first, None) for first in range(_SHINGLE)), strict=False):
        yield b" ".join(window)
