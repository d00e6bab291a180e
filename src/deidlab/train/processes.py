"""Where a run computes: one process or several (torchrun), on a GPU or a CPU."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch

from deidlab.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Place:
    """One process of a run, and its device."""

    device: Any
    rank: int = 0
    n_processes: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes and speaks."""
        return self.rank == 0

    def wait(self) -> None:
        if self.n_processes > 1:
            torch.distributed.barrier()

    def agree(self, value: Any) -> Any:
        """The leading process's value, in every process."""
        if self.n_processes == 1:
            return value
        box = [value]
        torch.distributed.broadcast_object_list(box, src=0)
        return box[0]

    def add_up(self, values: list[float]) -> list[float]:
        if self.n_processes == 1:
            return values
        total = torch.tensor(values, dtype=torch.float64, device=self.device)
        torch.distributed.all_reduce(total)
        added: list[float] = total.tolist()
        return added


def find_place(device: str = "auto") -> Place:
    """The device asked for, or the best there is; under torchrun one of the run's processes."""
    n_processes = int(os.environ.get("WORLD_SIZE", "1"))
    rank, local = int(os.environ.get("RANK", "0")), int(os.environ.get("LOCAL_RANK", "0"))
    if device not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"'{device}' is no device to train on: auto, cpu or cuda")
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise ConfigError("no GPU can be used here: torch finds none; leave --device out, or say cpu")
    on_gpu = has_gpu and device != "cpu"
    chosen = torch.device("cuda", local) if on_gpu else torch.device("cpu")
    if on_gpu:
        torch.cuda.set_device(chosen)
    if n_processes > 1 and not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if on_gpu else "gloo")
    return Place(chosen, rank, n_processes)
