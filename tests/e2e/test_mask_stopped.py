"""A run that is stopped, or whose disk is full: one line that says so, and the same command goes on."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.run import find, state
from deidlab.pipeline.run.parts import Parts
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
GOES_ON = "what is finished is kept, and the same command goes on from there"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_key(tmp_path)
    return write_jsonl((make_note(number) for number in range(300)), tmp_path / "n.jsonl", with_spans=False)


def arguments(source: Path, command: str = "mask") -> list[str | Path]:
    key = ["--key-file", source.parent / "site.key"] if command == "mask" else []
    return [command, source, "--out", source.parent / "out.jsonl", "--rules", "only", "--workers", "1", *key]


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def full_sqlite(*_: Any, **__: Any) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"
    raise error


@pytest.mark.parametrize("command", ["mask", "detect"])
def test_a_full_disk_is_told_and_the_same_command_goes_on(
    command: str, source: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = Parts._write, []

    def write(self: Parts, path: Path, data: bytes) -> None:
        if len(written) >= 3:
            full_disk()
        written.append(path)
        real(self, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Parts, "_write", write)
        done = deidlab(capsys, *arguments(source, command))
    out = source.parent / "out.jsonl"
    assert done.status == 1 and not out.exists()
    assert done.err == f"deidlab: no space left on the disk that holds {out}; {GOES_ON}\n"
    kept = {path: path.stat().st_mtime_ns for path in written}
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "put", (put := Parts.put) and (lambda *a: again.append(a[1]) or put(*a)))
        again: list[int] = []
        done = deidlab(capsys, *arguments(source, command))
    assert done.status == 0 and len(read_jsonl(out)) == 300
    assert len(kept) == 3 and not {0, 1, 2} & set(again)


def test_a_full_disk_under_the_state_is_told(
    source: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state.State, "put_task", full_sqlite)
    done = deidlab(capsys, *arguments(source))
    assert done.status == 1 and "no space left on the disk that holds" in done.err
    assert "internal" not in done.err


def test_a_full_disk_where_a_worker_works_ends_the_run_and_fails_no_note(
    source: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find.detect

    def detect(notes: Sequence[Note], *more: Any) -> Any:
        return full_disk() if notes[0].number > 100 else real(notes, *more)

    with monkeypatch.context() as patch:
        patch.setattr(find, "detect", detect)
        done = deidlab(capsys, *arguments(source))
    assert done.status == 1 and "no space left on" in done.err and "failed" not in done.err
    assert deidlab(capsys, *arguments(source)).status == 0
    assert len(read_jsonl(source.parent / "out.jsonl")) == 300


def test_standard_output_that_is_full_is_told(source: Path) -> None:
    command = [sys.executable, "-m", "deidlab", *map(str, arguments(source))]
    command[command.index("--out") + 1] = "-"
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "no space left" in done.stderr and "internal" not in done.stderr


def has_tasks(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return bool(db.execute("SELECT count(*) FROM tasks").fetchone()[0])
    except sqlite3.Error:
        return False  # being written


@pytest.mark.parametrize("command", ["mask", "detect"])
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_says_one_line(command: str, sent: signal.Signals, status: int, tmp_path: Path) -> None:
    write_key(tmp_path)
    source = write_jsonl((make_note(n) for n in range(20_000)), tmp_path / "n.jsonl", with_spans=False)
    run = tmp_path / ".out.jsonl.deidlab-run"
    process = subprocess.Popen(
        [sys.executable, "-m", "deidlab", *map(str, arguments(source, command))],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not has_tasks(run / "state.sqlite"):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert err == f"deidlab: stopped; {GOES_ON}\n"
    assert run.exists()


def test_a_command_that_keeps_nothing_says_that_it_was_stopped(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("deidlab.mask.keys.new_key", interrupt)
    done = deidlab(capsys, "key", "new", tmp_path / "k")
    assert (done.status, done.err) == (130, "deidlab: stopped\n")
