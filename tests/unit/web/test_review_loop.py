"""The loop: notes are reviewed, the fixes are exported, a model is trained on them, and it has learnt the fixes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")

from deidlab.pipeline.settings import Finding
from deidlab.web.review_changes import fingerprint_of, propose, summarise_changes
from deidlab.web.review_export import export_review
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish, first_marks
from tests.e2e.command import deidlab
from tests.unit.train.conftest import SMALL, make_notes


@pytest.fixture
def reviewed(tmp_path: Path) -> ReviewStore:
    """Twenty-four notes of which half the spans were missed at first, and drawn by a reviewer."""
    store = ReviewStore(tmp_path / "notes.review")
    notes = make_notes(24, 1)
    store.add_notes((note, first_marks(note.spans[::2]), False) for note in notes)
    for number, note in enumerate(notes, start=1):
        version = 0
        for span in note.spans[1::2]:
            wish = Wish("draw", label=span.label, start=span.start, end=span.end)
            version = store.decide(number, "", version, wish, "anna").version
        store.decide(number, "", version, Wish("done"), "anna")
    return store


def test_a_model_that_is_trained_on_the_review_has_learnt_from_it(
    reviewed: ReviewStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export_review(reviewed, tmp_path / "reviewed.jsonl", "jsonl", "done").n_notes == 24
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text(
        json.dumps({"model_type": "bert", "vocab_size": 300} | SMALL)
    )
    options = (
        "--from-scratch --tokenizer learn --epochs 10 --batch 4 --window 48 --stride 32 --learning-rate 3e-3"
    )
    sizes = ("--model", tmp_path / "tiny", "--out", tmp_path / "run", *options.split())
    done = deidlab(capsys, "train", tmp_path / "reviewed.jsonl", "--device", "cpu", *sizes)
    assert done.status == 0, done.err
    finding = Finding(str(tmp_path / "run"), "off")
    assert (
        propose(reviewed, "run", finding, fingerprint_of(finding, reviewed), 1, lambda stage, n: None) == []
    )
    found = summarise_changes(reviewed, "run")
    assert found["finished"] == 24
    assert found["before"]["recall"] < 0.7 < found["after"]["recall"]
    assert found["lessons"]["drawn_found"] > 0.7 * found["lessons"]["drawn"] > 0
