"""How a study is run: what is tried again, how many runs go side by side, and where to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deidlab.options import COMMON, option


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """The cluster that runs go to and what each takes; `gpus` None is one where there are any."""

    GROUP: ClassVar[str] = "Running on a cluster"

    address: str | None = option(
        None,
        metavar="auto|HOST:PORT",
        help="With --engine ray: the cluster's address; without one a Ray is started here.",
    )
    cpus: float = option(
        1.0,
        "--cpus-per-run",
        min=0.0,
        help="With --engine ray: CPU cores (and threads) for each run.",
    )
    gpus: float | None = option(
        None,
        "--gpus-per-run",
        min=0.0,
        help="With --engine ray: how much of a GPU each run takes, such as 0.5; one where there are GPUs.",
    )


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: `stop_after` "selection" leaves the tests for later.

    Where runs failed, a study stops before its selection, since what is selected stays selected: `retry`
    tries them again, `accept_failures` goes on without them.

    `cluster` sends runs to Ray instead of to processes of this machine. A job whose worker dies is tried
    `tries` times; 0 is once on this machine, and three times on Ray, where workers die of other causes too.
    """

    device: str = option(
        "auto", metavar="auto|cpu|cuda", help="The device to train and test on.", group=COMMON
    )
    processes: int = option(
        0,
        min=0,
        help="Runs side by side; 0: the file's number, else one for each GPU, or one; on Ray, all that fit.",
        group=COMMON,
    )
    retry: bool = option(False, help="Try failed runs again.", group=COMMON)
    accept_failures: bool = option(
        False, help="Select and test although some runs failed; those are left out.", group=COMMON
    )
    stop_after: str = option(
        "", help="'selection' trains and selects, and does not open the test notes.", group=COMMON
    )
    tries: int = option(
        0,
        min=0,
        help="How often to try a run whose worker dies; 0 is once on this machine, 3 times on Ray.",
        group=ClusterOptions.GROUP,
    )
    cluster: ClusterOptions | None = None

    @property
    def n_tries(self) -> int:
        return self.tries or (1 if self.cluster is None else 3)
