"""A sentinel name is planted and every stage made to fail in turn: the name reaches nothing but the source.

The command runs as from a shell. A `sitecustomize` on its path breaks one stage, in the main process and in workers, with
an exception that quotes the note, as libraries do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from deidlab.types import Document
from tests.unit.pipeline.notes import make_note, write_jsonl, write_key

FIRST, LAST = "Zebulon", "Quillfeather"
TEXT = f"Patient: {LAST}, {FIRST}. Mr. {LAST} was seen on 03/04/2065 at 12 {LAST} Lane. Call {FIRST}.\n"
BREAK = """
import os, sys, time
stage = os.environ.get("BROKEN_STAGE")

def spoil(owner, name, how):
    whole = getattr(owner, name)
    def spoiled(*arguments, **options):
        notes = [note for each in arguments for note in (each if isinstance(each, (list, tuple)) else [each])]
        texts = [note.text for note in notes if hasattr(note, "text")]
        if any("Quillfeather" in text for text in texts):
            how("; ".join(texts))
        return whole(*arguments, **options)
    setattr(owner, name, spoiled)

def quote(text):
    try:
        int(text)
    except ValueError as cause:
        raise RuntimeError(text) from cause

def die(text):
    os.write(1, b"")
    os._exit(9)

def full(text):
    raise OSError(28, "No space left on device")

def dawdle(*_):
    time.sleep(60)

if stage:
    import deidlab.detect.detector as detector, deidlab.mask.masker as masker, deidlab.mask.state as state
    import deidlab.pipeline.run.parts as parts, deidlab.pipeline.io.file_sink as sink, deidlab.pipeline.io.notes as source
    import deidlab.pipeline.masking as masking, deidlab.pipeline.run.mask as work, deidlab.pipeline.restoring as restoring

    def write_half(self, path, notes, *more):
        next(iter(notes))
        quote("Quillfeather")
    {
        "read": lambda: spoil(source, "build_document", quote),
        "detect": lambda: spoil(detector.Detector, "detect", quote),
        "facts": lambda: spoil(masker.Masker, "facts", quote),
        "mask": lambda: spoil(masker.Masker, "mask", quote),
        "hold": lambda: spoil(work, "masked_document", quote),
        "crash-detect": lambda: spoil(detector.Detector, "detect", die),
        "crash-mask": lambda: spoil(masker.Masker, "mask", die),
        "memory": lambda: spoil(masker.Masker, "mask", lambda text: (_ for _ in ()).throw(MemoryError(text))),
        "settle": lambda: setattr(state.PatientState, "from_facts", staticmethod(lambda facts: quote("Quillfeather"))),
        "disk": lambda: setattr(parts.Parts, "_write", lambda self, path, data: full("Quillfeather")),
        "write": lambda: setattr(sink.FileSink, "write_to", lambda *a, **k: quote("Quillfeather")),
        "slow": lambda: setattr(masking, "_write", dawdle),
        "restore": lambda: setattr(restoring, "restore_text", lambda *a: quote("Quillfeather")),
        "restore-write": lambda: setattr(sink.FileSink, "write_to", write_half),
        "restore-disk": lambda: setattr(sink.FileSink, "write_to", lambda *a, **k: full("Quillfeather")),
    }[stage]()
"""
NOTE_STAGES = ("read", "detect", "facts", "mask", "hold", "crash-detect", "crash-mask", "memory")
RUN_STAGES = ("settle", "disk", "write")


@dataclass(frozen=True)
class Room:
    """A place where everything that a run leaves can be looked through."""

    folder: Path
    private: Path

    def command(self, *more: str) -> tuple[list[str], dict[str, str]]:
        command = [sys.executable, "-m", "deidlab", "mask", str(self.private / "notes.jsonl"), "--out",
                   str(self.folder / "out.jsonl"), "--rules", "only", "--deny", str(self.private / "deny.txt"),
                   "--key-file", str(self.private / "site.key"), "--workers", "2", *more]  # fmt: skip
        path = os.pathsep.join((str(self.private), os.environ.get("PYTHONPATH", "")))
        return command, {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self.folder / "tmp")}

    def run(self, stage: str, *more: str) -> subprocess.CompletedProcess[bytes]:
        command, environment = self.command(*more)
        return subprocess.run(
            command,
            env={**environment, "BROKEN_STAGE": stage},
            capture_output=True,
            timeout=120,
            cwd=self.folder,
        )

    def refuse_leaks(self, *streams: bytes) -> None:
        left = {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        for name, data in {**left, **{f"stream {k}": each for k, each in enumerate(streams)}}.items():
            for word in (FIRST, LAST):
                assert word.lower().encode() not in data.lower(), f"{word} reached {name}"
                assert word.encode("utf-16-le") not in data
        assert not [name for name in left if LAST.lower() in name.lower()]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    folder, private = tmp_path / "room", tmp_path / "private"
    (folder / "tmp").mkdir(parents=True)
    private.mkdir()
    # Two tasks, so that workers are at work, with the sentinel among other notes in the first.
    notes = [make_note(number) for number in range(80)]
    notes.insert(3, Document(f"{LAST.lower()}-7", f"{FIRST} {LAST}", TEXT))
    write_jsonl(notes, private / "notes.jsonl", with_spans=False)
    (private / "deny.txt").write_text(f"{FIRST}\n{LAST}\n")
    (private / "sitecustomize.py").write_text(BREAK)
    write_key(private)
    return Room(folder, private)


def test_a_run_that_goes_well(room: Room) -> None:
    done = room.run("")
    assert done.returncode == 0, done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    assert (room.folder / "out.jsonl").read_text().count("\n") == 81


@pytest.mark.parametrize("stage", NOTE_STAGES)
def test_a_note_that_fails_is_left_out_and_says_nothing(room: Room, stage: str) -> None:
    done = room.run(stage)
    assert done.returncode == 3, done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    assert b"Traceback" not in done.stderr
    assert (room.folder / "out.jsonl").read_text().count("\n") == 80
    assert b"failed: note 4 (d" in done.stderr


@pytest.mark.parametrize("stage", RUN_STAGES)
def test_a_run_that_fails_writes_nothing_and_says_nothing(room: Room, stage: str) -> None:
    done = room.run(stage)
    assert done.returncode == 1, done.stderr
    assert not (room.folder / "out.jsonl").exists()
    assert b"Traceback" not in done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    again = room.run("")
    assert again.returncode == 0, again.stderr
    room.refuse_leaks(again.stdout, again.stderr)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="started where Ctrl-C is ignored"
)
def test_a_run_that_is_ended_leaves_nothing_of_a_note(room: Room, number: signal.Signals) -> None:
    command, environment = room.command("-q")
    process = subprocess.Popen(
        command, env={**environment, "BROKEN_STAGE": "slow"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while len(list(room.folder.glob(".out*/parts/*.part"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode in (-number, 128 + number)
    assert list(room.folder.glob(".out*/parts/*.part")), "the finished parts are kept for the next run"
    room.refuse_leaks(out, err)


@pytest.mark.parametrize("stage", ["", "read", "detect", "facts", "mask", "memory", "crash-mask"])
def test_a_stream_says_nothing_and_leaves_nothing(room: Room, stage: str) -> None:
    _, environment = room.command()
    command = [sys.executable, "-m", "deidlab", "mask", "-", "--from", "jsonl", "--out", "-", "--rules", "only",
               "--deny", str(room.private / "deny.txt"), "--key-file", str(room.private / "site.key"),
               "--keep-map", str(room.folder / "map")]  # fmt: skip
    environment |= {"BROKEN_STAGE": stage, "DEIDLAB_MAP_PASSPHRASE": "correct horse"}
    with (room.private / "notes.jsonl").open("rb") as stream:
        done = subprocess.run(command, env=environment, stdin=stream, capture_output=True, timeout=120)
    assert done.returncode == {"": 0, "crash-mask": 9}.get(stage, 3), done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    assert not list((room.folder / "tmp").iterdir())
    if stage != "crash-mask":
        assert len(done.stdout.splitlines()) == (80 if stage else 81)


@pytest.mark.parametrize("stage", ["read", "detect", "crash-detect"])
def test_marking_says_nothing_of_what_failed(room: Room, stage: str) -> None:
    _, environment = room.command()
    command = [sys.executable, "-m", "deidlab", "detect", str(room.private / "notes.jsonl"), "--out",
               str(room.folder / "found.jsonl"), "--rules", "only", "--workers", "2"]  # fmt: skip
    done = subprocess.run(
        command, env={**environment, "BROKEN_STAGE": stage}, capture_output=True, timeout=120
    )
    assert done.returncode == 3 and b"left out: note 4: " in done.stderr
    # The other notes are in the clear, as they should be; the one that failed is nowhere.
    room.refuse_leaks(done.stdout, done.stderr)
    assert (room.folder / "found.jsonl").read_text().count("\n") == 80


def spoil_nothing(_map: Path, _masked: Path) -> None:
    pass


def damage_map(map_file: Path, _masked: Path) -> None:
    data = bytearray(map_file.read_bytes())
    data[len(data) // 2] ^= 1
    map_file.write_bytes(data)


def cut_map(map_file: Path, _masked: Path) -> None:
    map_file.write_bytes(map_file.read_bytes()[:-20])


def change_note(_map: Path, masked: Path) -> None:
    masked.write_text(masked.read_text().replace("[PATIENT-1]", "[PATIENT-9]"))


def strange_note(_map: Path, masked: Path) -> None:
    masked.write_text(masked.read_text() + '{"id": "nobody", "text": "none"}\n')


@pytest.mark.parametrize(
    ("stage", "spoil", "passphrase"),
    [
        ("restore", spoil_nothing, "correct horse"),
        ("restore-write", spoil_nothing, "correct horse"),
        ("restore-disk", spoil_nothing, "correct horse"),
        ("", damage_map, "correct horse"),
        ("", cut_map, "correct horse"),
        ("", change_note, "correct horse"),
        ("", strange_note, "correct horse"),
        ("", spoil_nothing, "wrong battery"),
    ],
)
def test_a_way_back_that_fails_restores_nothing_and_says_nothing(
    room: Room, stage: str, spoil: Callable[[Path, Path], None], passphrase: str
) -> None:
    map_file, masked = room.private / "map", room.folder / "out.jsonl"
    command, environment = room.command("--keep-map", str(map_file), "-q")
    environment["DEIDLAB_MAP_PASSPHRASE"] = "correct horse"
    assert subprocess.run(command, env=environment, capture_output=True, timeout=120).returncode == 0
    spoil(map_file, masked)
    back = [sys.executable, "-m", "deidlab", "restore", str(masked), "--map", str(map_file), "--out"]
    done = subprocess.run(
        [*back, str(room.folder / "restored.jsonl")],
        env=environment | {"BROKEN_STAGE": stage, "DEIDLAB_MAP_PASSPHRASE": passphrase},
        capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done.stderr
    assert not (room.folder / "restored.jsonl").exists()
    room.refuse_leaks(done.stdout, done.stderr)


def test_a_bad_key(room: Room) -> None:
    (room.private / "site.key").write_bytes(b"short")
    done = room.run("")
    assert done.returncode == 1 and b"at least 16 bytes" in done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    assert [path.name for path in room.folder.iterdir()] == ["tmp"]


UNREADABLE = (
    f'{{"id": "x", "text": "{LAST}'.encode(),
    f'{{"id": "x", "txt": "{LAST}"}}'.encode(),
    f'{{"id": "x", "text": "{LAST} '.encode() + b'\xff"}',
    f'{{"id": "x", "text": "{LAST}", "spans": [{{"start": 0, "end": 99, "label": "DATE"}}]}}'.encode(),
    f'{{"id": "{LAST}", "text": "{LAST} \\ud800"}}'.encode(),
)


def test_notes_that_cannot_be_read(room: Room) -> None:
    with (room.private / "notes.jsonl").open("ab") as file:
        file.writelines(line + b"\n" for line in UNREADABLE)
    done = room.run("")
    assert done.returncode == 3, done.stderr
    for number in range(82, 82 + len(UNREADABLE)):
        assert f"failed: note {number} (d".encode() in done.stderr
    room.refuse_leaks(done.stdout, done.stderr)


def test_the_audit_of_what_failed(room: Room) -> None:
    assert room.run("mask").returncode == 3
    report = room.folder / "audit.html"
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "audit",
        str(room.folder / "out.jsonl"),
        "--report",
        str(report),
    ]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "internal error (RuntimeError" in report.read_text()
    room.refuse_leaks(done.stdout, done.stderr)
