"""`--engine` and what belongs to it: where the work of `mask` and `detect` is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.mask_options import check_choice, count_workers

if TYPE_CHECKING:
    from deidlab.execute import Executor

ENGINES = ("local", "ray")

Name = Annotated[
    str,
    typer.Option(
        metavar="local|ray", help="This machine's processes, or a Ray cluster; the output is the same."
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="auto|HOST:PORT",
        help="With ray: the cluster [default: a Ray of its own on this machine, for this run].",
    ),
]
LeastWorkers = Annotated[
    int, typer.Option(min=1, help="With ray: workers that are kept also when there is nothing to do.")
]
CpusPerWorker = Annotated[float, typer.Option(min=0.0, help="With ray: cores that each worker is given.")]
GpusPerWorker = Annotated[
    float,
    typer.Option(
        min=0.0, help="With ray: the part of a GPU that each worker is given; the model then runs on it."
    ),
]
Tries = Annotated[
    int,
    typer.Option(
        min=1, help="With ray: so many workers may die over a note alone before it is listed as failed."
    ),
]


@dataclass(frozen=True, slots=True)
class Engine:
    """What was asked for; `workers` 0 is one for each core, on a cluster as many as it has room for."""

    name: str = "local"
    workers: int = 0
    address: str | None = None
    least: int = 1
    cpus: float = 1.0
    gpus: float = 0.0
    tries: int = 3

    def __post_init__(self) -> None:
        check_choice("--engine", self.name, ENGINES)
        if self.name == "local" and (self.address, self.least, self.cpus, self.gpus, self.tries) != (
            None, 1, 1.0, 0.0, 3,
        ):  # fmt: skip
            raise typer.BadParameter(
                "--address, --least-workers, --cpus-per-worker, --gpus-per-worker and --tries "
                "are for --engine ray"
            )

    @property
    def device(self) -> str:
        """Where a model runs: on the part of a GPU that each worker was given, if any."""
        return "cuda" if self.gpus else "cpu"

    @contextlib.contextmanager
    def running(self) -> Iterator[Executor]:
        """The executor, for as long as it is needed."""
        if self.name == "local":
            from deidlab.execute import Local

            yield Local(count_workers(self.workers))
            return
        from deidlab.execute.ray.executor import RayExecutor
        from deidlab.execute.ray.settings import RaySettings

        # On a Ray of our own the cores are this machine's, so that as many workers fit as for `local`.
        most = self.workers if self.address else count_workers(self.workers)
        settings = RaySettings(self.address, self.least, most, self.cpus, self.gpus, tries=self.tries)
        with RayExecutor(settings) as executor:
            yield executor
