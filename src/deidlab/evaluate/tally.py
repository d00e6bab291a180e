"""Pairs of documents in, everything countable about them out: the step before any ratio is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from deidlab.encode.words import WORD_STYLES
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.evaluate import measures
from deidlab.evaluate.counts import CountTable, Size, join_tables
from deidlab.evaluate.layout import Flags, Floats, Ints, Layout, SpanTable, chunks, lay_out
from deidlab.evaluate.match import Matched
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.sides import Sides
from deidlab.evaluate.wordlevel import NO_LABEL, WordTable, join_words, touched_words
from deidlab.labels import LabelSet


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSpans:
    """The system's spans of scored labels: label code, score (NaN where none), whether gold has the same."""

    doc: Ints
    label: Ints
    score: Floats
    right: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted of one system. `labels` order the counts; figures are about the `scored` ones."""

    labels: tuple[str, ...]
    scored: tuple[str, ...]
    style: str
    ids: tuple[str, ...]
    patients: tuple[str, ...]
    table: CountTable
    words: WordTable = field(repr=False)
    spans: ScoredSpans = field(repr=False)

    @property
    def scored_codes(self) -> Ints:
        place = {label: code for code, label in enumerate(self.labels)}
        return np.array([place[label] for label in self.scored], np.int64)


def labels_of(pairs: Iterable[Pair]) -> set[str]:
    """Every label that gold or system uses."""
    return {span.label for pair in pairs for side in (pair.gold, pair.system) for span in side.spans}


def tally_pairs(
    pairs: Sequence[Pair],
    label_set: LabelSet | None = None,
    style: str = "runs",
    seen: Iterable[str] = (),
) -> Tally:
    """Count the pairs once. With a label set only its labels are scored; without, every label seen is.

    `seen` adds labels of other systems, so that tallies which are to be compared share one order.
    """
    if not pairs:
        raise CorpusError("nothing to score: no document was given")
    if style not in WORD_STYLES:
        raise UnknownNameError("way to cut words", style, WORD_STYLES)
    every = sorted(labels_of(pairs) | set(seen))
    scored = tuple(every) if label_set is None else label_set.labels
    labels = tuple(dict.fromkeys((*scored, *every)))
    tables, words, spans, shifts = [], [], [], []
    done = 0
    for chunk in chunks(pairs):
        sides = Sides(chunk, lay_out(chunk, labels, frozenset(scored), style), labels)
        counted = {measure.key: measure.count(sides) for measure in measures.MEASURES}
        tables.append(CountTable(counted, _sizes(sides.layout, sides.words)))
        words.append(sides.words)
        spans.append(_scored_spans(sides.layout.system, sides.strict, done))
        shifts.append(done)
        done += len(chunk)
    return Tally(
        labels,
        scored,
        style,
        tuple(pair.gold.id for pair in pairs),
        tuple(pair.gold.patient for pair in pairs),
        join_tables(tables),
        join_words(words, shifts),
        ScoredSpans(*(np.concatenate(column) for column in zip(*spans, strict=True))),
    )


def _sizes(layout: Layout, words: WordTable) -> Ints:
    n_docs = layout.n_documents
    phi = words.target != NO_LABEL

    def per_doc(doc: Ints, weights: Ints | None = None) -> Ints:
        return np.bincount(doc, weights=weights, minlength=n_docs).astype(np.int64)

    def spans(table: SpanTable, rows: Flags) -> Ints:
        return per_doc(table.doc[rows])

    gold, system = layout.gold, layout.system
    n_words = per_doc(layout.word_doc)
    n_phi = per_doc(words.doc[phi])
    n_leaked = per_doc(words.doc[words.leaked])
    left_bare = words.length - words.covered
    columns = {
        Size.DOCUMENTS: np.ones(n_docs, np.int64),
        Size.WITH_PHI: (n_phi > 0).astype(np.int64),
        Size.LEAKING: (n_leaked > 0).astype(np.int64),
        Size.WORDS: n_words,
        Size.RIGHT_WORDS: n_words - per_doc(words.doc[~words.right]),
        Size.OVERMASKED_WORDS: per_doc(words.doc[words.overmasked]),
        Size.PARTLY_COVERED_WORDS: per_doc(words.doc[(words.covered > 0) & (words.covered < words.length)]),
        Size.PHI_CHARACTERS: per_doc(words.doc[phi], words.length[phi]),
        Size.LEAKED_CHARACTERS: per_doc(words.doc[phi], left_bare[phi]),
        Size.GOLD_SPANS: spans(gold, gold.wanted),
        Size.SYSTEM_SPANS: spans(system, system.wanted),
        Size.GOLD_GAVE_WAY: spans(gold, gold.wanted & ~gold.flat),
        Size.SYSTEM_GAVE_WAY: spans(system, system.wanted & ~system.flat),
        Size.GOLD_TWICE: layout.gold_twice,
        Size.SYSTEM_TWICE: layout.system_twice,
        Size.GOLD_WORDLESS: spans(gold, gold.wanted & _wordless(layout, gold)),
        Size.GOLD_UNSCORED: spans(gold, ~gold.wanted),
        Size.SYSTEM_UNSCORED: spans(system, ~system.wanted),
        Size.PLAIN_WORDS: n_words - per_doc(words.doc[words.gold_any]),
    }
    return np.stack([columns[size] for size in Size], axis=-1)


def _wordless(layout: Layout, spans: SpanTable) -> Flags:
    stretch, _, _ = touched_words(layout, spans.start, spans.end)
    return np.equal(np.bincount(stretch, minlength=len(spans)), 0)


def _scored_spans(system: SpanTable, matched: Matched, shift: int) -> tuple[Ints, Ints, Floats, Flags]:
    rows = system.wanted
    return system.doc[rows] + shift, system.label[rows], system.score[rows], matched.system[rows]
