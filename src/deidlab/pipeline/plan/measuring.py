"""A corpus in, what a sample of it takes on this machine out: the figures that a plan is made of.

The sample is masked for real, into a folder that is gone afterwards, and looked at while it runs: how long
each stage takes, how much of the processor this process and the workers use, and what lies on the disk.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from deidlab.errors import CorpusError
from deidlab.machine import n_cores
from deidlab.pipeline.io.file_sink import open_file_sink
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.settings import SinkSettings

FINDING, SETTLING, MASKING, WRITING = "finding", "settling", "masking", "writing"
# What comes before is starting up and warming up.
_WARM = 0.25
_NOTES_A_POINT = 64
_ROWS = "out.jsonl"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: seconds before its first note, then seconds a note, by the clock and of the processor.

    `driver` is what this process uses, `worker` what the workers use between them.
    """

    start: float
    wall: float
    driver: float
    worker: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What the sample took; bytes on disk are those a note."""

    n_notes: int
    n_failed: int
    characters: float
    workers: int
    cores: int
    stages: dict[str, Stage]
    driver_bytes: int
    worker_bytes: int
    state_bytes: float
    part_bytes: float
    output_bytes: float
    record_bytes: float
    busy: float


@dataclass(frozen=True, slots=True)
class _Point:
    """At some moment: notes that a stage has done, the clock, and the processor so far."""

    n_notes: int
    clock: float
    driver: float
    workers: float


@dataclass(slots=True)
class _Watcher:
    """Told of every handful of notes; looks at the clock, the processes and the run's folder."""

    run_folder: Path
    points: dict[str, list[_Point]] = field(default_factory=dict)
    n_done: dict[str, int] = field(default_factory=dict)
    worker_bytes: int = 0
    state_bytes: int = 0
    part_bytes: int = 0
    gone: float = 0.0
    seen: dict[int, float] = field(default_factory=dict)

    def __call__(self, stage: str, n: int) -> None:
        first = stage not in self.points
        self.n_done[stage] = self.n_done.get(stage, 0) + n
        if first and stage == WRITING:
            self.state_bytes = _size(self.run_folder / "state.sqlite")
            self.part_bytes = _size(self.run_folder / "parts")
        points = self.points.setdefault(stage, [])
        if first or stage != WRITING or self.n_done[stage] % _NOTES_A_POINT == 0:
            points.append(self.look(self.n_done[stage]))

    def look(self, n_notes: int) -> _Point:
        running = dict(_children())
        # Of processes that have ended what was last seen of them counts.
        self.gone += sum(cpu for pid, cpu in self.seen.items() if pid not in running)
        self.seen = {pid: cpu for pid, (cpu, _) in running.items()}
        self.worker_bytes = max([self.worker_bytes, *(size for _, size in running.values())])
        return _Point(n_notes, time.perf_counter(), time.process_time(), self.gone + sum(self.seen.values()))


def measure_sample(job: MaskJob, n_notes: int) -> Measured:
    """Mask that many notes of the job's source with its settings; nothing of it stays."""
    workers = max(2, job.workers)
    with tempfile.TemporaryDirectory(prefix="deidlab-plan-") as name:
        destination = Path(name) / _name(job)
        sample = replace(
            job, source=replace(job.source, limit=n_notes), destination=destination, workers=workers,
            map_file=None, sink=None, execute=None, overwrite=False,
        )  # fmt: skip
        watcher = _Watcher(Path(name) / f".{destination.name}.deidlab-run")
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        started = watcher.look(0)
        outcome = mask_corpus(sample, watcher)
        ended = watcher.look(n_notes)
        read, masked = outcome.record["notes"], outcome.record["masked"]
        if not masked:
            raise CorpusError("no note of the sample could be masked: there is nothing to plan with")
        record = Path(name) / f"{destination.name}.deidlab"
        return Measured(
            n_notes=read,
            n_failed=read - masked,
            characters=outcome.record["characters"] / masked,
            workers=workers,
            cores=n_cores(),
            stages=_stages(watcher, started, ended),
            driver_bytes=_peak_bytes(),
            worker_bytes=watcher.worker_bytes or _largest_child(),
            state_bytes=watcher.state_bytes / read,
            part_bytes=watcher.part_bytes / read,
            output_bytes=_size(outcome.destination) / read,
            record_bytes=_size(record) / read,
            busy=load,
        )


def _name(job: MaskJob) -> str:
    """A name for the sample's output that gives it the format of the job's."""
    if job.sink is not None:
        return _ROWS
    source = open_source(job.source)
    named = job.destination if job.destination.suffix or source.format else Path(_ROWS)
    format = open_file_sink(SinkSettings(named), source).format
    return "out" if format.is_note_a_file else f"out{format.suffixes[0]}"


def _stages(watcher: _Watcher, started: _Point, ended: _Point) -> dict[str, Stage]:
    finding, masking = watcher.points[FINDING], watcher.points[MASKING]
    writing = watcher.points[WRITING]
    n_notes = max(1, watcher.n_done[FINDING])
    # By the processor and not by the clock, which also runs while the workers of the first pass end.
    settling = masking[0].driver - finding[-1].driver
    return {
        FINDING: _fit([replace(finding[0], n_notes=0, clock=started.clock), *finding[1:]]),
        SETTLING: Stage(0.0, settling / n_notes, settling / n_notes, 0.0),
        MASKING: _fit(masking),
        WRITING: _fit([replace(masking[-1], n_notes=0), *writing[1:], replace(ended, n_notes=n_notes)]),
    }


def _fit(points: list[_Point]) -> Stage:
    """A straight line through the points after the first quarter; what it leaves over is starting up."""
    first, last = points[0], points[-1]
    warm = [point for point in points[1:-1] if point.n_notes >= _WARM * last.n_notes]
    begin = warm[0] if warm else first
    n_notes = last.n_notes - begin.n_notes
    if n_notes <= 0:
        begin, n_notes = first, max(1, last.n_notes - first.n_notes)
    wall = (last.clock - begin.clock) / n_notes
    return Stage(
        start=max(0.0, last.clock - first.clock - wall * last.n_notes),
        wall=wall,
        driver=(last.driver - begin.driver) / n_notes,
        worker=max(0.0, last.workers - begin.workers) / n_notes,
    )


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path.stat().st_size if path.exists() else 0


def _children() -> Iterator[tuple[int, tuple[float, int]]]:
    """This process's children, where the system tells: processor seconds and resident bytes of each."""
    tick, page = (
        os.sysconf(name) if name in os.sysconf_names else 1 for name in ("SC_CLK_TCK", "SC_PAGE_SIZE")
    )
    for pid in _child_numbers():
        try:
            cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield pid, ((int(cells[11]) + int(cells[12])) / tick, int(cells[21]) * page)


def _child_numbers() -> Iterable[int]:
    try:
        lists = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    except OSError:
        return []
    return [int(pid) for each in lists for pid in each.split()]


def _peak_bytes() -> int:
    return _maxrss(resource.RUSAGE_SELF)


def _largest_child() -> int:
    return _maxrss(resource.RUSAGE_CHILDREN)


def _maxrss(who: int) -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit
