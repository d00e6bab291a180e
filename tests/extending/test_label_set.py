"""A label set is a TOML file: one of one's own checks and scores a corpus, and its map leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest

import deidlab
from tests.e2e.command import deidlab as run_command

NOTE = deidlab.Document(
    "a", "a", "Ann and her cat Tom.", (deidlab.Span(0, 3, "NAME"), deidlab.Span(16, 19, "PET"))
)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "ours.toml"
    path.write_text('labels = ["NAME", "PET"]\n')
    deidlab.write_corpus([NOTE], tmp_path / "notes.jsonl", "jsonl")
    return path


def test_a_corpus_is_checked_against_it(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = labels.with_name("notes.jsonl")
    done = run_command(capsys, "corpus", "check", notes, "--labels", labels)
    assert done.status == 0, done.err
    labels.write_text('labels = ["NAME"]\n')
    assert run_command(capsys, "corpus", "check", notes, "--labels", labels).status == 1


def test_only_its_labels_are_scored(labels: Path) -> None:
    labels.write_text('labels = ["PET"]\n')
    found = deidlab.Document("a", "a", NOTE.text, NOTE.spans[1:])
    assert (
        deidlab.score([NOTE], [found], labels=str(labels), resamples=0)["entities"]["strict"]["micro"]["f1"]
        == 1.0
    )
    assert deidlab.score([NOTE], [found], resamples=0)["entities"]["strict"]["micro"]["f1"] < 1.0


def test_a_map_leads_to_it(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = labels.with_name("names.toml")
    names.write_text('NAME = "NAME"\nPET = ""\n')
    notes, out = labels.with_name("notes.jsonl"), labels.with_name("mapped.jsonl")
    done = run_command(capsys, "corpus", "convert", notes, out, "--to", "jsonl", "--map", names)
    assert done.status == 0, done.err
    assert [span.label for note in deidlab.read_corpus(out) for span in note.spans] == ["NAME"]
