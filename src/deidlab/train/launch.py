"""How a training is started, and what is kept and told of it as it goes: the values that say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Validate = Callable[[], dict[str, Any]]
Tell = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a run is started: its folder, whether one there is resumed or replaced, the device, and how many
    processes cut a large corpus into pieces. More than one wants a program that can be started again beside
    itself: a script needs its `if __name__ == "__main__":`.

    On a CPU a run that is resumed ends as it would have without the interruption.
    """

    folder: Path
    resume: bool = False
    overwrite: bool = False
    device: str = "auto"
    n_cutters: int = 1


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """What is kept and told of a training under way: its checkpoints' folder, and the ends of epochs.

    `validate` measures an epoch, and `tell` hears of it.
    """

    folder: Path
    validate: Validate | None = None
    tell: Tell | None = None
