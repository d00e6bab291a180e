"""Every measure, once: what it counts and how, under which name, and what a reader should know of it.

Counting, scores, JSON, CSV, tables, pages and docs go through the table at the end of this file, so a
measure is added by a line there. A measure counts found, falsely alarmed and missed units of each document;
precision, recall and F1 follow. What is a figure of the headline but no such triple stands in `HEADLINES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deidlab.errors import UnknownNameError
from deidlab.evaluate.counts import FN, TP, CountTable, Size, precision_recall_f1, ratio
from deidlab.evaluate.layout import Flags, Floats, Ints
from deidlab.evaluate.match import (
    Matched,
    drop_labels,
    match_overlap,
    match_relaxed,
    match_strict,
    match_touching,
)
from deidlab.evaluate.merged import count_merged
from deidlab.evaluate.sides import GoldAndSystem, Sides
from deidlab.evaluate.wordlevel import NO_LABEL

RATIOS = ("precision", "recall", "f1")
Match = Callable[..., Matched]


@dataclass(frozen=True, slots=True)
class Measure:
    """One way to count.

    `group` and `name` are its place in JSON: `words`, `entities`, or empty for counts that only other figures
    are made of. `same` says when two units are the same. `typed` ones keep counts by label, and so have macro
    and weighted averages. Of the `headline` ones every ratio has an interval and is compared between systems.
    """

    key: str
    title: str
    count: Callable[[Sides], Ints]
    typed: bool = False
    group: str = ""
    name: str = ""
    same: str = ""
    headline: bool = False

    @property
    def averages(self) -> str:
        return "micro, macro, weighted" if self.typed else "micro"


@dataclass(frozen=True, slots=True)
class Headline:
    """A single figure; `value` takes sums of counts of any leading shape, and the codes of scored labels."""

    key: str
    title: str
    value: Callable[[CountTable, Ints], Floats]

    @property
    def group(self) -> str:
        return self.key.partition(".")[0]


def find_measure(key: str) -> Measure:
    found = next((measure for measure in MEASURES if measure.key == key), None)
    if found is None:
        raise UnknownNameError("measure", key, [measure.key for measure in MEASURES])
    return found


def shown_measures() -> tuple[Measure, ...]:
    """Those that have a place of their own in tables and JSON."""
    return tuple(measure for measure in MEASURES if measure.group)


def headline_measures() -> tuple[Measure, ...]:
    return tuple(measure for measure in MEASURES if measure.headline)


def figure_titles() -> dict[str, str]:
    """Every headline figure, as people call it."""
    return {
        **{
            f"{measure.key}.{name}": f"{measure.title}: {name}"
            for measure in headline_measures()
            for name in RATIOS
        },
        **{headline.key: headline.title for headline in HEADLINES},
    }


def headline_values(totals: CountTable, scored: Ints) -> dict[str, Floats]:
    """The headline figures of sums of counts of any leading shape: one corpus, or thousands of resamples."""
    figures: dict[str, Floats] = {}
    for measure in headline_measures():
        cells = totals.cells[measure.key]
        pooled = cells[..., scored, :].sum(axis=-2) if measure.typed else cells
        figures |= {
            f"{measure.key}.{name}": values
            for name, values in zip(RATIOS, precision_recall_f1(pooled), strict=True)
        }
    return figures | {headline.key: headline.value(totals, scored) for headline in HEADLINES}


def type_averages(cells: Floats | Ints) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Macro and weighted precision, recall and F1 of … × types × 3 counts."""
    support = (cells[..., TP] + cells[..., FN]).astype(np.float64)
    present = (support > 0).astype(np.float64)
    own = [np.nan_to_num(part) for part in precision_recall_f1(cells)]
    macro = tuple(ratio((part * present).sum(axis=-1), present.sum(axis=-1)) for part in own)
    weighted = tuple(ratio((part * support).sum(axis=-1), support.sum(axis=-1)) for part in own)
    return macro, weighted


def _words(sides: Sides) -> Ints:
    """A false alarm counts against the system's label, a miss against the gold's."""
    words = sides.words
    has_gold, has_system = words.gold != NO_LABEL, words.system != NO_LABEL
    found = has_gold & words.right
    alarms, misses = _by_label(sides, has_system & ~found, words.system), has_gold & ~found
    return np.stack(
        [_by_label(sides, found, words.gold), alarms, _by_label(sides, misses, words.gold)], axis=-1
    )


def _masked(sides: Sides) -> Ints:
    """Words of each gold label hidden under any span, or leaked; nothing is an alarm."""
    words = sides.words
    hidden = _by_label(sides, (words.target != NO_LABEL) & ~words.leaked, words.target)
    leaked = _by_label(sides, words.leaked, words.target)
    return np.stack([hidden, np.zeros_like(hidden), leaked], axis=-1)


def _by_label(sides: Sides, rows: Flags, label: Ints) -> Ints:
    n_docs, n_labels = sides.n_documents, len(sides.labels)
    cells = np.bincount(sides.words.doc[rows] * n_labels + label[rows], minlength=n_docs * n_labels)
    return cells.reshape(n_docs, n_labels)


def _words_blind(sides: Sides) -> Ints:
    words = sides.words
    phi = words.target != NO_LABEL
    found = phi & (words.covered_wanted == words.length)
    alarm = (words.covered_wanted > 0) & ~found
    rows = (found, alarm, phi & ~found)
    return np.stack([np.bincount(words.doc[row], minlength=sides.n_documents) for row in rows], axis=-1)


def _tokens(sides: Sides) -> Ints:
    return sides.count_typed(sides.tokens, match_strict(*sides.tokens))


def _typed(match: Match) -> Callable[[Sides], Ints]:
    return lambda sides: sides.count_typed(sides.spans, match(*sides.spans))


def _blind(match: Match) -> Callable[[Sides], Ints]:
    return lambda sides: sides.count_blind(sides.wanted, match(*sides.wanted))


def _bare(choose: Callable[[Sides], GoldAndSystem]) -> Callable[[Sides], Ints]:
    """Labels chosen by, then dropped: the challenge's binary measures, which cover all labels."""

    def count(sides: Sides) -> Ints:
        gold, system = map(drop_labels, choose(sides))
        return sides.count_blind((gold, system), match_strict(gold, system))

    return count


def _macro_and_weighted(totals: CountTable, scored: Ints) -> tuple[Floats, Floats]:
    macro, weighted = type_averages(totals.cells["words"][..., scored, :])
    return macro[2], weighted[2]


def _hidden_words(totals: CountTable, scored: Ints) -> tuple[Floats, Floats]:
    masked = totals.cells["masked"][..., scored, :].sum(axis=-2)
    return masked[..., TP], masked[..., FN]


def _word_recall(totals: CountTable, scored: Ints) -> Floats:
    hidden, leaked = _hidden_words(totals, scored)
    return ratio(hidden, hidden + leaked)


def _size_ratio(part: Size, whole: Size) -> Callable[[CountTable, Ints], Floats]:
    return lambda totals, _: ratio(totals.sizes[..., part], totals.sizes[..., whole])


def _kept_ratio(lost: Size, whole: Size) -> Callable[[CountTable, Ints], Floats]:
    return lambda totals, _: ratio(
        totals.sizes[..., whole] - totals.sizes[..., lost], totals.sizes[..., whole]
    )


def _leaks_a_document(totals: CountTable, scored: Ints) -> Floats:
    return ratio(_hidden_words(totals, scored)[1], totals.sizes[..., Size.DOCUMENTS])


MEASURES = (
    Measure(
        "words", "words, typed (micro)", _words, typed=True, group="words", headline=True,
        same="the system's spans of one label cover the whole word, and it is the gold's",
    ),
    Measure(
        "words_binary", "words, PHI or not", _words_blind, group="words", name="binary", headline=True,
        same="the system's spans cover the whole word, whatever the labels",
    ),
    Measure(
        "strict", "entities, strict", lambda sides: sides.count_typed(sides.spans, sides.strict), typed=True,
        group="entities", name="strict", headline=True,
        same="label, start and end agree (seqeval's strict mode gives the same figures)",
    ),
    Measure(
        "relaxed", "entities, relaxed (end ±2)", _typed(match_relaxed), typed=True, group="entities",
        name="relaxed", headline=True,
        same="label and start agree, and the ends are at most 2 characters apart (i2b2 2014)",
    ),
    Measure(
        "overlap", "entities, partial overlap", _typed(match_overlap), typed=True, group="entities",
        name="overlap", headline=True, same="the labels agree and they share a character",
    ),
    Measure(
        "binary", "entities, binary (exact, untyped)", _blind(match_strict), group="entities", name="binary",
        headline=True, same="start and end agree, whatever the labels",
    ),
    Measure(
        "binary_overlap", "entities, untyped overlap", _blind(match_touching), group="entities",
        name="binary_overlap", same="they share a character, whatever the labels",
    ),
    Measure("masked", "words hidden or leaked", _masked, typed=True),
    Measure("token", "tokens", _tokens, typed=True),
    Measure("i2b2_token", "tokens, untyped", _bare(lambda sides: sides.tokens)),
    Measure("i2b2_strict", "spans, untyped", _bare(lambda sides: sides.spans)),
    Measure("hipaa_token", "HIPAA tokens, untyped", _bare(lambda sides: sides.hipaa(sides.tokens))),
    Measure("hipaa_strict", "HIPAA spans, untyped", _bare(lambda sides: sides.hipaa(sides.spans))),
    Measure("merged", "spans merged", lambda sides: count_merged(sides.pairs)),
)  # fmt: skip

HEADLINES = (
    Headline("words.accuracy", "words: accuracy", _size_ratio(Size.RIGHT_WORDS, Size.WORDS)),
    Headline("words.macro_f1", "words, typed: macro f1", lambda *sums: _macro_and_weighted(*sums)[0]),
    Headline("words.weighted_f1", "words, typed: weighted f1", lambda *sums: _macro_and_weighted(*sums)[1]),
    Headline("privacy.word_recall", "PHI words hidden, any label", _word_recall),
    Headline(
        "privacy.character_recall", "PHI characters hidden, any label",
        _kept_ratio(Size.LEAKED_CHARACTERS, Size.PHI_CHARACTERS),
    ),
    Headline(
        "privacy.clean_documents", "documents with PHI and no leak", _kept_ratio(Size.LEAKING, Size.WITH_PHI)
    ),
    Headline("privacy.leaked_words_per_document", "leaked words a document", _leaks_a_document),
)  # fmt: skip
