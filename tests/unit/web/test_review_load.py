"""From a corpus to a review: spans of the corpus or of a detector, hints, shares, and going on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.detect import Detection
from deidlab.errors import CorpusError
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document, Span
from deidlab.web.review_load import LoadReport, LoadSettings, falls_below, load_review, marks_of
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish

RULES = Finding(None, "only")


def load(store: ReviewStore, path: Path, **settings: object) -> LoadReport:
    return load_review(store, LoadSettings(SourceSettings(path), RULES, **settings), lambda stage, n: None)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return ReviewStore(tmp_path / "store")


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


PLAIN = {"id": "a", "text": "Seen on 3/14/2071 by Dr. Ilse Verhoeven."}
MARKED = {"id": "b", "text": "Seen on Friday.", "spans": [{"start": 8, "end": 14, "label": "DATE"}]}


def test_a_corpus_without_spans_is_searched_first(store: ReviewStore, tmp_path: Path) -> None:
    report = load(store, write(tmp_path / "notes.jsonl", PLAIN))
    assert (report.n_new, report.detected) == (1, True)
    assert [(mark.label, mark.status) for mark in store.read_note(1).marks] == [
        ("DATE", "found"),
        ("DOCTOR", "found"),
    ]


def test_a_corpus_with_spans_is_reviewed_as_it_is(store: ReviewStore, tmp_path: Path) -> None:
    report = load(store, write(tmp_path / "notes.jsonl", PLAIN, MARKED))
    assert (report.n_new, report.detected) == (2, False)
    assert [len(store.read_note(number).marks) for number in (1, 2)] == [0, 1]


@pytest.mark.parametrize(("wanted", "n_marks"), [(True, [2, 1]), (False, [0, 1])])
def test_it_can_be_said(store: ReviewStore, tmp_path: Path, wanted: bool, n_marks: list[int]) -> None:
    load(store, write(tmp_path / "notes.jsonl", PLAIN, MARKED), detect=wanted)
    assert [len(store.read_note(number).marks) for number in (1, 2)] == n_marks


def test_loading_again_keeps_decisions_and_adds_what_is_new(store: ReviewStore, tmp_path: Path) -> None:
    path = write(tmp_path / "notes.jsonl", PLAIN)
    load(store, path)
    store.decide(1, "", 0, Wish("accept-all"), "anna")
    report = load(store, write(path, PLAIN, {**PLAIN, "id": "c"}))
    assert report.n_new == 1
    assert [mark.status for mark in store.read_note(1).marks] == ["accepted", "accepted"]
    assert [mark.status for mark in store.read_note(2).marks] == ["found", "found"]


def test_a_note_that_cannot_be_read_is_told_by_its_place(store: ReviewStore, tmp_path: Path) -> None:
    report = load(store, write(tmp_path / "notes.jsonl", PLAIN, {"id": "b"}))
    assert (report.n_new, [number for number, _ in report.failed]) == (1, [2])


def test_an_empty_corpus_is_an_error_and_leaves_nothing(store: ReviewStore, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no note to review"):
        load(store, write(tmp_path / "notes.jsonl", {"id": "b"}))


def test_hints_are_what_was_nearly_found_and_stands_free() -> None:
    text = "Foley and Wells met Strand"
    spans = (Span(0, 5, "DOCTOR", 0.9, "x"),)
    weak = (Span(0, 5, "PATIENT", 0.4, "y"), Span(10, 15, "DOCTOR", 0.8, "y"), Span(20, 26, "DOCTOR", 0.3, "y"),
            Span(6, 9, "DOCTOR", 0.1, "y"))  # fmt: skip
    found = marks_of(Document("n", "", text), Detection(spans, (*spans, *weak)), 0.5)
    assert [(text[mark.start : mark.end], mark.status) for mark in found] == [
        ("Foley", "found"),
        ("Strand", "hint"),
    ]


def test_overlapping_spans_are_counted(store: ReviewStore, tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 4, "label": "A"}, {"start": 2, "end": 6, "label": "B"}]
    assert (
        load(
            store, write(tmp_path / "notes.jsonl", {"id": "a", "text": "abcdefgh", "spans": spans})
        ).n_overlaps
        == 1
    )


def test_the_share_of_two_reviewers_goes_by_the_id_alone() -> None:
    chosen = [falls_below(f"note-{number}", 0.2) for number in range(2000)]
    assert 340 < sum(chosen) < 460
    assert all(falls_below("x", 1.0) and not falls_below("x", 0.0) for _ in range(3))
    assert all(
        not few or many
        for few, many in ((falls_below(str(n), 0.1), falls_below(str(n), 0.3)) for n in range(200))
    )
