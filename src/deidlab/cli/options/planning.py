"""What `mask --plan` is to forecast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import typer

from deidlab.options import option


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The machines and notes to plan for."""

    GROUP: ClassVar[str] = "Planning a run"

    plan: bool = option(
        False,
        help="Write nothing: mask a sample, and say what time, memory, disk and money the whole will take.",
    )
    sample: int = option(1000, min=1, metavar="N", help="With --plan: how many notes to measure with.")
    notes: int | None = option(
        None,
        min=1,
        metavar="N",
        help="With --plan: how many notes to plan for [default: as many as SRC has].",
    )
    nodes: int | None = option(
        None, min=1, metavar="N", help="With --plan: also plan for a cluster of N machines."
    )
    cores: int | None = option(
        None, min=1, metavar="N", help="With --nodes: cores of each machine [default: as many as here]."
    )
    gpus: int = option(0, min=0, metavar="N", help="With --nodes: GPUs of each machine.")
    gpu_speed: float | None = option(
        None, min=0.001, metavar="X", help="With --gpus: how many notes per second one of your GPUs searches."
    )
    price_per_hour: float | None = option(
        None, min=0.0, metavar="X", help="With --plan: what one machine costs per hour."
    )

    def __post_init__(self) -> None:
        if not self.plan and replace(self, plan=True) != PlanOptions(plan=True):
            raise typer.BadParameter("--sample, --notes, --nodes and what describes them are for --plan")
        if self.nodes is None and (self.cores or self.gpus or self.gpu_speed):
            raise typer.BadParameter("--cores, --gpus and --gpu-speed describe the machines of --nodes N")
        if self.gpu_speed and not self.gpus:
            raise typer.BadParameter("--gpu-speed is of the --gpus N")
