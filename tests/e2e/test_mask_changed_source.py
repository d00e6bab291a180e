"""A run goes on only with the source that it began with: one that grew, shrank or changed is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deidlab.pipeline import masking
from deidlab.pipeline.io import pinning
from deidlab.pipeline.masking import settle_patients
from deidlab.pipeline.run.parts import Parts
from deidlab.pipeline.run.state import State
from tests.clinics import COLUMNS, Clinic
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
N_NOTES = 200
REFUSED = "is not the source that this run began with"


class Killed(BaseException):
    """Ends a run as a kill does, but for this process."""


def kill_after(monkeypatch: pytest.MonkeyPatch, where: type, method: str, times: int) -> None:
    real, calls = getattr(where, method), []

    def counted(*args: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) > times:
            raise Killed
        return real(*args, **more)

    monkeypatch.setattr(where, method, counted)


def begin(arguments: list[str | Path], stage: str, capsys: Capture) -> None:
    where = {"finding": (State, "put_task"), "masking": (Parts, "put")}[stage]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        kill_after(patch, *where, 2)
        deidlab(capsys, *arguments)


def command(source: str | Path, folder: Path, name: str = "mask") -> list[str | Path]:
    key = ["--key-file", write_key(folder)] if name == "mask" else []
    return [name, source, "--out", folder / "out.jsonl", "--rules", "only", "--workers", "1", "-q", *key]


def grow(path: Path) -> None:
    write_jsonl((make_note(n) for n in range(N_NOTES + 3)), path, with_spans=False)


def shrink(path: Path) -> None:
    write_jsonl((make_note(n) for n in range(N_NOTES - 3)), path, with_spans=False)


def edit(path: Path) -> None:
    """The same size, and the same time of its last change."""
    facts = path.stat()
    path.write_text(path.read_text().replace("Okonjo", "Okonja"))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def touch(path: Path) -> None:
    os.utime(path, ns=(0, 0))


@pytest.mark.parametrize("change", [grow, shrink, edit, Path.unlink])
@pytest.mark.parametrize("stage", ["finding", "masking"])
def test_a_file_that_changed_since_a_kill_is_refused(
    stage: str, change: Callable[[Path], None], tmp_path: Path, capsys: Capture
) -> None:
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl", with_spans=False)
    begin(command(source, tmp_path), stage, capsys)
    change(source)
    done = deidlab(capsys, *command(source, tmp_path))
    assert done.status == 1 and not (tmp_path / "out.jsonl").exists()
    assert done.err.count("\n") == 1 and (REFUSED in done.err or change is Path.unlink)
    if source.exists():
        assert "--overwrite" in done.err
        done = deidlab(capsys, *command(source, tmp_path), "--overwrite")
        assert done.status == 0
        assert len(read_jsonl(tmp_path / "out.jsonl")) == len(read_jsonl(source))


@pytest.mark.parametrize("stage", ["finding", "masking"])
def test_a_file_that_was_only_touched_goes_on(stage: str, tmp_path: Path, capsys: Capture) -> None:
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl", with_spans=False)
    begin(command(source, tmp_path), stage, capsys)
    touch(source)
    assert deidlab(capsys, *command(source, tmp_path)).status == 0
    assert len(read_jsonl(tmp_path / "out.jsonl")) == N_NOTES


def test_where_all_is_too_large_to_be_read_again_times_tell(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pinning, "MAX_BYTES", 100)
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl", with_spans=False)
    begin(command(source, tmp_path), "masking", capsys)
    touch(source)
    done = deidlab(capsys, *command(source, tmp_path))
    assert done.status == 1 and REFUSED in done.err and "too large to tell" in done.err


@pytest.mark.parametrize("change", ["add", "remove", "edit", "sidecar"])
def test_a_folder_that_changed_since_a_kill_is_refused(change: str, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    for number in range(N_NOTES):
        (source / f"{number:03}.txt").write_text(make_note(number).text)
    arguments = command(source, tmp_path)
    arguments[3] = tmp_path / "out"
    begin(arguments, "masking", capsys)
    if change == "add":
        (source / "300.txt").write_text("Well.")
    elif change == "remove":
        (source / "000.txt").unlink()
    elif change == "edit":
        edit(source / "000.txt")
    else:
        (source / "000.meta.json").write_text('{"patient": "another"}')
    done = deidlab(capsys, *arguments)
    assert done.status == 1 and REFUSED in done.err and "300" not in done.err


def test_given_spans_that_changed_since_a_kill_are_refused(tmp_path: Path, capsys: Capture) -> None:
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl")
    spans = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "s.jsonl")
    arguments = [*command(source, tmp_path), "--spans", spans]
    begin(arguments, "masking", capsys)
    spans.write_text(spans.read_text().replace("PATIENT", "DOCTOR"))
    done = deidlab(capsys, *arguments)
    assert done.status == 1 and REFUSED in done.err


@pytest.mark.parametrize("change", [grow, shrink, edit])
def test_detecting_refuses_a_changed_source_too(
    change: Callable[[Path], None], tmp_path: Path, capsys: Capture
) -> None:
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl", with_spans=False)
    begin(command(source, tmp_path, "detect"), "masking", capsys)
    change(source)
    done = deidlab(capsys, *command(source, tmp_path, "detect"))
    assert done.status == 1 and REFUSED in done.err


@pytest.mark.parametrize(
    ("change", "n_failed", "why"),
    [(grow, 3, "it was not there when the run began"), (shrink, 3, "it is not there any more")],
)
def test_notes_that_come_or_go_between_the_passes_fail(
    change: Callable[[Path], None],
    n_failed: int,
    why: str,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = write_jsonl((make_note(n) for n in range(N_NOTES)), tmp_path / "n.jsonl", with_spans=False)

    def settle(*arguments: Any) -> None:
        settle_patients(*arguments)
        change(source)

    monkeypatch.setattr(masking, "settle_patients", settle)
    done = deidlab(capsys, *command(source, tmp_path))
    assert done.status == 3 and done.err.count(why) == n_failed
    assert len(read_jsonl(tmp_path / "out.jsonl")) == N_NOTES - (n_failed if change is shrink else 0)


CHANGES = {
    "insert": "INSERT INTO notes SELECT nr + 1, 'new', mrn, body, ward, seen, price FROM notes WHERE nr = 5000000003",
    "delete": "DELETE FROM notes WHERE nr = 5000000003",
    "update": "UPDATE notes SET body = 'Seen by Dr. Quixwell.' WHERE nr = 5000000003",
}


@pytest.mark.parametrize("change", ["delete", "update", "insert"])
@pytest.mark.parametrize("stage", ["finding", "masking"])
def test_a_table_that_changed_since_a_kill_is_refused(
    stage: str, change: str, tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
    clinic = Clinic("sqlite", tmp_path)
    clinic.fill(make_note(number) for number in range(N_NOTES))
    arguments = [*command(clinic.url("notes"), tmp_path), *COLUMNS]
    begin(arguments, stage, capsys)
    clinic.execute(CHANGES[change])
    done = deidlab(capsys, *arguments)
    assert done.status == 1 and REFUSED in done.err and "Quixwell" not in done.err


@pytest.mark.parametrize("stage", ["finding", "masking"])
def test_a_table_that_did_not_change_goes_on(stage: str, tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
    clinic = Clinic("sqlite", tmp_path)
    clinic.fill(make_note(number) for number in range(N_NOTES))
    arguments = [*command(clinic.url("notes"), tmp_path), *COLUMNS]
    begin(arguments, stage, capsys)
    done = deidlab(capsys, *arguments)
    assert done.status == 0, done.err
    assert len(read_jsonl(tmp_path / "out.jsonl")) == N_NOTES
