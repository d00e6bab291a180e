"""Weights rebuilt from an int8 export beside the export itself: `python benchmarks/rebuilt.py`.

Prints benchmarks/results/rebuilt.md: for the embedded models, the share of words with another tag, and
label-blind word recall and precision on hand-written notes, computed by torch in fp32 on a processor.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deidlab.corpus import read_corpus
from deidlab.detect.embedded import embedded_folder
from deidlab.detect.findings import Findings
from deidlab.detect.folder import TOKENIZER, read_tagger
from deidlab.detect.model import TaggingModel, load_model
from deidlab.detect.packed.runtime import open_run
from deidlab.detect.runtimes import choose_threads
from deidlab.encode.pieces import WordPieces
from deidlab.encode.words import find_words
from deidlab.types import Document, Span

DATA = Path(__file__).parents[1] / "tests" / "data"
SETS = (("en", "notes-en"), ("es", "notes-es-fresh"))


def through_torch(folder: Path, device: str = "cpu") -> TaggingModel:
    facts = read_tagger(folder)
    steps, runtime = open_run(folder, facts, choose_threads(), device)
    return TaggingModel(facts, WordPieces.from_file(folder / TOKENIZER), runtime, steps)


def hidden(text: str, spans: Sequence[Span]) -> np.ndarray:
    covered = np.zeros(len(text) + 1, bool)
    for span in spans:
        covered[span.start : span.end] = True
    return np.array([covered[start:end].any() for start, end in find_words(text)], bool)


def words_found(notes: Sequence[Document], found: Sequence[Findings]) -> tuple[float, float]:
    gold = np.concatenate([hidden(note.text, note.spans) for note in notes])
    own = np.concatenate([hidden(note.text, each.spans) for note, each in zip(notes, found, strict=True)])
    both = float((gold & own).sum())
    return both / gold.sum(), both / own.sum()


def main() -> None:
    columns = ("model", "notes", "words", "other tag", "largest gap of a probability",
               "recall, precision: int8", "the same, rebuilt", "loading, s")  # fmt: skip
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---:|---:|---:|---|---|---:|")
    for name, where in SETS:
        notes = list(read_corpus(DATA / where, "inline"))
        folder = embedded_folder(name)
        began = time.perf_counter()
        rebuilt = through_torch(folder)
        took = time.perf_counter() - began
        found = [list(model.tag_notes(notes)) for model in (load_model(folder), rebuilt)]
        tags = [(a, b) for x, y in zip(*found, strict=True) for a, b in zip(x.tags, y.tags, strict=True)]
        gap = max(float(np.abs(x.probabilities - y.probabilities).max()) for x, y in zip(*found, strict=True))
        shares = [", ".join(f"{each:.4f}" for each in words_found(notes, own)) for own in found]
        changed = sum(a != b for a, b in tags)
        print(
            f"| `{name}` | {where} | {len(tags)} | {changed} ({100 * changed / len(tags):.3f}%) | {gap:.3f} "
            f"| {shares[0]} | {shares[1]} | {took:.1f} |"
        )


if __name__ == "__main__":
    main()
