"""`deidlab detect` killed on its way goes on where it stopped; a stream of any length keeps memory flat."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl

Capture = pytest.CaptureFixture[str]


def start(source: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deidlab", "detect", str(source), "--out", str(out), "--rules", "only",
               "--word-scores", str(out.with_suffix(".words")), "--workers", "2", "-q"]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.timeout(900)
def test_a_killed_run_goes_on(tmp_path: Path, capsys: Capture) -> None:
    n_notes = 1500
    notes = [make_note(number) for number in range(n_notes)]
    source = write_jsonl(notes, tmp_path / "notes.jsonl", with_spans=False)
    out, partial = tmp_path / "out.jsonl", tmp_path / ".out.jsonl.deidlab-run"
    process = start(source, out)
    deadline = time.monotonic() + 240
    while len(list(partial.glob("parts/*.part"))) < 5:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = {path.name: path.stat().st_mtime_ns for path in partial.glob("parts/*.part")}
    assert not out.exists() and 5 <= len(done) < n_notes / 64
    assert not any(b"Okonjo" in path.read_bytes() for path in partial.rglob("*") if path.is_file())
    other = deidlab(capsys, "detect", source, "--out", out, "--rules", "only", "--threshold", "0.9")
    assert other.status == 1 and "an unfinished run with other settings" in other.err
    process = start(source, out)
    kept = True
    while process.poll() is None:
        for path in list(partial.glob("parts/*.part"))[:8]:
            try:
                kept &= path.name not in done or path.stat().st_mtime_ns == done[path.name]
            except FileNotFoundError:
                break
        time.sleep(0.02)
    process.communicate()
    assert process.returncode == 0 and kept and not partial.exists()
    whole = tmp_path / "whole.jsonl"
    arguments = ("--rules", "only", "--word-scores", tmp_path / "whole.words", "--workers", "1", "-q")
    assert deidlab(capsys, "detect", source, "--out", whole, *arguments).status == 0
    assert out.read_bytes() == whole.read_bytes()
    assert (tmp_path / "out.words").read_bytes() == (tmp_path / "whole.words").read_bytes()
    assert [row["id"] for row in read_jsonl(out)] == [note.id for note in notes]


def test_a_source_that_changes_on_the_way_is_told(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deidlab.pipeline import detecting

    source = write_jsonl([make_note(1), make_note(2)], tmp_path / "notes.jsonl")
    whole = detecting.find_all

    def find_and_change(*arguments: object) -> None:
        whole(*arguments)  # type: ignore[arg-type]
        write_jsonl([make_note(1), make_note(3)], source)

    monkeypatch.setattr(detecting, "find_all", find_and_change)
    done = deidlab(capsys, "detect", source, "--out", tmp_path / "out.jsonl", "--rules", "only")
    assert done.status == 1 and "changed while it was read" in done.err
    assert not (tmp_path / "out.jsonl").exists()


def peak_of_a_stream(tmp_path: Path, n_notes: int) -> int:
    """KiB that masking a stream of so many notes took at most."""
    source = tmp_path / f"{n_notes}.jsonl"
    with source.open("w") as file:
        for number in range(n_notes):
            text = make_note(number % 30).text + "Chest clear, wound dry, home soon. " * 300
            file.write(json.dumps({"id": f"s{number}", "text": text}) + "\n")
    code = (
        "import resource, sys; from deidlab.cli.app import run; "
        "run(['mask', '-', '--from', 'jsonl', '--out', '-', '--rules', 'only', '-q']); "
        "sys.stdout.flush(); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    with source.open("rb") as stream:
        done = subprocess.run([sys.executable, "-c", code], stdin=stream, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == n_notes and b"Okonjo" not in done.stdout
    return int(done.stderr.split()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in KiB on Linux")
def test_a_stream_keeps_memory_flat(tmp_path: Path) -> None:
    few, many = peak_of_a_stream(tmp_path, 50), peak_of_a_stream(tmp_path, 600)
    # Six hundred of these notes are 6 MB, and several times that where they are held with what became of them.
    assert many - few < 6_000
