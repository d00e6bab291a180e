"""Offsets alone give the figures that the notes themselves would give."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.encode.words import WORD_STYLES, find_words
from deidlab.evaluate.measures import headline_values
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.privacy import assess_privacy
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.report.study.predictions import blank_text, map_labels, pairs_of
from deidlab.types import Document, Span
from tests.strategies import documents


@dataclass(frozen=True)
class Offsets:
    id: str
    patient: str
    words: tuple[tuple[int, int], ...]
    gold: tuple[Span, ...]
    found: tuple[Span, ...]


@pytest.mark.parametrize("style", WORD_STYLES)
@given(document=documents())
def test_a_blank_text_has_the_words_of_the_text(document: Document, style: str) -> None:
    words = find_words(document.text, style)
    blank = blank_text(words, len(document.text))
    assert find_words(blank, "runs") == words
    assert len(blank) == len(document.text)


@pytest.mark.parametrize("style", WORD_STYLES)
@given(gold=documents(overlapping=True), draw=st.data())
def test_scores_from_offsets_are_those_from_text(gold: Document, draw: st.DataObject, style: str) -> None:
    shifted = draw.draw(st.lists(st.sampled_from(gold.spans), unique=True) if gold.spans else st.just([]))
    n = len(gold.text)
    found = tuple(
        Span(
            span.start,
            min(n, span.end + draw.draw(st.integers(0, 2))),
            draw.draw(st.sampled_from((span.label, span.label, "DATE"))),
            0.5,
        )
        for span in shifted
    )
    true = [Pair(gold, Document(gold.id, gold.patient, gold.text, found))]
    blank = pairs_of([Offsets(gold.id, gold.patient, tuple(find_words(gold.text, style)), gold.spans, found)])
    ours, theirs = tally_pairs(blank), tally_pairs(true, style=style)
    assert summarise(ours).words == summarise(theirs).words
    assert summarise(ours).entities == summarise(theirs).entities
    assert summarise(ours).accuracy == summarise(theirs).accuracy
    assert assess_privacy(ours) == assess_privacy(theirs)
    for name, value in headline_values(theirs.table.total(), theirs.scored_codes).items():
        other = headline_values(ours.table.total(), ours.scored_codes)[name]
        assert value == other or (value != value and other != other), name


def test_a_blank_text_says_nothing() -> None:
    assert blank_text([(0, 3), (3, 4), (4, 6), (8, 9)], 12) == "000x00  x   "


def test_labels_mapped_to_nothing_go() -> None:
    note = Document("a", "a", "x" * 9, (Span(0, 2, "DOCTOR"), Span(3, 5, "PATIENT"), Span(6, 8, "AGE")))
    (pair,) = map_labels([Pair(note, note)], {"DOCTOR": "", "PATIENT": "NAME"})
    assert [span.label for span in pair.gold.spans] == ["NAME", "AGE"]
    assert pair.system == pair.gold
