"""`deidlab mask --engine ray`: the bytes of the local way, whatever dies meanwhile; and its record and resume.

Nodes are real Ray nodes on this machine. Workers are killed with SIGKILL, nodes end with all their processes, at
random moments of the run; what the seeds give is what happens. The slow test does it at fifty.
"""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deidlab.execute import Executor, Local
from deidlab.mask import Crosswalk, MaskSettings, load_policy
from deidlab.pipeline.counting import count_corpus
from deidlab.pipeline.detecting import detect_corpus, write_files
from deidlab.pipeline.jobs import DetectJob, MaskJob
from deidlab.pipeline.masking import MaskOutcome, mask_corpus
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from tests.e2e.command import deidlab_process
from tests.e2e.poison import MARK, Through
from tests.ray_nodes import Nodes, running_nodes
from tests.unit.pipeline.notes import KEY, make_note, read_jsonl, write_jsonl, write_key

pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")

from deidlab.execute.ray.executor import RayExecutor
from deidlab.execute.ray.settings import RaySettings

N_NOTES = 1500
POISON = 700


def notes(n: int = N_NOTES) -> list[Document]:
    """Notes of three to a patient, one of them with the mark."""
    made = [make_note(number) for number in range(n)]
    if n > POISON:
        made[POISON] = Document("bad", "p-bad", f"Mr. {MARK} was seen on 03/04/2065.\n")
    return made


def write_source(folder: Path, format: str, n: int = N_NOTES) -> Path:
    if format == "jsonl":
        return write_jsonl(notes(n), folder / "notes.jsonl", with_spans=False)
    if format == "txt":
        for note in notes(n):
            path = folder / "notes" / note.patient / f"{note.id}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(note.text)
        return folder / "notes"
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": note.id, "patient": note.patient, "text": note.text} for note in notes(n)]
    path = folder / "notes.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=200)
    return path


def mask(source: Path, out: Path, execute: Executor) -> MaskOutcome:
    settings = MaskSettings(load_policy("i2b2"), "surrogate", KEY)
    return mask_corpus(MaskJob(SourceSettings(source), out, Finding(rules="only"), settings, execute=execute))


@dataclass
class Undisturbed:
    """A source, and what the local way makes of it."""

    source: Path
    out: Path
    failures: list[int] = field(default_factory=list)

    @classmethod
    def make(cls, folder: Path, format: str, how: str) -> Undisturbed:
        folder.mkdir(parents=True)
        source = write_source(folder, format)
        out = folder / f"local{source.suffix}"
        outcome = mask(source, out, Through(Local(2), how))
        return cls(source, out, [each.number for each in outcome.failures])


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    # What a person waits for when a machine is cut off is half a minute; a test need not.
    with running_nodes(health_check_period_ms=500, health_check_failure_threshold=4) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def executor(nodes: Nodes) -> Iterator[RayExecutor]:
    with RayExecutor(RaySettings(nodes.address, max_workers=2)) as executor:
        yield executor


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def undisturbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed.make(tmp_path_factory.mktemp("source") / request.param, request.param, "crash")


class Meanwhile(threading.Thread):
    """Work in another thread, since nodes can be added in the main one only."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self.outcome: Any = None
        self.error: BaseException | None = None
        self.seconds = 0.0
        self.start()

    def run(self) -> None:
        started = time.monotonic()
        try:
            self.outcome = self._work()
        except BaseException as error:
            self.error = error
        self.seconds = time.monotonic() - started

    def result(self) -> Any:
        self.join(300)
        assert not self.is_alive(), "the run does not end"
        if self.error is not None:
            raise self.error
        return self.outcome


def disturb(nodes: Nodes, kind: str, chance: random.Random) -> bool:
    if kind == "worker":
        return nodes.kill_a_worker(chance)
    nodes.lose_one(chance)
    nodes.add()
    return True


def survive(
    nodes: Nodes,
    executor: Executor,
    whole: Undisturbed,
    out: Path,
    seed: int,
    seconds: float,
    n_moments: int = 1,
) -> tuple[list[str], float]:
    """Mask while things die at moments that the seed decides; raises unless the output is the local one's."""
    chance = random.Random(seed)
    moments = sorted(chance.uniform(0.0, seconds) for _ in range(n_moments))
    kinds = [chance.choice(("worker", "worker", "node")) for _ in moments]
    running = Meanwhile(lambda: mask(whole.source, out, Through(executor, "crash")))
    started, done = time.monotonic(), []
    for moment, kind in zip(moments, kinds, strict=True):
        time.sleep(max(0.0, started + moment - time.monotonic()))
        alive = running.is_alive()
        if disturb(nodes, kind, chance) and alive:
            done.append(kind)
    outcome: MaskOutcome = running.result()
    assert [each.number for each in outcome.failures] == whole.failures == [POISON + 1]
    assert out.read_bytes() == whole.out.read_bytes()
    return done, running.seconds


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_note_that_takes_all_memory_is_listed(tmp_path: Path) -> None:
    """Ray ends workers when a node's memory runs out, here 2.5 GB above what is in use now, and whoever is to blame.

    It has a cluster of its own, and a process is in one at a time: so it comes before those that share theirs.
    """
    import psutil

    memory = psutil.virtual_memory()
    if memory.available < 5e9:
        pytest.skip("less than 5 GB of memory are free")
    source = write_source(tmp_path, "jsonl", 900)
    used = (memory.total - memory.available + 2.5e9) / memory.total
    with (
        running_nodes(1, 2, memory_usage_threshold=used, memory_monitor_refresh_ms=100) as nodes,
        RayExecutor(RaySettings(nodes.address, max_workers=2, tries=5)) as executor,
    ):
        outcome = mask(source, tmp_path / "out.jsonl", Through(executor, "memory"))
        assert executor.n_fallen >= 6
    (failure,) = outcome.failures
    assert failure.number == POISON + 1 and "out of memory?" in failure.reason
    mask(source, tmp_path / "local.jsonl", Through(Local(2), "crash"))
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()


def test_without_a_death_it_is_the_local_output(nodes: Nodes, executor: RayExecutor, tmp_path: Path) -> None:
    source = write_source(tmp_path, "txt", 300)
    for name, execute in (("local", Local(1)), ("ray", executor)):
        mask(source, tmp_path / name, execute)
    found = {path.name: path.read_bytes() for path in (tmp_path / "ray").iterdir()}
    assert found == {path.name: path.read_bytes() for path in (tmp_path / "local").iterdir()}
    assert len(found) == 300
    records = [(tmp_path / f"{name}.deidlab" / "notes.jsonl").read_bytes() for name in ("local", "ray")]
    assert records[0] == records[1]


@pytest.mark.slow
def test_codes_that_were_drawn_go_with_the_notes(executor: RayExecutor, tmp_path: Path) -> None:
    source = write_source(tmp_path, "parquet", 150)
    crosswalk = Crosswalk.new(tmp_path / "s.xwalk", KEY)
    settings = MaskSettings(
        load_policy("i2b2"), "surrogate", crosswalk.key, codes="random", crosswalk=crosswalk
    )
    for name, execute in (("ray", executor), ("local", Local(1))):
        job = MaskJob(SourceSettings(source), tmp_path / f"{name}.jsonl", Finding(rules="only"), settings,
                      execute=execute)  # fmt: skip
        assert not mask_corpus(job).failures
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()
    assert Crosswalk.open(tmp_path / "s.xwalk", KEY).counts() == {"patient": 50, "document": 150}


def test_marking_and_counting_are_the_local_ones(executor: RayExecutor, tmp_path: Path) -> None:
    source = SourceSettings(write_source(tmp_path, "parquet", 150))
    finding, settings = Finding(rules="only"), MaskSettings(load_policy("i2b2"), "tag", KEY)
    counts, marked = [], []
    for name, execute in (("local", Local(1)), ("ray", executor)):
        counts.append(count_corpus(source, finding, settings, execute, False, lambda stage, n: None))
        job = DetectJob(source, tmp_path / f"{name}.jsonl", finding, execute=execute)
        assert detect_corpus(job, write_files(job), lambda stage, n: None).n_notes == 150
        marked.append((tmp_path / f"{name}.jsonl").read_bytes())
    assert counts[0] == counts[1] and counts[0].n_notes == 150
    assert marked[0] == marked[1]


def test_whatever_dies_each_note_is_there_once(
    nodes: Nodes, executor: RayExecutor, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Two moments in a run of each format; a note that kills its workers is in each of them."""
    seed = len(undisturbed.source.suffix)
    survive(nodes, executor, undisturbed, tmp_path / f"out{undisturbed.source.suffix}", seed, 4.0, 2)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_fifty_random_moments(
    nodes: Nodes, executor: RayExecutor, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Twenty-five of each format, one a run, anywhere between its beginning and its end.

    A run that ends before its moment was faster than thought: the next ones are taken to be as fast.
    """
    suffix = undisturbed.source.suffix
    quiet = Meanwhile(lambda: mask(undisturbed.source, tmp_path / f"q{suffix}", Through(executor, "crash")))
    quiet.result()
    taken: list[str] = []
    times: list[float] = []
    expected = quiet.seconds
    seeds = itertools.count(0 if suffix == ".jsonl" else 100)
    while len(taken) < 25:
        assert len(times) < 60
        seed = next(seeds)
        done, seconds = survive(nodes, executor, undisturbed, tmp_path / f"{seed}{suffix}", seed, expected)
        taken += done
        times.append(seconds)
        expected = expected if done else min(expected, seconds)
    told = ", ".join(f"{taken.count(kind)} {kind}s" for kind in ("worker", "node"))
    sys.stderr.write(
        f"\n{suffix}: {told} lost while running, in {len(times)} runs; {quiet.seconds:.1f} s undisturbed, "
        f"{sum(times) / len(times):.1f} s on average, {max(times):.1f} s at most\n"
    )


def test_a_driver_that_is_killed_goes_on_with_either_engine(tmp_path: Path) -> None:
    """Begun with Ray, killed, gone on with the local way: each note once, as if nothing had happened."""
    key, source, out = write_key(tmp_path), write_source(tmp_path, "parquet", 1200), tmp_path / "out.parquet"
    parts = tmp_path / ".out.parquet.deidlab-run" / "parts"
    command = ["mask", source, "--out", out, "--rules", "only", "--key-file", key, "--workers", "2", "-q"]
    process = subprocess.Popen(
        [sys.executable, "-m", "deidlab", *map(str, command), "--engine", "ray"], stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 120
    while len(list(parts.glob("*.part"))) < 2:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.part")}
    assert 2 <= len(kept) < 24
    assert deidlab_process(*command).status == 0
    whole = tmp_path / "whole.parquet"
    assert deidlab_process(*command[:3], whole, *command[4:]).status == 0
    assert out.read_bytes() == whole.read_bytes()


def test_the_command(tmp_path: Path) -> None:
    """From a shell, with a Ray of its own: the same bytes, and a record that tells who worked."""
    key, source = write_key(tmp_path), write_source(tmp_path, "jsonl", 200)
    options = ["--rules", "only", "--key-file", key, "--workers", "2"]
    for name, more in (("local", []), ("ray", ["--engine", "ray"])):
        done = deidlab_process("mask", source, "--out", tmp_path / f"{name}.jsonl", *options, *more)
        assert (done.status, done.out) == (0, ""), done.err
        assert "masked 200 notes" in done.err and len(done.err.splitlines()) == 2
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()
    assert len(read_jsonl(tmp_path / "ray.jsonl")) == 200
    import json

    records = [
        json.loads((tmp_path / f"{name}.jsonl.deidlab/record.json").read_text()) for name in ("local", "ray")
    ]
    assert records[0]["engine"] == "local" and records[1]["engine"] == "ray"
    for record in records:
        for field_ in ("engine", "workers", "fallen", "processors", "seconds", "finished", "provenance"):
            record.pop(field_, None)
    assert records[0] == records[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--address", "auto"], "are for --engine ray"),
        (["--engine", "spark"], "--engine: unknown value 'spark'; known: local, ray"),
        (["--engine", "ray", "--address", "127.0.0.1:1"], "no Ray answers at 127.0.0.1:1"),
        (["--engine", "ray", "--gpus-per-worker", "1.5"], "a fraction of one, or whole ones"),
        (["--engine", "ray", "--address", "ray://127.0.0.1:10001"], "--address is auto or HOST:PORT"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path: Path, options: list[str], said: str) -> None:
    key, source = write_key(tmp_path), write_source(tmp_path, "jsonl", 3)
    done = deidlab_process(
        "mask", source, "--out", tmp_path / "out.jsonl", "--rules", "only", "--key-file", key, *options
    )
    assert done.status in (1, 2) and said in done.err and "Traceback" not in done.err
    assert not (tmp_path / "out.jsonl").exists()


def test_standard_input_is_masked_here() -> None:
    done = deidlab_process(
        "mask", "-", "--out", "-", "--rules", "only", "--engine", "ray", input="Mr. Raman\n"
    )
    assert (done.status, done.out) == (2, "") and "standard input is masked here" in done.err
