"""Agreement between two reviewers: kappa as others compute it, F1 either way around, and settling."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from deidlab.errors import CorpusError
from deidlab.evaluate.kappa import cohen_kappa
from deidlab.types import Span
from deidlab.web.agreement import collapse, measure_agreement, word_labels
from deidlab.web.agreement_merge import merge_layers, merge_marks
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish
from tests.unit.web.desk import TEXT, marks, note, open_store


@given(st.lists(st.tuples(st.sampled_from("OAB"), st.sampled_from("OAB")), min_size=2, max_size=60))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    left, right = zip(*pairs, strict=True)
    found = cohen_kappa(Counter(pairs))
    if len({*left, *right}) == 1:
        assert found is None
    else:
        assert found == pytest.approx(cohen_kappa_score(left, right))


def test_kappa_of_nothing_is_none() -> None:
    assert cohen_kappa({}) is None


def test_kappa_of_a_textbook_case() -> None:
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    assert cohen_kappa(table) == pytest.approx(0.4)


def test_a_word_has_the_label_of_most_of_it() -> None:
    text = "Iza IzaNorte 12"
    spans = [Span(0, 3, "A"), Span(4, 7, "B"), Span(7, 12, "C")]
    assert word_labels(text, spans) == ["A", "C", ""]
    assert word_labels(text, [Span(0, 15, "A")]) == ["A", "A", "A"]
    assert word_labels(text, []) == ["", "", ""]


def test_collapse_asks_one_question() -> None:
    table = Counter({("A", "A"): 3, ("A", "B"): 2, ("", "B"): 1, ("", ""): 9})
    assert collapse(table) == {("True", "True"): 5, ("False", "True"): 1, ("False", "False"): 9}
    assert collapse(table, "A") == {("True", "True"): 3, ("True", "False"): 2, ("False", "False"): 10}


@pytest.fixture
def twice(tmp_path: Path) -> ReviewStore:
    """One note, finished by two: anna rejects Foley, ben relabels it and marks the second Okonjo."""
    store = open_store(tmp_path, [(note(), marks(), True)])
    foley = next(mark.id for mark in marks() if TEXT[mark.start : mark.end] == "Foley")
    okonjo = TEXT.index("Okonjo is")
    for name, wishes in {
        "anna": (Wish("accept-all"), Wish("reject", (foley,)), Wish("done")),
        "ben": (
            Wish("relabel", (foley,), "DEVICE"),
            Wish("draw", label="PATIENT", start=okonjo, end=okonjo + 6),
            Wish("done"),
        ),
    }.items():
        for version, wish in enumerate(wishes):
            store.decide(1, name, version, wish, name)
    return store


def test_agreement_is_measured_over_finished_notes(twice: ReviewStore) -> None:
    found = measure_agreement(twice, "anna", "ben")
    assert (found.n_notes, found.strict.tp, found.strict.fn, found.strict.fp) == (1, 3, 0, 2)
    assert found.strict.f1 == pytest.approx(6 / 8)
    labels = [
        word_labels(TEXT, [m.to_span() for m in twice.read_note(1, name).marks if m.is_phi])
        for name in ("anna", "ben")
    ]
    assert found.kappa == pytest.approx(cohen_kappa_score(*labels))
    assert found.kappa_phi == pytest.approx(
        cohen_kappa_score(*[[bool(label) for label in side] for side in labels])
    )
    assert found.differing == ((1, "n1", 2),)
    other = measure_agreement(twice, "ben", "anna")
    assert (other.kappa, other.strict.f1) == (pytest.approx(found.kappa), found.strict.f1)


def test_agreement_without_two_reviewers_says_what_is_missing(tmp_path: Path, twice: ReviewStore) -> None:
    with pytest.raises(CorpusError, match="two reviewers"):
        measure_agreement(twice, "anna", "anna")
    with pytest.raises(CorpusError, match="nobody yet"):
        (tmp_path / "other").mkdir()
        measure_agreement(open_store(tmp_path / "other"), "anna", "ben")


def test_settling_accepts_what_both_marked_and_leaves_the_rest(twice: ReviewStore) -> None:
    state = merge_layers(twice, 1, 0, "carla")
    assert {(TEXT[m.start : m.end], m.status, m.source) for m in state.marks} == {
        ("Okonjo", "accepted", "review:anna+ben"),
        ("Verhoeven", "accepted", "review:anna+ben"),
        ("3/14", "accepted", "review:anna+ben"),
        ("Okonjo", "found", "review:ben"),
        ("Foley", "found", "review:ben"),
    }
    assert twice.undo(1, "", state.version, "carla").marks == tuple(marks())


def test_a_note_that_one_reviewer_finished_cannot_be_settled(tmp_path: Path) -> None:
    store = open_store(tmp_path, [(note(), marks(), True)])
    store.decide(1, "anna", 0, Wish("done"), "anna")
    with pytest.raises(CorpusError, match="two reviewers"):
        merge_layers(store, 1, 0, "carla")


def test_two_labels_for_one_place_stand_against_each_other() -> None:
    one, other = marks()[:1], list(marks()[:1])
    other[0] = type(other[0])(1, one[0].start, one[0].end, "DOCTOR", None, "", "accepted", "ben")
    merged = merge_marks([one, other], ["anna", "ben"])
    assert sorted((mark.label, mark.status) for mark in merged) == [("DOCTOR", "found"), ("PATIENT", "hint")]
