"""A layout in, what gold and system say of each word out.

A system has a word's label only where its spans of that label cover the whole word; a word that it covers
in part is wrong: missed, and a false alarm. Where spans meet in one word, the label with the most
characters speaks for it. Label-blind questions ask only whether spans of any label cover the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from deidlab.evaluate.layout import Flags, Ints, Layout, SpanTable, expand_ranges

NO_LABEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """The words that gold or system touches; every other word is outside PHI on both sides.

    `doc`, `start` and `end` are the document's row and its own offsets. `gold` and `system` are label codes
    after overlaps are resolved, or NO_LABEL; `whole` says that the system's label covers all of the word.
    `target` is the gold label among wanted ones with nothing resolved away; `covered` counts characters under
    any system span and `covered_wanted` under spans of wanted labels. `gold_any` is true under any gold
    span, whatever its label, and `system_any` is the label of any system span there. `gold_span` and
    `system_span` number the spans, to tell neighbours apart.
    """

    doc: Ints
    start: Ints
    end: Ints
    gold: Ints
    system: Ints
    whole: Flags
    target: Ints
    gold_any: Flags
    system_any: Ints
    covered: Ints
    covered_wanted: Ints
    gold_span: Ints
    system_span: Ints

    def __len__(self) -> int:
        return len(self.doc)

    def take(self, rows: Flags | Ints) -> WordTable:
        return WordTable(*(getattr(self, name.name)[rows] for name in fields(self)))

    @property
    def length(self) -> Ints:
        return self.end - self.start

    @property
    def right(self) -> Flags:
        """Gold and system agree: the same label over the whole word, or none on either side."""
        agreed: Flags = np.equal(self.gold, self.system)
        return agreed & (self.whole | np.equal(self.system, NO_LABEL))

    @property
    def leaked(self) -> Flags:
        """A PHI word with at least one character that no system span covers."""
        return np.not_equal(self.target, NO_LABEL) & (self.covered < self.length)

    @property
    def overmasked(self) -> Flags:
        """A word outside every gold span that a system span touches."""
        return ~self.gold_any & (self.covered > 0)


def look_at_words(layout: Layout) -> WordTable:
    """The words that any span touches, with what both sides say of each."""
    gold, system = layout.gold, layout.system
    n_words = len(layout.word_start)
    covered = _covered(layout, system)
    gold_any = _covered(layout, gold) > 0
    rows = np.flatnonzero(gold_any | (covered > 0))
    wanted_only = bool(system.wanted.all())
    covered_wanted = covered if wanted_only else _covered(layout, system.take(system.wanted))
    gold_label, gold_span = _paint(layout, gold, gold.flat, n_words)
    # Where a longer span won, what it leaves uncovered of the loser is still PHI to whoever looks for leaks.
    loose, loose_span = _paint(layout, gold, gold.wanted, n_words)
    target = np.where(gold_label == NO_LABEL, loose, gold_label)
    gold_span = np.where(gold_label == NO_LABEL, loose_span, gold_span)
    system_any, system_span = _paint(layout, system, np.ones(len(system), np.bool_), n_words)
    system_label, whole = _system_label(layout, system.take(system.flat), n_words)
    doc = layout.word_doc[rows]
    return WordTable(
        doc,
        layout.word_start[rows] - layout.doc_start[doc],
        layout.word_end[rows] - layout.doc_start[doc],
        gold_label[rows],
        system_label[rows],
        whole[rows],
        target[rows],
        gold_any[rows],
        system_any[rows],
        covered[rows],
        covered_wanted[rows],
        gold_span[rows],
        system_span[rows],
    )


def join_words(tables: Sequence[WordTable], doc_shifts: Sequence[int]) -> WordTable:
    """Tables of runs of documents as one; each shift is the number of documents before its table."""
    shift, columns = 0, []
    for table, doc_shift in zip(tables, doc_shifts, strict=True):
        moved = [getattr(table, name.name) for name in fields(table)]
        moved[0] = table.doc + doc_shift
        moved[-2], moved[-1] = table.gold_span + shift, table.system_span + shift
        highest = max(int(table.gold_span.max(initial=0)), int(table.system_span.max(initial=0)))
        shift += highest + 2
        columns.append(moved)
    return WordTable(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def merge_stretches(spans: SpanTable) -> tuple[Ints, Ints]:
    """What the spans cover, as stretches that neither overlap nor touch."""
    if not len(spans):
        return spans.start, spans.end
    reached = np.maximum.accumulate(spans.end)
    first = np.ones(len(spans), np.bool_)
    first[1:] = spans.start[1:] > reached[:-1]
    last = np.append(first[1:], True)
    return spans.start[first], reached[last]


def touched_words(layout: Layout, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Row of stretch, row of word and characters shared, for each stretch and word that share some."""
    low = np.searchsorted(layout.word_end, start, side="right")
    high = np.searchsorted(layout.word_start, end, side="left")
    stretch, word = expand_ranges(low, high)
    shared = np.minimum(layout.word_end[word], end[stretch]) - np.maximum(
        layout.word_start[word], start[stretch]
    )
    return stretch, word, shared


def paint_labels(layout: Layout, spans: SpanTable, rows: Flags) -> Ints:
    """The label over each word of the layout, or NO_LABEL."""
    return _paint(layout, spans, rows, len(layout.word_start))[0]


def _covered(layout: Layout, spans: SpanTable) -> Ints:
    """Characters of each word that the spans cover."""
    _, word, shared = touched_words(layout, *merge_stretches(spans))
    return np.bincount(word, weights=shared, minlength=len(layout.word_start)).astype(np.int64)


def _paint(layout: Layout, spans: SpanTable, rows: Flags, n_words: int) -> tuple[Ints, Ints]:
    """Label and number of the span over each word; where several are, the last in reading order."""
    numbers = np.flatnonzero(rows)
    stretch, word, _ = touched_words(layout, spans.start[numbers], spans.end[numbers])
    label, number = np.full(n_words, NO_LABEL), np.full(n_words, NO_LABEL)
    label[word] = spans.label[numbers[stretch]]
    number[word] = numbers[stretch]
    return label, number


def _system_label(layout: Layout, spans: SpanTable, n_words: int) -> tuple[Ints, Flags]:
    stretch, word, shared = touched_words(layout, spans.start, spans.end)
    label, whole = np.full(n_words, NO_LABEL), np.zeros(n_words, np.bool_)
    if not len(word):
        return label, whole
    n_labels = int(spans.label.max()) + 1
    cells, first, cell_of = np.unique(
        word * n_labels + spans.label[stretch], return_index=True, return_inverse=True
    )
    characters = np.bincount(cell_of, weights=shared).astype(np.int64)
    # The strongest label of a word is written last, and so stays; of equals, the one that comes first.
    order = np.lexsort((-first, characters))
    cell_word = cells[order] // n_labels
    label[cell_word] = cells[order] % n_labels
    whole[cell_word] = characters[order] == (layout.word_end - layout.word_start)[cell_word]
    return label, whole
