"""`--overwrite` replaces what a run of ours wrote, and nothing else; no output touches what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.corpus import write_corpus
from deidlab.corpus.files import complete_folder
from deidlab.errors import CorpusError
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
OVERLAP = "is, holds or lies inside what is read"
FOREIGN = "that this command did not write"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_key(tmp_path)
    write_corpus([make_note(number) for number in range(3)], tmp_path / "notes", "brat")
    return tmp_path / "notes"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def mask(capsys: Capture, source: Path, out: Path, *more: str | Path) -> tuple[int, str]:
    folder = source.parent if source.is_absolute() else Path()
    key = next(path for path in (folder / "site.key", folder.parent / "site.key") if path.exists())
    done = deidlab(capsys, "mask", source, "--out", out, "--rules", "only", "--key-file", key, "-q", *more)
    return done.status, done.err


@pytest.mark.parametrize("where", ["notes", "notes/below", ".", "link", "notes/../notes"])
@pytest.mark.parametrize("command", ["mask", "detect"])
def test_an_output_that_touches_its_source_is_refused(
    command: str, where: str, notes: Path, capsys: Capture
) -> None:
    (notes.parent / "link").symlink_to(notes)
    before = tree(notes)
    arguments = [command, notes, "--out", notes.parent / where, "--rules", "only", "--overwrite"]
    done = deidlab(capsys, *arguments)
    assert done.status == 1 and OVERLAP in done.err
    assert tree(notes) == before


def test_a_file_is_not_masked_onto_itself(tmp_path: Path, capsys: Capture) -> None:
    write_key(tmp_path)
    source = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    before = source.read_bytes()
    for more in ((), ("--keep-map", source), ("--failures", source), ("--known", source)):
        out = source if more in ((), ("--known", source)) else tmp_path / "o.jsonl"
        status, err = mask(capsys, source, out, "--overwrite", *more)
        assert status == 1 and OVERLAP in err
        assert source.read_bytes() == before


def test_files_that_no_run_wrote_stay(notes: Path, capsys: Capture) -> None:
    out = notes.parent / "out"
    assert mask(capsys, notes, out)[0] == 0
    (out / "thesis.txt").write_text("mine")
    before = tree(out)
    status, err = mask(capsys, notes, out, "--overwrite")
    assert status == 1 and "holds a file that this command did not write" in err and "thesis" not in err
    assert tree(out) == before
    (out / "thesis.txt").unlink()
    assert mask(capsys, notes, out, "--overwrite")[0] == 0
    beside = notes.parent / "out.deidlab"
    (beside / "remarks.md").write_text("mine")
    status, err = mask(capsys, notes, out, "--overwrite")
    assert status == 1 and FOREIGN in err and (beside / "remarks.md").exists()


def test_a_folder_without_a_record_is_not_ours(notes: Path, capsys: Capture) -> None:
    out = notes.parent / "other"
    write_corpus([make_note(number) for number in range(5)], out, "brat")
    before = tree(out)
    status, err = mask(capsys, notes, out, "--overwrite")
    assert status == 1 and "15 files that this command did not write" in err
    assert tree(out) == before


def test_marking_again_replaces_the_same_notes_only(notes: Path, capsys: Capture) -> None:
    out = notes.parent / "marked"
    arguments = ("detect", notes, "--out", out, "--rules", "only", "-q")
    assert deidlab(capsys, *arguments).status == 0
    assert deidlab(capsys, *arguments, "--overwrite").status == 0
    (out / "mine.txt").write_text("mine")
    done = deidlab(capsys, *arguments, "--overwrite")
    assert done.status == 1 and FOREIGN in done.err and (out / "mine.txt").exists()


def test_a_folder_is_replaced_only_by_files_of_the_same_kind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_corpus([make_note(0)], out, "brat")
    write_corpus([make_note(1)], out, "brat", overwrite=True)
    (out / "table.xlsx").write_text("mine")
    with pytest.raises(CorpusError, match=FOREIGN), complete_folder(out, overwrite=True) as folder:
        (folder / "a.txt").write_text("new")
    assert (out / "table.xlsx").exists() and not [
        path for path in tmp_path.iterdir() if "partial" in path.name
    ]


def test_an_audit_leaves_a_file_beside_its_page(notes: Path, capsys: Capture) -> None:
    out = notes.parent / "out"
    mask(capsys, notes, out)
    mine = notes.parent / "audit.json"
    mine.write_text("mine")
    done = deidlab(capsys, "audit", out, "--report", notes.parent / "audit.html")
    assert done.status == 1 and mine.read_text() == "mine"


def test_training_does_not_take_the_folder_of_its_notes(notes: Path, capsys: Capture) -> None:
    for out in (notes, notes.parent, notes / "run"):
        done = deidlab(capsys, "train", notes, "--model", "m", "--out", out, "--overwrite")
        assert done.status == 1 and OVERLAP in done.err


@pytest.mark.parametrize("format", ["jsonl", "brat"])
def test_what_holds_originals_is_for_its_owner_alone(
    format: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    write_key(tmp_path)
    suffix = ".jsonl" if format == "jsonl" else ""
    source, out, back, marked = (tmp_path / f"{name}{suffix}" for name in ("src", "out", "back", "marked"))
    write_corpus([make_note(number) for number in range(3)], source, format)
    failures = tmp_path / "failures"
    failures.touch(0o644)
    mask(capsys, source, out, "--keep-map", tmp_path / "map", "--failures", failures, "--overwrite")
    assert deidlab(capsys, "restore", out, "--map", tmp_path / "map", "--out", back).status == 0
    assert deidlab(capsys, "detect", source, "--out", marked, "--rules", "only").status == 0
    for path in (back, marked, tmp_path / "map", failures):
        for each in (path, *path.rglob("*")):
            assert each.stat().st_mode & 0o077 == 0, each


def test_what_a_killed_restore_left_is_private_and_goes_with_the_next(
    notes: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    folder = notes.parent
    mask(capsys, notes, folder / "out", "--keep-map", folder / "map")
    arguments = ("restore", folder / "out", "--map", folder / "map", "--out", folder / "back")
    seen: list[int] = []

    class Killed(BaseException):
        pass

    def look(*_: object, **__: object) -> None:
        seen.extend(p.stat().st_mode & 0o777 for p in folder.rglob("*") if ".deidlab-restore" in str(p))
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("deidlab.pipeline.restoring.put_in_place", look)
        patch.setattr("shutil.rmtree", lambda *a, **k: None)
        deidlab(capsys, *arguments)
    assert seen and all(mode & 0o077 == 0 for mode in seen)
    assert list(folder.glob(".back.deidlab-restore")) and not (folder / "back").exists()
    assert deidlab(capsys, *arguments).status == 0
    assert not list(folder.glob(".back.*")) and tree(folder / "back") == tree(notes)


@pytest.mark.parametrize("command", ["convert", "split", "merge", "make"])
def test_a_corpus_command_never_writes_over_what_it_reads(
    command: str, tmp_path: Path, capsys: Capture
) -> None:
    source = write_jsonl([make_note(0), make_note(1)], tmp_path / "n.jsonl")
    before = source.read_bytes()
    arguments: dict[str, list[str | Path]] = {
        "convert": [source, source, "--to", "jsonl"],
        "split": [source, "--out", source],
        "merge": [f"a={source}", "--out", source],
        "make": [source, "--base", source],
    }
    done = deidlab(capsys, "corpus", command, *arguments[command], "--overwrite")
    assert done.status == 1 and "write somewhere else" in done.err
    assert source.read_bytes() == before
