"""What is written follows the name that was asked for, or is refused: never JSON lines in a `.csv`."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus, recognise_format, write_corpus
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl

NOTES = [make_note(number) for number in range(3)]
MASK = ("--rules", "only", "--style", "tag", "--workers", "1", "-q")
ONE_FILE = {
    "a.csv": "csv",
    "a.tsv": "csv",
    "a.jsonl": "jsonl",
    "a.parquet": "parquet",
    "a.conll": "conll",
    "a.bilou": "conll-bilou",
    "a.xml": "i2b2-2006",
}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write_corpus(NOTES, tmp_path / "gold.jsonl", "jsonl")
    return tmp_path / "gold.jsonl"


@pytest.mark.parametrize("name", ONE_FILE)
@pytest.mark.parametrize("source", ["gold.jsonl", "folder"])
def test_masked_notes_are_written_in_the_format_of_the_new_name(
    name: str, source: str, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if source == "folder" and name == "a.xml":
        pytest.skip("a folder of XML stays one, whatever it is called")
    write_corpus(NOTES, tmp_path / "folder", "i2b2")
    done = deidlab(capsys, "mask", tmp_path / source, "--out", tmp_path / name, "--ids", "keep", *MASK)
    assert done.status == 0, done.err
    assert recognise_format(tmp_path / name).name == ONE_FILE[name]
    assert [note.id for note in read_corpus(tmp_path / name)] == [note.id for note in NOTES]
    for note in read_corpus(tmp_path / name):
        assert "BP" in note.text and "20" not in note.text.replace("120/80", "")


def test_columns_that_are_kept_are_columns_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "BP 120/80.", "ward": "b"}\n', "utf-8")
    done = deidlab(capsys, "mask", tmp_path / "a.jsonl", "--out", tmp_path / "a.csv", "--keep-column",
                   "ward", *MASK)  # fmt: skip
    assert done.status == 0, done.err
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["text"], row["ward"]) == ("BP 120/80.", "b")


def test_the_file_of_a_note_becomes_the_file_of_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(NOTES[0].text, "utf-8")
    for name, wanted in (("b.txt", "txt"), ("b.xml", "i2b2"), ("b.tagged.txt", "inline"), ("b.csv", "csv")):
        done = deidlab(capsys, "mask", tmp_path / "a.txt", "--out", tmp_path / name, *MASK)
        assert done.status == 0, done.err
        assert recognise_format(tmp_path / name).name == wanted
        (note,) = read_corpus(tmp_path / name)
        assert "BP 120/80" in note.text


@pytest.mark.parametrize("name", ["a.txt", "a.tagged.txt"])
def test_many_notes_in_the_file_of_one_are_refused(
    name: str, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = deidlab(capsys, "mask", gold, "--out", tmp_path / name, *MASK)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "its name says" in done.err and "jsonl would be written" in done.err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("command", [("corpus", "convert"), ("detect",)])
def test_a_name_and_a_format_that_disagree_are_refused(
    command: tuple[str, ...], gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ("--out", tmp_path / "a.csv") if command == ("detect",) else (tmp_path / "a.csv",)
    done = deidlab(capsys, *command, gold, *out, "--to", "jsonl")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "its name says csv, and jsonl would be written" in done.err
    assert not (tmp_path / "a.csv").exists()


def test_a_name_that_says_nothing_leaves_the_format_to_the_source(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = deidlab(capsys, "mask", gold, "--out", tmp_path / "masked", *MASK)
    assert done.status == 0, done.err
    assert len(read_jsonl(tmp_path / "masked")) == len(NOTES)


@pytest.mark.parametrize(
    ("name", "wanted"), [("made.csv", "csv"), ("made.jsonl", "jsonl"), ("made", "jsonl")]
)
def test_notes_that_are_made_follow_the_name_too(
    name: str, wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = deidlab(capsys, "corpus", "make", tmp_path / name, "--notes", "2")
    assert done.status == 0, done.err
    assert recognise_format(tmp_path / name).name == wanted
    done = deidlab(capsys, "corpus", "merge", f"a={tmp_path / name}", "--out", tmp_path / f"all-{name}")
    assert done.status == 0, done.err
    assert recognise_format(tmp_path / f"all-{name}").name == wanted
