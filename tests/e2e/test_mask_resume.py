"""Kill -9 in the middle of 10,000 notes, twice, and go on: each note exactly once, as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key

N_NOTES = 10_000


def start(source: Path, out: Path, key: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--spans", str(source), "--out", str(out),
               "--key-file", str(key), "--workers", "2", "-q"]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_when(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not reached():
        assert process.poll() is None, "the run was over before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.communicate()


@pytest.mark.timeout(900)
def test_a_run_killed_in_both_passes_goes_on(tmp_path: Path) -> None:
    key = write_key(tmp_path)
    source = write_jsonl((make_note(number) for number in range(N_NOTES)), tmp_path / "notes.jsonl")
    out, partial = tmp_path / "out.jsonl", tmp_path / ".out.jsonl.deidlab-run"
    state, parts = partial / "state.sqlite", partial / "parts"
    # The spans that were given take some 2 MB; beyond that the first pass is filling the state.
    kill_when(start(source, out, key), lambda: state.exists() and state.stat().st_size > 3_000_000)
    assert not list(parts.glob("*.part")) and not out.exists()
    kill_when(start(source, out, key), lambda: len(list(parts.glob("*.part"))) >= 40)
    done_before = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.part")}
    assert not out.exists() and len(done_before) < N_NOTES / 64
    for path in (path for path in partial.rglob("*") if path.is_file()):
        assert b"Okonjo" not in path.read_bytes()
    last = start(source, out, key)
    kept = wait_and_see(last, parts, done_before)
    assert last.returncode == 0
    assert kept, "finished parts were made again"
    assert not partial.exists()

    whole = tmp_path / "whole.jsonl"
    untouched = start(source, whole, key)
    untouched.communicate()
    assert untouched.returncode == 0
    rows = read_jsonl(out)
    assert len(rows) == len({row["id"] for row in rows}) == N_NOTES
    assert out.read_bytes() == whole.read_bytes()


def wait_and_see(process: subprocess.Popen[bytes], parts: Path, before: dict[str, int]) -> bool:
    """Whether the parts of the killed run stayed as they were while the last one worked."""
    kept = True
    while process.poll() is None:
        for path in list(parts.glob("*.part"))[:5]:
            try:
                kept &= path.name not in before or path.stat().st_mtime_ns == before[path.name]
            except FileNotFoundError:
                break
        time.sleep(0.05)
    process.communicate()
    return kept
