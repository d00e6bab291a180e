"""Pairs of documents in, what measures look at out: both sides' spans, words and tokens, each found once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deidlab.evaluate.i2b2 import ascii_runs, cut_tokens, hipaa_labels
from deidlab.evaluate.layout import Ints, Layout, SpanTable
from deidlab.evaluate.match import Matched, count_matched, drop_labels, match_strict
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.wordlevel import WordTable, look_at_words

GoldAndSystem = tuple[SpanTable, SpanTable]


@dataclass(frozen=True, eq=False)
class Sides:
    """Some documents as people marked them and as a system did; `labels` holds every label of both."""

    pairs: Sequence[Pair]
    layout: Layout
    labels: Sequence[str]

    @property
    def n_documents(self) -> int:
        return self.layout.n_documents

    @property
    def spans(self) -> GoldAndSystem:
        return self.layout.gold, self.layout.system

    @cached_property
    def words(self) -> WordTable:
        return look_at_words(self.layout)

    @cached_property
    def strict(self) -> Matched:
        return match_strict(*self.spans)

    @cached_property
    def wanted(self) -> GoldAndSystem:
        """The stretches under labels that are scored, whatever the label."""
        gold, system = self.spans
        return drop_labels(gold.take(gold.wanted)), drop_labels(system.take(system.wanted))

    @cached_property
    def tokens(self) -> GoldAndSystem:
        """The runs of ASCII letters and digits inside spans."""
        runs = ascii_runs(self.layout.text)
        return cut_tokens(runs, self.layout.gold), cut_tokens(runs, self.layout.system)

    def hipaa(self, both: GoldAndSystem) -> GoldAndSystem:
        """Those under labels of the challenge's HIPAA subset."""
        subset = hipaa_labels(self.labels)
        return both[0].take(subset[both[0].label]), both[1].take(subset[both[1].label])

    def count_typed(self, both: GoldAndSystem, matched: Matched) -> Ints:
        """Found, false alarms and misses by label: documents × labels × 3."""
        return count_matched(*both, matched, self.n_documents, len(self.labels))

    def count_blind(self, both: GoldAndSystem, matched: Matched) -> Ints:
        """The same of stretches without labels: documents × 3."""
        return count_matched(*both, matched, self.n_documents, 1)[:, 0]
