"""What a retrained model would change: each difference once, and how much it learnt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deidlab.pipeline.settings import Finding
from deidlab.types import Span
from deidlab.web.review_changes import compare_marks, fingerprint_of, note_changes, propose, summarise_changes
from deidlab.web.store_marks import Wish, first_marks
from deidlab.web.store_notes import save_proposal
from tests.unit.web.desk import TEXT, marks, note, open_store, span_of

MODEL = (
    span_of(TEXT, "Okonjo", "PATIENT", 0.97),
    span_of(TEXT, "Dr. Verhoeven", "DOCTOR", 0.9),
    span_of(TEXT, "3/14", "AGE", 0.7),
    span_of(TEXT, "Okonjo", "PATIENT", 0.95, nth=1),
)


def test_every_kind_of_change_is_seen() -> None:
    changes = compare_marks(marks(), MODEL)
    shown = [(c.kind, *(x and TEXT[x.start : x.end] for x in (c.mark, c.span))) for c in changes]
    assert shown == [
        ("moves", "Verhoeven", "Dr. Verhoeven"),
        ("relabels", "3/14", "3/14"),
        ("adds", None, "Okonjo"),
        ("drops", "Foley", None),
    ]


def test_the_same_spans_change_nothing() -> None:
    assert compare_marks(marks(), [mark.to_span() for mark in marks() if mark.is_phi]) == []


stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9), st.sampled_from("AB")), max_size=8)


@given(stretches, stretches)
def test_taking_every_change_over_gives_what_the_model_finds(
    one: list[tuple[int, int, str]], other: list[tuple[int, int, str]]
) -> None:
    left, right = ([Span(a, a + n, label) for a, n, label in side] for side in (one, other))
    held = [mark for mark in first_marks(left) if mark.is_phi]
    spans = [mark.to_span() for mark in first_marks(right) if mark.is_phi]
    now = {(mark.start, mark.end, mark.label) for mark in held}
    for change in compare_marks(held, spans):
        if change.mark:
            now.remove((change.mark.start, change.mark.end, change.mark.label))
        if change.span:
            now.add((change.span.start, change.span.end, change.span.label))
    assert now == {(span.start, span.end, span.label) for span in spans}


def test_a_model_is_run_once_and_compared_with_what_stands_now(tmp_path: Path) -> None:
    store = open_store(tmp_path, [(note(f"n{i}", f"p{i}"), marks(), False) for i in range(40)])
    rules = Finding(None, "only")
    seen: list[int] = []
    mark = fingerprint_of(rules, store)
    assert propose(store, "rules", rules, mark, 1, lambda stage, n: seen.append(n)) == []
    assert seen == [32, 8]
    propose(store, "rules", rules, mark, 1, lambda stage, n: seen.append(n))
    assert seen == [32, 8], "the same model is not run again"
    propose(store, "rules", rules, "another", 1, lambda stage, n: seen.append(n))
    assert seen == [32, 8, 32, 8]
    changes = note_changes(store, store.read_note(1), "rules")
    assert changes is not None and {change.kind for change in changes} >= {"drops"}
    assert note_changes(store, store.read_note(1), "other") is None


def test_the_summary_tells_what_was_learnt(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    okonjo = TEXT.index("Okonjo is")
    foley = next(mark.id for mark in marks() if TEXT[mark.start : mark.end] == "Foley")
    phone = next(mark.id for mark in marks() if mark.status == "hint")
    for version, wish in enumerate(
        (
            Wish("draw", label="PATIENT", start=okonjo, end=okonjo + 6),
            Wish("reject", (foley,)),
            Wish("accept", (phone,)),
            Wish("done"),
        )
    ):
        store.decide(1, "", version, wish, "anna")
    learnt = [mark.to_span() for mark in store.read_note(1).marks if mark.is_phi and mark.label != "PHONE"]
    save_proposal(store, "new", 1, [replace(span, score=0.9) for span in learnt])
    found = summarise_changes(store, "new")
    assert found["changes"] == {"adds": 0, "drops": 1, "relabels": 0, "moves": 0}
    assert found["lessons"] == {"drawn": 1, "drawn_found": 1, "rejected": 1, "rejected_gone": 1}
    assert found["before"] == {"precision": 3 / 4, "recall": 3 / 5, "f1": 2 * 3 / 9}
    assert found["after"] == {"precision": 1.0, "recall": 4 / 5, "f1": 8 / 9}
    assert found["notes"] == [{"number": 1, "id": "n1", "done": True, "changes": 1, "drops": 1}]
