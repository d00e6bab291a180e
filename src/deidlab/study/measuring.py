"""Notes and what a tagger found in them in, the figures that a study selects by out: words first, then spans.

Words are told apart by the same code as in `deidlab score`, so that a study's tables and a later scoring of
the same spans agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deidlab.evaluate.layout import lay_out
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.wordlevel import NO_LABEL, look_at_words
from deidlab.train.scoring import count_strict, total_counts
from deidlab.types import Counts, Document, Span


def measure_found(
    documents: Sequence[Document], found: Sequence[Sequence[Span]], style: str = "runs"
) -> dict[str, Any]:
    """Word-level precision, recall, F1 (micro over labels) and accuracy, by label too, and strict spans."""
    gold = [document.spans for document in documents]
    counts, accuracy = count_words(documents, found, style)
    strict = total_counts(count_strict(gold, found))
    figures = describe(total_counts(counts)) | {"accuracy": accuracy}
    figures |= {f"strict_{key}": value for key, value in describe(strict).items()}
    return figures | {"by_label": {label: describe(each) for label, each in counts.items()}}


def count_words(
    documents: Sequence[Document], found: Sequence[Sequence[Span]], style: str = "runs"
) -> tuple[dict[str, Counts], float | None]:
    """Counts of words by label, and the share of all words that are right."""
    pairs = [
        Pair(document, replace(document, spans=tuple(spans)))
        for document, spans in zip(documents, found, strict=True)
    ]
    labels = sorted(
        {span.label for pair in pairs for side in (pair.gold, pair.system) for span in side.spans}
    )
    layout = lay_out(pairs, labels, frozenset(labels), style)
    words = look_at_words(layout)
    has_gold, has_system = words.gold != NO_LABEL, words.system != NO_LABEL
    right = has_gold & words.right
    n_labels = len(labels)

    def add(rows: Any, codes: Any) -> list[int]:
        counted: list[int] = np.bincount(codes[rows], minlength=n_labels).tolist()
        return counted

    columns = zip(
        add(right, words.gold),
        add(has_system & ~right, words.system),
        add(has_gold & ~right, words.gold),
        strict=True,
    )
    counts = {label: Counts(*cells) for label, cells in zip(labels, columns, strict=True)}
    n_words = len(layout.word_start)
    accuracy = (n_words - int((~words.right).sum())) / n_words if n_words else None
    return counts, accuracy


def describe(counts: Counts) -> dict[str, Any]:
    table: dict[str, Any] = {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn}
    return table | {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
