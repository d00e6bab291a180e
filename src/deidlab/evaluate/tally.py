"""Pairs of documents in, everything countable about them out: the step before any ratio is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from deidlab.encode.words import WORD_STYLES
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.evaluate import i2b2
from deidlab.evaluate.counts import Blind, CountTable, Size, Typed, join_tables
from deidlab.evaluate.layout import Flags, Floats, Ints, Layout, SpanTable, chunks, lay_out
from deidlab.evaluate.match import (
    Matched,
    count_matched,
    drop_labels,
    match_overlap,
    match_relaxed,
    match_strict,
    match_touching,
)
from deidlab.evaluate.merged import count_merged
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.wordlevel import NO_LABEL, WordTable, join_words, look_at_words, touched_words
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
        layout = lay_out(chunk, labels, frozenset(scored), style)
        look = look_at_words(layout)
        table, matched = _count(chunk, layout, look, labels)
        tables.append(table)
        words.append(look)
        spans.append(_scored_spans(layout.system, matched, done))
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


def _count(
    pairs: Sequence[Pair], layout: Layout, words: WordTable, labels: Sequence[str]
) -> tuple[CountTable, Matched]:
    n_docs, n_labels = layout.n_documents, len(labels)
    gold, system = layout.gold, layout.system
    typed = np.zeros((n_docs, len(Typed), n_labels, 3), np.int64)
    blind = np.zeros((n_docs, len(Blind), 3), np.int64)
    strict = match_strict(gold, system)
    runs = i2b2.ascii_runs(layout.text)
    tokens = (i2b2.cut_tokens(runs, gold), i2b2.cut_tokens(runs, system))
    if n_labels:
        for mode, pair, matched in (
            (Typed.STRICT, (gold, system), strict),
            (Typed.RELAXED, (gold, system), match_relaxed(gold, system)),
            (Typed.OVERLAP, (gold, system), match_overlap(gold, system)),
            (Typed.TOKEN, tokens, match_strict(*tokens)),
        ):
            typed[:, mode] = count_matched(*pair, matched, n_docs, n_labels)
        typed[:, Typed.WORD], typed[:, Typed.MASKED] = _count_words(words, n_docs, n_labels)
    wanted = drop_labels(gold.take(gold.wanted)), drop_labels(system.take(system.wanted))
    for row, matched in ((Blind.EXACT, match_strict(*wanted)), (Blind.TOUCHING, match_touching(*wanted))):
        blind[:, row] = count_matched(*wanted, matched, n_docs, 1)[:, 0]
    blind[:, Blind.WORD] = _count_words_blind(words, n_docs)
    for name, counted in i2b2.count_blind(layout, labels, tokens).items():
        blind[:, name] = counted
    blind[:, Blind.MERGED] = count_merged(pairs)
    return CountTable(typed, blind, _sizes(layout, words)), strict


def _count_words(words: WordTable, n_docs: int, n_labels: int) -> tuple[Ints, Ints]:
    """Typed words right, falsely alarmed and missed; and words hidden or leaked by gold label."""
    has_gold, has_system = words.gold != NO_LABEL, words.system != NO_LABEL
    found = has_gold & words.right
    target = words.target != NO_LABEL

    def add(rows: Flags, label: Ints) -> Ints:
        cells = np.bincount(words.doc[rows] * n_labels + label[rows], minlength=n_docs * n_labels)
        return cells.reshape(n_docs, n_labels)

    typed = [
        add(found, words.gold),
        add(has_system & ~found, words.system),
        add(has_gold & ~found, words.gold),
    ]
    hidden, leaked = add(target & ~words.leaked, words.target), add(words.leaked, words.target)
    return np.stack(typed, axis=-1), np.stack([hidden, np.zeros_like(hidden), leaked], axis=-1)


def _count_words_blind(words: WordTable, n_docs: int) -> Ints:
    phi = words.target != NO_LABEL
    found = phi & (words.covered_wanted == words.length)
    alarm = (words.covered_wanted > 0) & ~found
    rows = (found, alarm, phi & ~found)
    return np.stack([np.bincount(words.doc[row], minlength=n_docs) for row in rows], axis=-1)


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
