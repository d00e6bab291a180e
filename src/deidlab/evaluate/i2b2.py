"""The measures of the i2b2/UTHealth 2014 challenge, as its own program defines and averages them.

Its tokens are runs of ASCII letters and digits inside a span. Its HIPAA subset leaves IDNUM out, where
the program's pattern has a slip. Its macro average is over documents, a document with nothing to divide by
counts as 0, and F1 is the harmonic mean of the two averages.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deidlab.evaluate.counts import CountTable, precision_recall_f1
from deidlab.evaluate.layout import Flags, Floats, Ints, SpanTable, expand_ranges
from deidlab.labels import load_label_set, usual_group

MEASURES = (
    "Token", "Strict", "Relaxed", "HIPAA Token", "HIPAA Strict", "HIPAA Relaxed",
    "Binary Token", "Binary Strict", "Binary HIPAA Token", "Binary HIPAA Strict",
    "NAME Token", "NAME Strict", "DATE Token", "DATE Strict", "LOCATION Strict", "ID Strict",
)  # fmt: skip

_BLIND = {
    "Binary Token": "i2b2_token",
    "Binary Strict": "i2b2_strict",
    "Binary HIPAA Token": "hipaa_token",
    "Binary HIPAA Strict": "hipaa_strict",
}

Averages = dict[str, dict[str, float]]


def cut_tokens(runs: tuple[Ints, Ints], spans: SpanTable) -> SpanTable:
    """The parts of those runs that lie in each span, under its label, each once."""
    run_start, run_end = runs
    low = np.searchsorted(run_end, spans.start, side="right")
    high = np.searchsorted(run_start, spans.end, side="left")
    owner, run = expand_ranges(low, high)
    start = np.maximum(run_start[run], spans.start[owner])
    end = np.minimum(run_end[run], spans.end[owner])
    order = np.lexsort((spans.label[owner], end, start))
    tokens = spans.take(owner[order])
    tokens = SpanTable(
        tokens.doc, start[order], end[order], tokens.label, tokens.score, tokens.flat, tokens.wanted
    )
    first = np.ones(len(tokens), np.bool_)
    columns = (tokens.start, tokens.end, tokens.label)
    first[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return tokens.take(first)


def i2b2_scores(table: CountTable, labels: Sequence[str]) -> dict[str, Averages]:
    """Each measure's precision, recall and F1, macro and micro, to the four decimals that are published."""
    return {name: _average(_cells(table, labels, name)) for name in MEASURES}


def hipaa_labels(labels: Sequence[str]) -> Flags:
    subset = load_label_set("hipaa-i2b2")
    return np.array([label in subset for label in labels], np.bool_)


def _cells(table: CountTable, labels: Sequence[str], name: str) -> Ints:
    counted: Ints
    if name in _BLIND:
        counted = table.cells[_BLIND[name]]
        return counted
    group, _, mode = name.rpartition(" ")
    if group == "HIPAA":
        chosen = hipaa_labels(labels)
    else:
        chosen = np.array([group in ("", usual_group(label)) for label in labels], np.bool_)
    counted = table.cells[mode.lower()][:, chosen].sum(axis=1)
    return counted


def _average(cells: Ints) -> Averages:
    macro = [np.nan_to_num(part).mean() for part in precision_recall_f1(cells)[:2]]
    micro = [np.nan_to_num(part) for part in precision_recall_f1(cells.sum(axis=0))[:2]]
    means = {"macro": (*macro, _harmonic(*macro)), "micro": (*micro, _harmonic(*micro))}
    return {
        ratio: {mean: round(float(values[index]), 4) for mean, values in means.items()}
        for index, ratio in enumerate(("precision", "recall", "f1"))
    }


def _harmonic(precision: Floats, recall: Floats) -> float:
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def ascii_runs(text: str) -> tuple[Ints, Ints]:
    """Start and end of every run of ASCII letters and digits."""
    characters = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    known = np.array([chr(code).isalnum() for code in range(128)])
    inside = known[np.minimum(characters, 127)] & (characters < 128)
    turns = np.diff(inside.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(turns == 1), np.flatnonzero(turns == -1)
