"""Measured costs in, the time, memory, disk and money of a whole run out.

    find and mask:  N x max(worker / (W x e), driver)     workers and the process that reads, side by side
    settle, write:  N x seconds                           that process alone

with N notes, W workers, `worker` and `driver` the processor seconds a note that were measured, and e how much
of what its cores offer a pass has. One process reads, keeps the record and writes: it sets a ceiling that
more machines do not lift, and the plan says where that is. On this machine, with as many workers as were
measured, the seconds a note are those of the sample's own clock.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from deidlab.errors import ConfigError
from deidlab.pipeline.plan.measuring import FINDING, MASKING, SETTLING, WRITING, Measured

# What the process that keeps the record holds in memory for every note: its list of finished parts, and the
# patients that it counts (measured from 1,000 to 100,000 notes: docs/scale.md).
BYTES_A_NOTE = 16
_PASSES = (FINDING, MASKING)
# What is taken for a cluster's, where nobody else is at work.
EFFICIENCY = 0.9


@dataclass(frozen=True, slots=True)
class Machines:
    """What a run may use: `gpu_speed` is the notes a second that one GPU finds PHI in."""

    name: str
    nodes: int
    cores: int
    workers: int
    gpus: int = 0
    gpu_speed: float | None = None
    price_per_hour: float | None = None
    here: bool = False

    @property
    def all_gpus(self) -> int:
        return self.nodes * self.gpus


@dataclass(frozen=True, slots=True)
class Forecast:
    """A run of that many notes on these machines; `limits` says for each stage what it waits for."""

    machines: Machines
    n_notes: int
    seconds: dict[str, float]
    limits: dict[str, str]
    start: float
    driver_bytes: int
    worker_bytes: int
    node_bytes: int
    disk_bytes: dict[str, int]
    cost: float | None

    @property
    def total_seconds(self) -> float:
        return self.start + sum(self.seconds.values())

    def as_dict(self) -> dict[str, Any]:
        whole = {"total_seconds": self.total_seconds, "notes_per_second": self.n_notes / self.total_seconds}
        return {**asdict(self), **whole, "disk_total_bytes": sum(self.disk_bytes.values())}


def this_machine(measured: Measured, workers: int, price_per_hour: float | None = None) -> Machines:
    return Machines("this machine", 1, measured.cores, workers, price_per_hour=price_per_hour, here=True)


def idle_machine(measured: Measured, workers: int, price_per_hour: float | None = None) -> Machines:
    """This machine with nobody else at work on it."""
    return Machines("this machine, idle", 1, measured.cores, workers, price_per_hour=price_per_hour)


def is_busy(measured: Measured) -> bool:
    """Whether others were at work when the sample was measured."""
    return measured.busy > 0.5 * measured.cores


def cluster(
    nodes: int, cores: int, gpus: int = 0, gpu_speed: float | None = None, price_per_hour: float | None = None
) -> Machines:
    """A cluster's machines; one core is left to the process that reads and writes."""
    if gpus and gpu_speed is None:
        raise ConfigError(
            "--gpus needs --gpu-speed: the notes a second that one GPU of yours finds PHI in, measured with "
            "this model (nothing here can measure that for you)"
        )
    return Machines("the cluster", nodes, cores, max(1, nodes * cores - 1), gpus, gpu_speed, price_per_hour)


def forecast(measured: Measured, n_notes: int, machines: Machines, longer: float = 1.0) -> Forecast:
    """What a run of that many notes takes there; they are so many times longer than the sample's."""
    seconds, limits = {}, {}
    for stage in (FINDING, SETTLING, MASKING, WRITING):
        cost, limits[stage] = _seconds_a_note(measured, stage, machines)
        seconds[stage] = cost * n_notes * longer
    start = sum(measured.stages[stage].start for stage in _PASSES)
    total = start + sum(seconds.values())
    price = machines.price_per_hour
    disk = {
        "state": measured.state_bytes,
        "parts": measured.part_bytes,
        "output": measured.output_bytes,
        "record": measured.record_bytes,
    }
    return Forecast(
        machines=machines,
        n_notes=n_notes,
        seconds=seconds,
        limits=limits,
        start=start,
        driver_bytes=measured.driver_bytes + BYTES_A_NOTE * n_notes,
        worker_bytes=measured.worker_bytes,
        node_bytes=-(-machines.workers // machines.nodes) * measured.worker_bytes,
        disk_bytes={name: int(size * n_notes * longer) for name, size in disk.items()},
        cost=None if price is None else machines.nodes * price * total / 3600,
    )


def _seconds_a_note(measured: Measured, stage: str, machines: Machines) -> tuple[float, str]:
    """Seconds a note in one stage, and what it waits for."""
    found = measured.stages[stage]
    if stage not in _PASSES:
        # Where nobody else is at work, the clock runs little longer than the processor.
        return (found.wall if machines.here else min(found.wall, found.driver / EFFICIENCY)), "this process"
    if machines.here and machines.workers == measured.workers:
        return found.wall, "cores" if found.driver < found.wall * 0.9 else "this process"
    e = efficiency(measured, stage) if machines.here else EFFICIENCY
    ways = {"workers": found.worker / (machines.workers * e), "this process": found.driver}
    if stage == FINDING and machines.all_gpus:
        assert machines.gpu_speed is not None
        ways = {"GPUs": 1 / (machines.all_gpus * machines.gpu_speed), "this process": found.driver}
    elif machines.nodes == 1:
        ways["cores"] = (found.worker + found.driver) / (machines.cores * e)
    limit = max(ways, key=lambda way: ways[way])
    return ways[limit], limit


def efficiency(measured: Measured, stage: str) -> float:
    """The share of what the cores offer that a pass of the sample really had; others' work lowers it."""
    found = measured.stages[stage]
    offered = min(measured.cores, measured.workers + 1) * found.wall
    return min(1.0, max(0.01, (found.worker + found.driver) / offered)) if offered > 0 else 1.0


def useful_workers(measured: Measured) -> int:
    """How many workers one run keeps busy in finding: beyond that they wait for the process that reads."""
    found = measured.stages[FINDING]
    return max(1, round(found.worker / (found.driver * EFFICIENCY))) if found.driver > 0 else measured.workers
