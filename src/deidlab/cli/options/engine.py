"""Where the work is done: how many workers, of this machine or of a cluster, and on which device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.errors import UsageError
from deidlab.machine import n_cores
from deidlab.options import COMMON, option
from deidlab.pipeline.settings import Finding

if TYPE_CHECKING:
    from deidlab.execute import Executor


@dataclass(frozen=True, slots=True)
class WorkersOption:
    workers: int = option(
        0,
        min=0,
        help="Worker processes; 0 is one for each core, on a Ray cluster as many as it has room for. They "
        "never change the result.",
        group=COMMON,
    )

    @property
    def count(self) -> int:
        """That many, or as many as this process may use cores."""
        if self.workers:
            return self.workers
        return n_cores()


@dataclass(frozen=True, slots=True)
class EngineOptions(WorkersOption):
    """This machine's processes, or a Ray cluster's."""

    GROUP: ClassVar[str] = "Running on a cluster"

    engine: str = option(
        "local",
        choices=("local", "ray"),
        help="This machine's processes, or a Ray cluster; the output is the same.",
    )
    address: str | None = option(
        None,
        metavar="auto|HOST:PORT",
        help="With ray: the cluster [default: a Ray of its own on this machine, for this run].",
    )
    min_workers: int = option(
        1,
        old=("--least-workers",),
        min=1,
        help="With ray: how many workers to keep when there is nothing to do.",
    )
    cpus_per_worker: float = option(1.0, min=0.0, help="With ray: cores that each worker is given.")
    gpus_per_worker: float = option(
        0.0,
        min=0.0,
        help="With ray: the part of a GPU that each worker is given; the model then runs on it.",
    )
    tries: int = option(
        3,
        min=1,
        help="With ray: how often to try a note whose worker dies before it is listed as failed.",
    )

    def __post_init__(self) -> None:
        given = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        if self.engine == "local" and set(given) - {"workers"}:
            raise typer.BadParameter(
                "--address, --min-workers, --cpus-per-worker, --gpus-per-worker and --tries are for "
                "--engine ray"
            )

    def settle_device(self, finding: Finding) -> Finding:
        """The same with the device that its model will run on."""
        if self.gpus_per_worker:
            return replace(finding, device="cuda")
        if self.engine == "ray" and finding.device == "cuda":
            raise UsageError("--device cuda with --engine ray: say --gpus-per-worker, such as 0.5")
        # A worker of a cluster sees no GPU unless it is given a part of one.
        return replace(finding, device="cpu") if self.engine == "ray" else settle_device(finding)

    @contextlib.contextmanager
    def running(self) -> Iterator[Executor]:
        """The executor, for as long as it is needed."""
        if self.engine == "local":
            from deidlab.execute import Local

            yield Local(self.count)
            return
        from deidlab.execute.ray.executor import RayExecutor
        from deidlab.execute.ray.settings import RaySettings

        settings = RaySettings(
            address=self.address,
            min_workers=self.min_workers,
            # On a Ray of our own the cores are this machine's, so that as many workers fit as for `local`.
            max_workers=self.workers if self.address else self.count,
            cpus=self.cpus_per_worker,
            gpus=self.gpus_per_worker,
            tries=self.tries,
        )
        with RayExecutor(settings) as executor:
            yield executor


def settle_device(finding: Finding) -> Finding:
    """The same with cpu or cuda, whichever there is for `auto`; cuda where there is none is refused."""
    if finding.device == "cpu":
        return finding
    from deidlab.detect.device import has_gpu

    there = has_gpu()
    if finding.device == "cuda" and not there:
        raise UsageError("--device cuda: torch finds no GPU here; use --device cpu, or auto")
    return replace(finding, device="cuda" if there else "cpu")
