"""A sentinel name in a note, every stage made to fail on Ray: the name reaches no stream, no log, no file of Ray's.

The nodes are kept until their folder has been searched: Ray's logs, what it spilled, what it knows of tasks and actors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deidlab.execute import Setup
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from tests.e2e.poison import Through
from tests.e2e.test_leaks import FIRST, LAST, TEXT, Room, room
from tests.ray_nodes import Nodes, running_nodes
from tests.unit.pipeline.notes import KEY, make_note, write_jsonl

pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")

from deidlab.execute.ray.executor import RayExecutor
from deidlab.execute.ray.settings import RaySettings

assert room  # the fixture of the leak tests, used by name


@dataclass(frozen=True)
class Spoilt:
    """The setup as it is, but a note with the sentinel makes its worker do what libraries do at their worst."""

    setup: Setup[Any, Any]
    stage: str

    def __repr__(self) -> str:
        return "Spoilt"

    def __call__(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        work = self.setup()

        def spoilt(items: Sequence[Any]) -> Sequence[Any]:
            notes = [item[0] if isinstance(item, tuple) else item for item in items]
            text = "; ".join(note.document.text for note in notes if note.document)
            if LAST in text:
                spoil(self.stage, text)
            return work(items)

        return spoilt


def spoil(stage: str, text: str) -> None:
    if stage == "quote":
        try:
            int(text)
        except ValueError as cause:
            raise RuntimeError(text) from cause
    if stage == "crash":
        os._exit(9)
    if stage == "memory":
        raise MemoryError(text)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with running_nodes(1, 2) as nodes:
        yield nodes


def write_source(folder: Path, format: str, big: bool) -> Path:
    notes = [make_note(number) for number in range(80)]
    notes.insert(3, Document(f"{LAST.lower()}-7", f"{FIRST} {LAST}", TEXT * (4000 if big else 1)))
    if format == "jsonl":
        return write_jsonl(notes, folder / "notes.jsonl", with_spans=False)
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": each.id, "patient": each.patient, "text": each.text} for each in notes]
    pq.write_table(pa.Table.from_pylist(rows), folder / "notes.parquet")
    return folder / "notes.parquet"


def refuse_leaks(folders: Sequence[Path], *streams: str) -> None:
    left = {str(path): path.read_bytes() for each in folders for path in each.rglob("*") if path.is_file()}
    assert left
    for name, data in {**left, **{f"stream {k}": each.encode() for k, each in enumerate(streams)}}.items():
        for word in (FIRST, LAST):
            assert word.lower().encode() not in data.lower(), f"{word} reached {name}"
            assert word.encode("utf-16-le") not in data
    assert not [name for name in left if LAST.lower() in name.lower()]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_nothing_of_a_note_is_left_on_the_nodes(
    nodes: Nodes, tmp_path: Path, format: str, capfd: pytest.CaptureFixture[str]
) -> None:
    private, public = tmp_path / "private", tmp_path / "public"
    for folder in (private, public):
        folder.mkdir()
    (private / "deny.txt").write_text(f"{FIRST}\n{LAST}\n")
    settings = MaskSettings(load_policy("i2b2"), "surrogate", KEY)
    finding = Finding(rules="only", deny=private / "deny.txt")
    with RayExecutor(RaySettings(nodes.address, max_workers=1, tries=1)) as executor:
        for stage in ("", "quote", "crash", "memory", "big") if format == "jsonl" else ("big", "crash"):
            source = write_source(private, format, stage == "big")
            out = public / f"{stage or 'well'}{source.suffix}"
            outcome = mask_corpus(
                MaskJob(
                    SourceSettings(source), out, finding, settings, execute=Through(executor, stage, Spoilt)
                )
            )
            assert [each.number for each in outcome.failures] == ([] if stage in ("", "big") else [4])
            assert outcome.record["masked"] == 81 - len(outcome.failures)
        # In the first pass the worker of all notes and then of the one alone; rows of Parquet also come to the second.
        assert executor.n_fallen in (2, 3, 4)
    refuse_leaks((nodes.folder, public), *capfd.readouterr())


@pytest.mark.parametrize("stage", [pytest.param("detect", marks=pytest.mark.slow), "crash-mask"])
def test_the_command_says_nothing_and_leaves_nothing(room: Room, stage: str) -> None:
    done = room.run(stage, "--engine", "ray", "--tries", "1")
    assert done.returncode == 3, done.stderr
    room.refuse_leaks(done.stdout, done.stderr)
    assert b"Traceback" not in done.stderr and done.stdout == b""
    assert (room.folder / "out.jsonl").read_text().count("\n") == 80
    assert b"failed: note 4 (d" in done.stderr
    assert not list((room.folder / "tmp").iterdir())
