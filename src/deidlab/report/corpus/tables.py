"""Counts of a corpus in, the study's Table 3 and a summary out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deidlab.corpus.stats import PartCounts, row_labels
from deidlab.labels import LabelSet
from deidlab.report.tables import Table, text_table

_WORDS = {
    "runs": "runs of letters, runs of digits, single symbols",
    "cases": "runs of letters cut before capitals, runs of digits, single symbols",
    "whitespace": "cut at white space, near the 2022 study",
}


def corpus_summary(parts: Mapping[str, PartCounts], style: str) -> Table:
    """Documents, patients, words and spans of each part."""
    rows = (
        ("Documents", *(f"{part.documents:,}" for part in parts.values())),
        ("Patients", *(f"{len(part.patients):,}" for part in parts.values())),
        ("Words", *(f"{part.words:,}" for part in parts.values())),
        ("PHI words", *(f"{part.phi_words:,}" for part in parts.values())),
        ("Spans", *(f"{part.spans:,}" for part in parts.values())),
        ("Mean words a note", *(_mean(part.words, part.documents) for part in parts.values())),
        ("Mean spans a note", *(_mean(part.spans, part.documents) for part in parts.values())),
        ("Spans that BIO cannot hold", *(f"{part.misfits:,}" for part in parts.values())),
    )
    return text_table("Corpus", ("", *parts), rows, note=f"Words: {_WORDS[style]}.")


def corpus_table(parts: Mapping[str, PartCounts], style: str, labels: LabelSet | None = None) -> Table:
    """Words of each label, as a count and a percentage of all words, with the spans beside."""
    columns = ["Label"]
    for name in parts:
        columns += (f"{name} words (%)", "spans")
    shown = row_labels(parts, labels)
    rows = [("Non-PHI", *_cells(parts, lambda part: (part.words - part.phi_words, 0)))]
    rows += [(label, *_cells(parts, _counts_of(label))) for label in shown]
    if labels is not None:
        rows.append(("(outside the set)", *_cells(parts, _counts_outside(frozenset(shown)))))
    title = "PHI words and spans by label"
    return text_table(title, columns, rows, note=f"Words: {_WORDS[style]}. Percent of all words.")


_WordsAndSpans = Callable[[PartCounts], tuple[int, int]]


def _cells(parts: Mapping[str, PartCounts], count: _WordsAndSpans) -> tuple[str, ...]:
    cells: list[str] = []
    for part in parts.values():
        n_words, n_spans = count(part)
        cells.append(f"{n_words} ({100 * n_words / part.words if part.words else 0:.4f})")
        cells.append(str(n_spans) if n_spans else "–")
    return tuple(cells)


def _counts_of(label: str) -> _WordsAndSpans:
    return lambda part: (part.words_by_label[label], part.spans_by_label[label])


def _counts_outside(shown: frozenset[str]) -> _WordsAndSpans:
    def count(part: PartCounts) -> tuple[int, int]:
        n_words, n_spans = (
            sum(n for label, n in counter.items() if label not in shown)
            for counter in (part.words_by_label, part.spans_by_label)
        )
        return n_words, n_spans

    return count


def _mean(total: int, count: int) -> str:
    return f"{total / count:.1f}" if count else "–"
