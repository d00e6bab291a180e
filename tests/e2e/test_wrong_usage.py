"""Commands given wrongly: exit status 2 and one line at once, and no note is listed as failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
SECRET = "Zebulon"
MASK = ("mask", "SRC", "--out", "OUT", "--rules", "only")
DETECT = ("detect", "SRC", "--out", "OUT.jsonl", "--rules", "only")

MISUSES = [
    (MASK, "t.csv", ("--text-column", "body"), "there is no column 'body' (--text-column)"),
    (MASK, "t.csv", ("--id-column", "mrn"), "there is no column 'mrn' (--id-column)"),
    (MASK, "t.csv", ("--patient-column", "who"), "there is no column 'who' (--patient-column)"),
    (MASK, "t.csv", ("--keep-column", "ward"), "there is no column 'ward' (--keep-column)"),
    (MASK, "t.csv", ("--keep-column", "text"), "--keep-column text"),
    (MASK, "semicolons.csv", (), "there is no column 'text' (--text-column) in its one column"),
    (MASK, "latin.csv", (), "is not utf-8; name the right one with --encoding"),
    (MASK, "t.csv", ("--encoding", "utf-9"), "unknown encoding 'utf-9'"),
    (MASK, "latin.txt", (), "the note is not utf-8; name the right one with --encoding"),
    (MASK, "n.jsonl", ("--text-column", "body"), "--text-column is for tables"),
    (MASK, "n.jsonl", ("--style", "surogate"), "--style: unknown value 'surogate'; known: redact, tag, surrogate"),
    (MASK, "n.jsonl", ("--rules", "yes"), "--rules: unknown value 'yes'; known: on, off, only"),
    (MASK, "n.jsonl", ("--ensemble", "both"), "--ensemble: unknown value 'both'; known: union, vote, mean"),
    (MASK, "n.jsonl", ("--ids", "no"), "--ids: unknown value 'no'; known: pseudonyms, keep"),
    (MASK, "n.jsonl", ("--engine", "spark"), "--engine: unknown value 'spark'; known: local, ray"),
    (MASK, "n.jsonl", ("--policy", "hippa"), "(known: gdpr, i2b2, limited-dataset, phipa, safe-harbor)"),
    (MASK, "n.jsonl", ("--from", "qqq"), "unknown format 'qqq'; known:"),
    (MASK, "n.jsonl", ("--patient-from", "("), "--patient-from: not a regular expression"),
    (DETECT, "n.jsonl", ("--labels", "qqq"), "unknown label set 'qqq'; known:"),
    (DETECT, "n.jsonl", ("--to", "qqq"), "unknown format 'qqq'; known:"),
    (DETECT, "n.jsonl", ("--from", "qqq"), "unknown format 'qqq'; known:"),
    (DETECT, "n.jsonl", ("--rules", "yes"), "--rules: unknown value 'yes'; known: on, off, only"),
    (DETECT, "n.jsonl", ("--engine", "spark"), "--engine: unknown value 'spark'; known: local, ray"),
    (DETECT, "t.csv", ("--text-column", "body"), "there is no column 'body' (--text-column)"),
    (DETECT, "latin.csv", (), "is not utf-8; name the right one with --encoding"),
    (("train",), "n.jsonl", (), "say what to train on"),
    (("pretrain",), "n.jsonl", (), "say what to learn from"),
]  # fmt: skip


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    (tmp_path / "t.csv").write_text(f"id,text\n1,Seen by {SECRET}\n")
    (tmp_path / "semicolons.csv").write_text(f"id;text\n1;Seen by {SECRET}\n")
    (tmp_path / "latin.csv").write_bytes(f"id,text\n1,Seen by {SECRET} \xe9\n".encode("latin-1"))
    (tmp_path / "latin.txt").write_bytes(f"Seen by {SECRET} \xe9\n".encode("latin-1"))
    return tmp_path


@pytest.mark.parametrize(("command", "source", "more", "said"), MISUSES)
def test_wrong_usage_is_told_at_once(
    command: tuple[str, ...], source: str, more: tuple[str, ...], said: str, sources: Path, capsys: Capture
) -> None:
    places = {"SRC": sources / source, "OUT": sources / "out", "OUT.jsonl": sources / "out.jsonl"}
    done = deidlab(capsys, *(places.get(word, word) for word in command), *more)
    assert done.status == 2, done.err
    (line,) = [line for line in done.err.splitlines() if not line.startswith("no key file")]
    assert line.startswith("deidlab: ") and said in line
    assert SECRET not in done.err
    assert not list(sources.glob("out*")) and not list(sources.glob(".out*"))


def test_a_table_without_a_header_is_not_quoted(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "t.csv").write_text(f"1,Seen by {SECRET}\n2,Again\n")
    done = deidlab(capsys, "mask", tmp_path / "t.csv", "--out", tmp_path / "out.csv", "--rules", "only")
    assert done.status == 2 and SECRET not in done.err


def test_a_folder_of_tables_is_told_by_number(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / f"{SECRET}.csv").write_text("id,body\n1,Well\n")
    done = deidlab(capsys, "mask", folder, "--out", tmp_path / "out", "--rules", "only")
    assert done.status == 2 and SECRET not in done.err and "file 1" in done.err
    # One such table among others fails alone.
    (folder / "a.csv").write_text("id,text\n1,Well\n")
    done = deidlab(capsys, "mask", folder, "--out", tmp_path / "out", "--rules", "only")
    assert done.status == 3 and SECRET not in done.err and "1 note failed" in done.err


NESTED = 20_000


@pytest.mark.parametrize("option", ["--policy", "--calibration", "--known", "--spans"])
def test_files_that_are_nested_too_deeply_take_one_line(option: str, tmp_path: Path, capsys: Capture) -> None:
    source = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    suffix = {"--policy": ".toml", "--calibration": ".json"}.get(option, ".jsonl")
    deep = tmp_path / f"deep{suffix}"
    deep.write_text(f"a = {'[' * NESTED}\n" if suffix == ".toml" else "[" * NESTED)
    more: list[str | Path] = [option, deep]
    if option == "--calibration":
        (tmp_path / "wants.toml").write_text('like = "i2b2"\nrecall = 0.5\n')
        more += ["--policy", tmp_path / "wants.toml"]
    done = deidlab(capsys, "mask", source, "--out", tmp_path / "o.jsonl", "--rules", "only", "--key-file",
                   write_key(tmp_path), *more)  # fmt: skip
    assert done.status in (1, 3) and "internal" not in done.err and "Recursion" not in done.err
    assert len(done.err.splitlines()) <= 2


@pytest.mark.parametrize("command", [("study", "plan", "DEEP"), ("study", "run", "DEEP"),
                                     ("train", "NOTES", "--model", "m", "--out", "OUT", "--settings", "DEEP")])  # fmt: skip
def test_specs_that_are_nested_too_deeply_take_one_line(
    command: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    (tmp_path / "deep.toml").write_text(f"a = {'[' * NESTED}\n")
    places = {"DEEP": tmp_path / "deep.toml", "NOTES": tmp_path / "n.jsonl", "OUT": tmp_path / "out"}
    done = deidlab(capsys, *(places.get(word, word) for word in command))
    assert done.status == 1 and len(done.err.splitlines()) == 1
    assert "internal" not in done.err and "Recursion" not in done.err
