"""Lists of notes: what needs review most comes first, search and filters find, pages turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.types import Document, Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish, first_marks
from deidlab.web.store_notes import (
    Filter,
    count_notes,
    fix_label_order,
    fold,
    list_notes,
    patient_notes,
    reviewers,
    used_labels,
)
from tests.unit.web.desk import TEXT, marks, note, open_store


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    """Three notes: a certain one, a doubtful one, and one by hand with accents."""
    certain = [replace(mark, score=1.0, status="found") for mark in marks()]
    text = "Nombre: LUCÍA Barrachina. Straße 4."
    by_hand = first_marks([Span(8, 24, "PATIENT")])
    return open_store(
        tmp_path,
        [
            (note("certain"), certain, False),
            (note("doubtful"), marks(), False),
            (Document("hand", "p2", text), by_hand, True),
        ],
    )


def ids(store: ReviewStore, filter: Filter, reviewer: str = "anna") -> list[str]:
    return [row.id for row in list_notes(store, filter, reviewer, 0, 50)[1]]


def test_the_most_doubtful_note_comes_first_and_done_ones_last(store: ReviewStore) -> None:
    assert ids(store, Filter()) == ["doubtful", "certain", "hand"]
    store.decide(2, "", 0, Wish("done"), "anna")
    assert ids(store, Filter()) == ["certain", "hand", "doubtful"]
    assert ids(store, Filter(order="corpus")) == ["certain", "doubtful", "hand"]


def test_deciding_lowers_the_need(store: ReviewStore) -> None:
    before = list_notes(store, Filter(), "anna", 0, 1)[1][0]
    assert (before.need, before.undecided, before.n_phi) == (pytest.approx(1.06), 5, 4)
    store.decide(2, "", 0, Wish("accept-all"), "anna")
    after = next(row for row in list_notes(store, Filter(), "anna", 0, 9)[1] if row.id == "doubtful")
    assert (after.need, after.undecided) == (pytest.approx(0.3), 1)


@pytest.mark.parametrize(
    ("words", "found"),
    [("okonjo", ["doubtful", "certain"]), ("lucia", ["hand"]), ("STRASSE", ["hand"]), ("certain", ["certain"]),
     ("zzz", []), ("100%", []), ("'; DROP TABLE note; --", [])],
)  # fmt: skip
def test_search_looks_past_case_and_accents(store: ReviewStore, words: str, found: list[str]) -> None:
    assert ids(store, Filter(search=words)) == found


def test_fold_is_the_same_for_all_ways_of_writing() -> None:
    assert fold("Lucía") == fold("LUCI\u0301A") == "lucia"


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        (Filter(labels=("PHONE",)), ["doubtful", "certain"]),
        (Filter(labels=("PHONE", "PATIENT")), ["doubtful", "certain", "hand"]),
        (Filter(high=0.6), ["doubtful"]),
        (Filter(labels=("DATE",), high=0.6), []),
        (Filter(low=0.85, labels=("DATE",)), ["certain"]),
        (Filter(which="done"), []),
        (Filter(which="open", search="okonjo", labels=("DOCTOR",)), ["doubtful", "certain"]),
    ],
)
def test_filters_by_type_certainty_and_state(store: ReviewStore, filter: Filter, found: list[str]) -> None:
    assert ids(store, filter) == found


def test_a_rejected_mark_no_longer_answers_a_filter(store: ReviewStore) -> None:
    phone = next(mark.id for mark in marks() if mark.label == "PHONE")
    store.decide(2, "", 0, Wish("reject", (phone,)), "anna")
    assert ids(store, Filter(labels=("PHONE",))) == ["certain"]


def test_pages_turn_and_tell_the_total(store: ReviewStore) -> None:
    total, rows = list_notes(store, Filter(order="corpus"), "anna", 1, 1)
    assert (total, [row.id for row in rows]) == (3, ["doubtful"])
    assert list_notes(store, Filter(), "anna", 50, 10) == (3, [])


def test_each_reviewer_sees_their_own_state_of_a_note_reviewed_twice(store: ReviewStore) -> None:
    store.decide(3, "ben", 0, Wish("done"), "ben")
    assert count_notes(store, "ben") == {"notes": 3, "done": 1, "undecided": 10, "twice": 1}
    assert count_notes(store, "anna") == {"notes": 3, "done": 0, "undecided": 11, "twice": 1}
    assert reviewers(store) == ["ben"]


def test_digits_keep_their_label_whatever_reviewers_add(store: ReviewStore) -> None:
    fix_label_order(store)
    first = used_labels(store)
    assert first[0] == "DOCTOR"
    for version in range(3):
        store.decide(
            1, "", version, Wish("draw", label="AGE", start=version * 3, end=version * 3 + 2), "anna"
        )
    assert used_labels(store) == [*first, "AGE"]


def test_the_notes_of_a_patient_come_together(store: ReviewStore) -> None:
    found = patient_notes(store, store.read_note(2), 100)
    assert [document.id for document in found] == ["doubtful", "certain"]
    assert [span.label for span in found[0].spans] == ["PATIENT", "DOCTOR", "DATE", "DOCTOR"]
    assert [document.id for document in patient_notes(store, store.read_note(2), 1)] == ["doubtful"]
    assert found[0].text == TEXT
