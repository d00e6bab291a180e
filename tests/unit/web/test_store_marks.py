"""What a decision means: marks and a wish in, changes out; PHI never overlaps, and all can be reversed."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab.errors import ConfigError
from deidlab.types import Span
from deidlab.web.store_marks import (
    Change,
    Wish,
    changes_from_json,
    changes_to_json,
    decide,
    find_mentions,
    first_marks,
)
from tests.unit.web.desk import TEXT, marks, span_of


def test_drawing_over_marks_rejects_them_and_trims_white_space() -> None:
    start, end = TEXT.index(" Dr."), TEXT.index(" on")
    changes = decide(TEXT, marks(), Wish("draw", label="DOCTOR", start=start, end=end + 1), "anna")
    made = [change.after for change in changes if change.before is None]
    gone = [change.after for change in changes if change.before is not None]
    assert [TEXT[mark.start : mark.end] for mark in made if mark] == ["Dr. Verhoeven"]
    assert [(TEXT[mark.start : mark.end], mark.status) for mark in gone if mark] == [
        ("Verhoeven", "rejected")
    ]


def test_drawing_everywhere_takes_every_whole_mention() -> None:
    text = "Okonjo and okonjo; Okonjos, Okonjo-Bell (Okonjo)."
    changes = decide(text, [], Wish("draw", label="PATIENT", start=0, end=6, everywhere=True), "anna")
    places = [(c.after.start, c.after.end) for c in changes if c.after]
    assert places == find_mentions(text, "Okonjo") == [(0, 6), (28, 34), (41, 47)]


def test_a_span_under_a_longer_one_becomes_a_hint() -> None:
    spans = [Span(0, 10, "A"), Span(2, 4, "B"), Span(8, 14, "C"), Span(14, 20, "D")]
    assert [(mark.label, mark.status) for mark in first_marks(spans)] == [
        ("A", "found"),
        ("B", "hint"),
        ("C", "hint"),
        ("D", "found"),
    ]


def test_doubt_falls_to_nothing_once_decided() -> None:
    found = {TEXT[mark.start : mark.end]: mark.doubt for mark in marks()}
    assert found == pytest.approx(
        {"Okonjo": 0.01, "Verhoeven": 0.1, "3/14": 0.2, "Foley": 0.45, "555-0147": 0.3}
    )
    decided = decide(TEXT, marks(), Wish("accept", (1, 2, 3, 4, 5)), "anna")
    assert sum(change.after.doubt for change in decided if change.after) == 0


def test_reviewed_spans_say_who_and_have_no_score() -> None:
    accepted = decide(TEXT, marks(), Wish("accept", (1,)), "anna")[0].after
    assert accepted is not None
    assert accepted.to_span() == Span(4, 10, "PATIENT", None, "review:anna")
    assert marks()[0].to_span() == span_of(TEXT, "Okonjo", "PATIENT", 0.99)


def test_changes_survive_json() -> None:
    changes = [Change(None, marks()[0]), Change(marks()[1], None), Change(marks()[2], marks()[3])]
    assert changes_from_json(changes_to_json(changes, (False, True))) == (changes, (False, True))


numbers = st.integers(0, 40)
wishes = st.one_of(
    st.builds(Wish, st.sampled_from(["accept", "reject", "reopen"]), st.tuples(st.integers(1, 4))),
    st.builds(Wish, st.just("relabel"), st.tuples(st.integers(1, 4)), st.sampled_from(["DATE", "AGE"])),
    st.builds(
        lambda a, b, everywhere: Wish(
            "draw", label="ID", start=min(a, b), end=max(a, b) + 1, everywhere=everywhere
        ),
        numbers,
        numbers,
        st.booleans(),
    ),
    st.builds(
        lambda mark, a, b: Wish("resize", (mark,), start=min(a, b), end=max(a, b) + 1),
        st.integers(1, 4),
        numbers,
        numbers,
    ),
    st.just(Wish("accept-all")),
)


@settings(max_examples=60)
@given(st.lists(wishes, max_size=12), st.text("ab \n", min_size=41, max_size=41))
def test_phi_never_overlaps_and_all_can_be_reversed(asked: list[Wish], text: str) -> None:
    first = {
        mark.id: mark
        for mark in first_marks([Span(1, 5, "A"), Span(4, 9, "B"), Span(20, 30, "C"), Span(25, 26, "D")])
    }
    now, log = dict(first), []
    for wish in asked:
        try:
            changes = decide(text, list(now.values()), wish, "anna")
        except ConfigError:
            continue
        log.append(changes)
        for change in changes:
            assert change.after is not None
            now[change.after.id] = change.after
        phi = sorted((mark.start, mark.end) for mark in now.values() if mark.is_phi)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(phi))
    for changes in reversed(log):
        for change in reversed(changes):
            back = change.reverse()
            assert back.before is not None
            now.pop(back.before.id)
            if back.after is not None:
                now[back.after.id] = back.after
    assert now == first
