"""Pairs of documents in, arrays out: texts end to end on one number line, with their words and spans.

Everything is counted from here. Words are cut at the edges of gold spans, so each word lies wholly inside
or outside every gold span and the words are the same for whichever system is scored. White space is
never a word. The same span given twice in a document counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from deidlab.encode.tags import resolve_overlaps
from deidlab.encode.words import find_words
from deidlab.evaluate.pairing import Pair
from deidlab.types import Document, Span

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Documents laid out at once: enough to make each array step count, small enough for any memory.
CHUNK_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SpanTable:
    """Spans in order of start and end; `flat` ones are left when overlaps of wanted labels are resolved."""

    doc: Ints
    start: Ints
    end: Ints
    label: Ints
    score: Floats
    flat: Flags
    wanted: Flags

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Flags | Ints) -> SpanTable:
        columns = (self.doc, self.start, self.end, self.label, self.score, self.flat, self.wanted)
        return SpanTable(*(column[rows] for column in columns))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Some documents on one number line; a document's own offsets are these less its `doc_start`."""

    text: str = field(repr=False)
    doc_start: Ints
    word_start: Ints
    word_end: Ints
    word_doc: Ints
    gold: SpanTable
    system: SpanTable
    gold_twice: Ints
    system_twice: Ints

    @property
    def n_documents(self) -> int:
        return len(self.doc_start)


def lay_out(pairs: Sequence[Pair], labels: Sequence[str], scored: frozenset[str], style: str) -> Layout:
    """The pairs as arrays; `labels` holds every label of both sides and gives each its code."""
    text = "\n".join(pair.gold.text for pair in pairs)
    lengths = np.fromiter((len(pair.gold.text) + 1 for pair in pairs), np.int64, len(pairs))
    doc_start = np.cumsum(lengths) - lengths
    codes = {label: code for code, label in enumerate(labels)}
    gold, gold_twice = _table([pair.gold for pair in pairs], doc_start, codes, scored)
    system, system_twice = _table([pair.system for pair in pairs], doc_start, codes, scored)
    starts, ends = _words(text, style, np.concatenate([gold.start, gold.end]))
    word_doc = np.searchsorted(doc_start, starts, side="right") - 1
    return Layout(text, doc_start, starts, ends, word_doc, gold, system, gold_twice, system_twice)


def chunks(pairs: Sequence[Pair], n_characters: int = CHUNK_CHARACTERS) -> Iterator[Sequence[Pair]]:
    """Runs of pairs of about that many characters each; no document is cut."""
    first, size = 0, 0
    for index, pair in enumerate(pairs):
        if size and size + len(pair.gold.text) > n_characters:
            yield pairs[first:index]
            first, size = index, 0
        size += len(pair.gold.text)
    if first < len(pairs):
        yield pairs[first:]


def expand_ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Every index of each half-open range, and the number of the range it came from."""
    sizes = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    index = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(low, sizes)
    return owner, index


def _table(
    documents: Sequence[Document], doc_start: Ints, codes: dict[str, int], scored: frozenset[str]
) -> tuple[SpanTable, Ints]:
    rows: list[tuple[int, int, int, int, float, bool, bool]] = []
    twice = np.zeros(len(documents), np.int64)
    everything = scored.issuperset(codes)
    for index, document in enumerate(documents):
        if not document.spans:
            continue
        spans = _unique(document.spans)
        twice[index] = len(document.spans) - len(spans)
        kept, gave_way = resolve_overlaps(spans if everything else [s for s in spans if s.label in scored])
        flat = None if not gave_way else {(span.start, span.end, span.label) for span in kept}
        offset = int(doc_start[index])
        for span in spans:
            wanted = everything or span.label in scored
            stays = wanted and (flat is None or (span.start, span.end, span.label) in flat)
            score = np.nan if span.score is None else span.score
            rows.append(
                (index, span.start + offset, span.end + offset, codes[span.label], score, stays, wanted)
            )
    whole = np.array(rows, np.float64).reshape(len(rows), 7)
    ints = whole[:, :4].astype(np.int64)
    flags = whole[:, 5:].astype(np.bool_)
    doc, start, end, label = ints.T
    return SpanTable(doc, start, end, label, whole[:, 4], flags[:, 0], flags[:, 1]), twice


def _unique(spans: tuple[Span, ...]) -> list[Span]:
    """One span for each start, end and label; of several, the one with the highest score."""
    best: dict[tuple[int, int, str], Span] = {}
    for span in spans:
        # Spans come in reading order, where a higher score follows a lower one.
        best[span.start, span.end, span.label] = span
    return list(best.values())


def _words(text: str, style: str, edges: Ints) -> tuple[Ints, Ints]:
    bounds = np.fromiter(chain.from_iterable(find_words(text, style)), np.int64).reshape(-1, 2)
    return cut_at(bounds[:, 0], bounds[:, 1], edges)


def cut_at(starts: Ints, ends: Ints, edges: Ints) -> tuple[Ints, Ints]:
    """The same words, in order, cut at each edge that falls inside one."""
    if not len(starts) or not len(edges):
        return starts, ends
    edges = np.unique(edges)
    word = np.searchsorted(starts, edges, side="right") - 1
    inside = edges[(word >= 0) & (edges > starts[word]) & (edges < ends[word])]
    return np.sort(np.concatenate([starts, inside])), np.sort(np.concatenate([ends, inside]))
