"""Two reviewers' marks of the same notes in, how far they agree out.

Cohen's kappa is over words: each word has the label of the span that covers most of it, or none. F1 is over
spans, by the scorer that all of DeidLab uses; it is the same whichever reviewer counts as gold. Most
words are no PHI for anybody, which flatters kappa less than plain agreement, and F1 not at all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deidlab.encode.words import find_words
from deidlab.errors import CorpusError
from deidlab.evaluate.kappa import cohen_kappa
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.types import Counts, Document, Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_notes import as_document, reviewers, walk_layer

OUTSIDE = ""
Table = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """One label against everything else."""

    label: str
    kappa: float | None
    strict: Counts


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two reviewers agree; a figure with nothing to divide by is None."""

    one: str
    other: str
    n_notes: int
    n_words: int
    agreed_words: float | None
    kappa: float | None
    kappa_phi: float | None
    strict: Counts
    overlap: Counts
    labels: tuple[LabelAgreement, ...]
    differing: tuple[tuple[int, str, int], ...] = field(default=())


def word_labels(text: str, spans: Sequence[Span]) -> list[str]:
    """The label of every word: that of the span with most of its characters."""
    ordered = sorted(spans, key=lambda span: span.start)
    starts = [span.start for span in ordered]
    labels = []
    for start, end in find_words(text):
        best, most = OUTSIDE, 0
        index = bisect_right(starts, start) - 1
        for span in ordered[max(index, 0) :]:
            if span.start >= end:
                break
            shared = min(end, span.end) - max(start, span.start)
            if shared > most:
                best, most = span.label, shared
        labels.append(best)
    return labels


def tabulate(pairs: Iterable[Pair]) -> Table:
    """How often one reviewer's label met the other's, over all words."""
    table: Table = Counter()
    for pair in pairs:
        text = pair.gold.text
        table.update(
            zip(word_labels(text, pair.gold.spans), word_labels(text, pair.system.spans), strict=True)
        )
    return table


def collapse(table: Table, label: str | None = None) -> Table:
    """The table of one label against the rest, or of PHI against none."""
    small: Table = Counter()
    for (left, right), n in table.items():
        pair = (left == label, right == label) if label else (left != OUTSIDE, right != OUTSIDE)
        small[str(pair[0]), str(pair[1])] += n
    return small


def measure_agreement(store: ReviewStore, one: str, other: str) -> Agreement:
    """Over the notes that both reviewers have finished, each on their own."""
    lefts = {state.number: as_document(state) for state in walk_layer(store, one)}
    rights = {state.number: as_document(state) for state in walk_layer(store, other)}
    shared = sorted(lefts.keys() & rights.keys())
    if one == other or not shared:
        raise CorpusError(
            "agreement needs two reviewers who finished the same notes, each on their own; `--twice SHARE` "
            f"sets notes apart for that (begun by: {', '.join(reviewers(store)) or 'nobody yet'})"
        )
    pairs = [Pair(lefts[number], rights[number]) for number in shared]
    return _measure(one, other, shared, pairs)


def _measure(one: str, other: str, numbers: Sequence[int], pairs: Sequence[Pair]) -> Agreement:
    table = tabulate(pairs)
    total = sum(table.values())
    agreed = sum(n for (left, right), n in table.items() if left == right)
    summary = summarise(tally_pairs(pairs))
    strict = summary.entities["strict"]
    differing = [
        (number, pair.gold.id, n)
        for number, pair in zip(numbers, pairs, strict=True)
        if (n := _n_differences(pair.gold, pair.system))
    ]
    return Agreement(
        one,
        other,
        len(pairs),
        total,
        agreed / total if total else None,
        cohen_kappa(table),
        cohen_kappa(collapse(table)),
        strict.micro,
        summary.entities["overlap"].micro,
        tuple(
            LabelAgreement(label, cohen_kappa(collapse(table, label)), counts)
            for label, counts in sorted(strict.by_type.items())
        ),
        tuple(sorted(differing, key=lambda row: (-row[2], row[0]))),
    )


def _n_differences(one: Document, other: Document) -> int:
    keys = [{(span.start, span.end, span.label) for span in note.spans} for note in (one, other)]
    return len(keys[0] ^ keys[1])
