"""`deidlab detect` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus
from tests.e2e.command import deidlab, deidlab_process
from tests.unit.pipeline.notes import make_note, write_jsonl

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl([make_note(number) for number in range(5)], tmp_path / "notes.jsonl", with_spans=False)


def test_notes_come_out_marked_with_their_own_ids_and_text(
    tmp_path: Path, source: Path, capsys: Capture
) -> None:
    out = tmp_path / "found.jsonl"
    done = deidlab(capsys, "detect", source, "--out", out, "--rules", "only")
    assert done.status == 0 and "spans in 5 notes" in done.err
    for note, found in zip(map(make_note, range(5)), read_corpus(out), strict=True):
        assert (found.id, found.patient, found.text) == (note.id, note.patient, note.text)
        assert {(s.start, s.end) for s in note.spans if s.label == "DATE"} <= {
            (s.start, s.end) for s in found.spans
        }
        assert all(span.score is not None and span.source for span in found.spans)


@pytest.mark.parametrize(
    ("to", "suffix"), [("i2b2", ""), ("brat", ""), ("inline", ""), ("csv", ".csv"), ("conll", ".conll")]
)
def test_to_any_format(to: str, suffix: str, tmp_path: Path, source: Path, capsys: Capture) -> None:
    out = tmp_path / f"found{suffix}"
    assert deidlab(capsys, "detect", source, "--out", out, "--to", to, "--rules", "only", "-q").status == 0
    assert sum(len(note.spans) for note in read_corpus(out, to)) >= 10


def test_plain_text_becomes_brat(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.txt").write_text("Seen on 03/04/2065.")
    assert (
        deidlab(capsys, "detect", tmp_path / "src", "--out", tmp_path / "out", "--rules", "only").status == 0
    )
    assert (tmp_path / "out" / "a.ann").read_text().startswith("T1\tDATE 8 18\t03/04/2065")


def test_word_scores_are_what_the_scorer_reads(tmp_path: Path, source: Path, capsys: Capture) -> None:
    gold = write_jsonl([make_note(number) for number in range(5)], tmp_path / "gold.jsonl")
    out, scores = tmp_path / "found.jsonl", tmp_path / "words.jsonl"
    assert (
        deidlab(capsys, "detect", source, "--out", out, "--rules", "only", "--word-scores", scores).status
        == 0
    )
    done = deidlab(capsys, "score", gold, out, "--scores", scores, "--json", "--resamples", "10")
    assert done.status == 0, done.err
    assert json.loads(scores.read_text().splitlines()[0])["id"] == "n00000"


def test_workers_change_nothing(tmp_path: Path, capsys: Capture) -> None:
    source = write_jsonl(
        [make_note(number) for number in range(150)], tmp_path / "many.jsonl", with_spans=False
    )
    written = []
    for workers in ("1", "2"):
        out = tmp_path / f"out-{workers}.jsonl"
        assert (
            deidlab(capsys, "detect", source, "--out", out, "--rules", "only", "--workers", workers).status
            == 0
        )
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_failures_are_listed_and_the_rest_is_written(tmp_path: Path, source: Path, capsys: Capture) -> None:
    with source.open("a") as file:
        file.write('{"id": "x", "txt": "Zebulon Quillfeather"}\n')
    out = tmp_path / "found.jsonl"
    done = deidlab(capsys, "detect", source, "--out", out, "--rules", "only")
    assert (
        done.status == 3
        and "left out: note 6: line 6 has no 'text'" in done.err
        and "Zebulon" not in done.err
    )
    assert len(list(read_corpus(out))) == 5


def test_streams(tmp_path: Path, source: Path) -> None:
    done = deidlab_process("detect", "-", "--out", "-", "--rules", "only", input="Seen on 03/04/2065.")
    assert json.loads(done.out)["spans"][0]["label"] == "DATE"
    assert len(deidlab_process("detect", source, "--out", "-", "--rules", "only", "-q").out.splitlines()) == 5


def test_no_such_model(tmp_path: Path, source: Path, capsys: Capture) -> None:
    done = deidlab(capsys, "detect", source, "--out", tmp_path / "o.jsonl", "--model", "nowhere")
    assert done.status == 1 and "no such model folder" in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "o.jsonl").exists()
