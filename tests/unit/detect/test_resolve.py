"""Candidates become clean spans in one stated way, and nothing that was covered is uncovered."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect.resolve import resolve
from deidlab.encode.words import find_words
from deidlab.types import Span

LABELS = ("PATIENT", "DOCTOR", "DATE", "AGE", "CITY", "IDNUM")


@st.composite
def candidates(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(st.text("aB1 ,.-'é\n", min_size=1, max_size=60))
    spans = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        score = draw(st.sampled_from((0.3, 0.5, 0.8, 0.95, 1.0)))
        spans.append(Span(start, end, draw(st.sampled_from(LABELS)), score, "x"))
    return text, spans


@given(candidates())
def test_spans_are_in_order_apart_and_never_cut_a_word(case: tuple[str, list[Span]]) -> None:
    text, proposed = case
    spans = resolve(text, proposed)
    assert all(one.end <= two.start for one, two in itertools.pairwise(spans))
    for start, end in find_words(text):
        for span in spans:
            inside = max(start, span.start) < min(end, span.end)
            assert not inside or (span.start <= start and end <= span.end)
    assert all(not text[span.start].isspace() and not text[span.end - 1].isspace() for span in spans)


@given(candidates())
def test_what_a_sure_candidate_covers_stays_covered(case: tuple[str, list[Span]]) -> None:
    text, proposed = case
    covered = {place for span in resolve(text, proposed) for place in range(span.start, span.end)}
    for span in proposed:
        if (span.score or 0) >= 0.5:
            assert {place for place in range(span.start, span.end) if text[place].isalnum()} <= covered


@given(candidates())
def test_the_order_of_candidates_does_not_matter(case: tuple[str, list[Span]]) -> None:
    text, proposed = case
    assert resolve(text, proposed) == resolve(text, proposed[::-1])


def test_the_more_certain_wins_and_the_rest_of_the_weaker_is_kept() -> None:
    text = "seen by Anna Berg today"
    spans = resolve(text, [Span(8, 17, "PATIENT", 0.6, "a"), Span(13, 17, "DOCTOR", 0.9, "b")])
    assert [(span.start, span.end, span.label) for span in spans] == [(8, 12, "PATIENT"), (13, 17, "DOCTOR")]


def test_a_weak_long_span_does_not_beat_a_sure_short_one() -> None:
    spans = resolve("on 3/14 ward", [Span(0, 12, "PATIENT", 0.5, "a"), Span(3, 7, "DATE", 0.9, "b")])
    assert Span(3, 7, "DATE", 0.9, "b") in spans


def test_parts_of_one_name_or_date_are_joined_and_two_dates_are_not() -> None:
    name = resolve(
        "John A. Smith", [Span(0, 4, "PATIENT", 0.6), Span(5, 6, "PATIENT", 0.9), Span(8, 13, "PATIENT", 0.7)]
    )
    assert name == (Span(0, 13, "PATIENT", 0.9),)
    assert resolve("Tuesday, 3/14", [Span(0, 7, "DATE", 0.9), Span(9, 13, "DATE", 0.8)]) == (
        Span(0, 13, "DATE", 0.9),
    )
    assert len(resolve("3/14, 3/16", [Span(0, 4, "DATE", 0.9), Span(6, 10, "DATE", 0.9)])) == 2


def test_a_number_and_its_unit_are_one_age_and_two_numbers_are_two() -> None:
    assert resolve("54 años", [Span(0, 2, "AGE", 0.9), Span(3, 7, "AGE", 0.8)]) == (Span(0, 7, "AGE", 0.9),)
    assert len(resolve("8 5", [Span(0, 1, "AGE", 0.9), Span(2, 3, "AGE", 0.8)])) == 2


def test_a_span_is_widened_to_whole_words_and_below_the_threshold_it_is_none() -> None:
    assert resolve("Smithson left", [Span(0, 5, "PATIENT", 0.9)]) == (Span(0, 8, "PATIENT", 0.9),)
    assert resolve("Smith left", [Span(0, 5, "PATIENT", 0.4)]) == ()


def test_many_spans_inside_one_giant_word_stay_cheap() -> None:
    text = "a" * 200_000
    assert len(resolve(text, [Span(n, n + 1, "PATIENT", 0.9) for n in range(0, 200_000, 50)])) == 1
