"""Entity level: strict as seqeval has it, and every rule as a slow matcher of its own would count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import IOB2

from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.types import Counts, Span
from tests.unit.evaluate.builders import pair, span_pair
from tests.unit.evaluate.plain import largest_matching, once, stretches
from tests.unit.evaluate.test_words import LABELS, pairs_of_documents, tagged_notes

Rule = Callable[[Span, Span], bool]


def _strict(one: Span, two: Span) -> bool:
    return (one.start, one.end, one.label) == (two.start, two.end, two.label)


def _relaxed(one: Span, two: Span) -> bool:
    return (one.start, one.label) == (two.start, two.label) and abs(one.end - two.end) <= 2


def _touching(one: Span, two: Span) -> bool:
    return one.start < two.end and two.start < one.end


def _overlap(one: Span, two: Span) -> bool:
    return one.label == two.label and _touching(one, two)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(tagged_notes())
def test_seqeval_strict_agrees(notes: tuple[list[list[str]], list[list[str]], list[Pair]]) -> None:
    golds, systems, pairs = notes
    strict = summarise(tally_pairs(pairs, seen=LABELS)).entities["strict"]
    options = {"scheme": IOB2, "zero_division": 0}
    if not any(tag != "O" for tags in (*golds, *systems) for tag in tags):
        assert strict.micro == Counts()
        return
    micro = precision_recall_fscore_support(golds, systems, average="micro", **options)
    ours = (strict.micro.precision, strict.micro.recall, strict.micro.f1)
    assert [value or 0.0 for value in ours] == pytest.approx(micro[:3])
    seen = sorted({tag[2:] for tags in (*golds, *systems) for tag in tags if tag != "O"})
    each = precision_recall_fscore_support(golds, systems, average=None, **options)
    for row, label in enumerate(seen):
        mine = strict.by_type[label]
        assert [mine.precision or 0.0, mine.recall or 0.0, mine.f1 or 0.0] == pytest.approx(
            [part[row] for part in each[:3]]
        )
        assert mine.tp + mine.fn == each[3][row]
    weighted = precision_recall_fscore_support(golds, systems, average="weighted", **options)
    if any(tag != "O" for tags in golds for tag in tags):
        assert (strict.weighted.precision, strict.weighted.recall, strict.weighted.f1) == pytest.approx(
            weighted[:3]
        )


@given(pairs_of_documents())
def test_every_rule_finds_the_largest_one_to_one_matching(made: Pair) -> None:
    summary = summarise(tally_pairs([made]))
    gold, system = once(made.gold.spans), once(made.system.spans)
    for name, rule in (("strict", _strict), ("relaxed", _relaxed), ("overlap", _overlap)):
        found = largest_matching(gold, system, rule)
        assert summary.entities[name].micro == Counts(found, len(system) - found, len(gold) - found)
    gold, system = list(stretches(made.gold.spans)), list(stretches(made.system.spans))
    for counts, rule in ((summary.blind["binary"], _strict), (summary.blind["binary_overlap"], _touching)):
        found = largest_matching(gold, system, rule)
        assert counts == Counts(found, len(system) - found, len(gold) - found)


@given(pairs_of_documents())
def test_gold_and_system_change_places_and_so_do_precision_and_recall(made: Pair) -> None:
    there = summarise(tally_pairs([made]))
    back = summarise(tally_pairs([Pair(made.system, made.gold)]))
    for name in there.entities:
        one, two = there.entities[name].micro, back.entities[name].micro
        assert (one.tp, one.fp, one.fn) == (two.tp, two.fn, two.fp)


def test_the_rules_by_hand() -> None:
    made = pair(
        "[PATIENT Ann Lee] and [DATE 3/14/20], [CITY Bath Spa] [AGE 82]",
        "[PATIENT Ann] Lee and [DATE 3/14/]20, [DATE Bath Spa] [AGE 82]",
    )
    summary = summarise(tally_pairs([made]))
    assert summary.entities["strict"].micro == Counts(1, 3, 3)
    assert summary.entities["relaxed"].micro == Counts(2, 2, 2)
    assert summary.entities["overlap"].micro == Counts(3, 1, 1)
    assert summary.blind["binary"] == Counts(2, 2, 2)
    assert summary.blind["binary_overlap"] == Counts(4, 0, 0)


def test_one_long_span_is_no_credit_for_two() -> None:
    made = span_pair("Ann Lee", [Span(0, 3, "PATIENT"), Span(4, 7, "PATIENT")], [Span(0, 7, "PATIENT")])
    assert summarise(tally_pairs([made])).entities["overlap"].micro == Counts(1, 0, 1)


def test_a_chain_of_overlaps_is_matched_whole() -> None:
    # Taking the first overlap for each gold span greedily would leave one of them without a partner.
    gold = [Span(0, 6, "X"), Span(2, 3, "X")]
    system = [Span(1, 3, "X"), Span(4, 6, "X")]
    assert summarise(tally_pairs([span_pair("abcdef", gold, system)])).entities["overlap"].micro == Counts(
        2, 0, 0
    )
