"""A masked corpus with people's annotations must not point at what the detector missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deidlab.types import Document, Span
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import read_jsonl, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
MISSED, TEXT = "Quixwell", "Quixwell came on 03/04/2065, seen by Dr. Okonjo.\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """One name that no rule finds, a date that one does, and a profession that some policies leave."""
    spans = (Span(0, 8, "PATIENT"), Span(17, 27, "DATE"), Span(41, 47, "DOCTOR"))
    return write_jsonl([Document("a", "p", TEXT, spans)], tmp_path / "src.jsonl")


def mask(capsys: Capture, source: Path, *more: str | Path) -> tuple[list[str], str, str]:
    folder = source.parent
    done = deidlab(capsys, "mask", source, "--out", folder / "out.jsonl", "--rules", "only", "--key-file",
                   write_key(folder), *more)  # fmt: skip
    assert done.status == 0, done.err
    (note,) = read_jsonl(folder / "out.jsonl")
    marked = [note["text"][span["start"] : span["end"]] for span in note["spans"]]  # type: ignore[index,attr-defined]
    return marked, done.out, done.err


def test_annotations_over_text_that_was_not_masked_are_dropped(source: Path, capsys: Capture) -> None:
    marked, _, err = mask(capsys, source, "-q")
    assert marked == ["[DATE-1]", "[DOCTOR-1]"]
    assert "warning: 1 annotations of the source stand on text that was not masked" in err
    record = json.loads((source.parent / "out.jsonl.deidlab" / "record.json").read_text())
    assert record["annotations"] == {"replaced": 2, "dropped": 1, "kept": 0, "hidden": 1, "renamed": 0}


def test_kept_on_request_they_are_counted_and_told(source: Path, capsys: Capture) -> None:
    marked, out, err = mask(capsys, source, "--keep-annotations", "--json")
    assert marked == [MISSED, "[DATE-1]", "[DOCTOR-1]"]
    answer = json.loads(out)
    assert answer["annotations"] == {"replaced": 2, "dropped": 0, "kept": 1, "hidden": 1, "renamed": 0}
    assert len(answer["warnings"]) == 1 and f"warning: {answer['warnings'][0]}" in err


def test_the_audit_says_how_many_were_dropped(source: Path, capsys: Capture) -> None:
    mask(capsys, source)
    page = source.parent / "audit.html"
    done = deidlab(capsys, "audit", source.parent / "out.jsonl", "--report", page)
    said = "1 annotations of the source stood on text that was not replaced"
    assert done.status == 0 and said in done.err and said in page.read_text()
    assert json.loads(page.with_suffix(".json").read_text())["run"]["annotations"]["dropped"] == 1


def test_a_mark_that_is_masked_only_in_part_is_dropped_too(tmp_path: Path, capsys: Capture) -> None:
    spans = (Span(0, 27, "PATIENT"), Span(28, 47, "DOCTOR"))
    source = write_jsonl([Document("a", "p", TEXT, spans)], tmp_path / "src.jsonl")
    marked, _, _ = mask(capsys, source)
    assert marked == []


def test_restoring_brings_dropped_annotations_back(
    source: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    folder = source.parent
    mask(capsys, source, "--keep-map", folder / "map")
    back = folder / "back.jsonl"
    done = deidlab(capsys, "restore", folder / "out.jsonl", "--map", folder / "map", "--out", back)
    assert done.status == 0, done.err
    assert read_jsonl(back)[0]["spans"] == read_jsonl(source)[0]["spans"]


def test_a_stream_drops_them_as_well(source: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "mask",
        "-",
        "--from",
        "jsonl",
        "--out",
        "-",
        "--rules",
        "only",
        "-q",
    ]
    with source.open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=True)
    spans = json.loads(done.stdout)["spans"]
    assert [span["label"] for span in spans] == ["DATE", "DOCTOR"]
    assert "warning: 1 annotations of the source" in done.stderr


@pytest.mark.parametrize("format", ["brat", "jsonl"])
def test_a_corpus_of_spans_that_marks_nothing_is_refused(
    format: str, tmp_path: Path, capsys: Capture
) -> None:
    """A brat folder whose only .ann is missing is plain text: nothing of it would be masked."""
    notes = tmp_path / "notes"
    notes.mkdir()
    if format == "brat":
        (notes / "a.txt").write_text(TEXT)
    else:
        write_jsonl([Document("a", "p", TEXT)], notes / "a.jsonl")
    out = tmp_path / ("out" if format == "brat" else "out.jsonl")
    done = deidlab(capsys, "mask", notes, "--spans", notes, "--out", out, "--key-file", write_key(tmp_path))
    assert done.status == 1
    assert "marks nothing in any note (--spans)" in done.err
    assert not out.exists() and MISSED not in done.err
