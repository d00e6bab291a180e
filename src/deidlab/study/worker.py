"""A worker process of a study: jobs in through a pipe, completion records out on disk.

It holds one `Workshop` for its whole life. It ends with its parent, so that no two processes ever train the
same run; an interrupt makes it write a checkpoint first.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from deidlab.errors import DeidError
from deidlab.execute.tasks import describe
from deidlab.study.spec import StudySpec

READY, DONE, FATAL, STOPPED = "ready", "done", "fatal", "stopped"
TRAIN, TEST, CALIBRATE = "train", "test", "calibrate"


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker is started with: all of it travels to another process."""

    spec: StudySpec
    ids: dict[str, list[str]]
    folder: str
    device: str
    number: int
    threads: int


def threads_beside(n_processes: int) -> int:
    """How many threads a worker may use where so many run side by side; 0 where it is alone: all it likes."""
    return max(1, (os.cpu_count() or 1) // n_processes) if n_processes > 1 else 0


def serve(pipe: Connection, plan: WorkerPlan) -> None:
    """A worker's life. Nothing escapes it: an uncaught exception would be printed with its data."""
    _die_with_parent()
    # Ctrl-C at a terminal goes to a whole group; the parent decides, and asks each worker exactly once.
    os.setpgrp()
    try:
        workshop = open_workshop(plan)
        pipe.send((READY, {"device": workshop.place.device.type, "n_devices": _count_devices(workshop)}))
        while True:
            kind, value = pipe.recv()
            pipe.send((DONE, do(workshop, kind, value)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            pipe.send((STOPPED, None))
    except BaseException as error:
        message = str(error) if isinstance(error, DeidError) else describe(error)
        with contextlib.suppress(OSError):
            pipe.send((FATAL, (type(error).__name__, message)))


def open_workshop(plan: WorkerPlan) -> Any:
    """The workshop of a process that has nothing else to do."""
    os.environ["LOCAL_RANK"] = str(plan.number if plan.device != "cpu" else 0)
    from deidlab.train.start import need_torch

    need_torch("a study")
    import torch

    if plan.threads:
        torch.set_num_threads(plan.threads)
    from deidlab.study.notes import parts_from
    from deidlab.study.workshop import Workshop

    return Workshop(plan.spec, parts_from(plan.spec, plan.ids), Path(plan.folder), plan.device)


def do(workshop: Any, kind: str, value: Any) -> Any:
    """A job of one of the three kinds; its answer, where it is not on disk."""
    if kind == TRAIN:
        from deidlab.study.grid import run_from
        from deidlab.study.jobs import Job
        from deidlab.study.training import train_job

        train_job(workshop, Job(tuple(run_from(run) for run in value)))
        return None
    if kind == CALIBRATE:
        from deidlab.study.calibrate import measure_speed

        return measure_speed(workshop, value)
    from deidlab.study.records import read_selection
    from deidlab.study.testing import predict_selected

    selection = read_selection(workshop.folder)
    assert selection is not None
    predict_selected(workshop, selection)
    return None


def _count_devices(workshop: Any) -> int:
    import torch

    return int(torch.cuda.device_count()) if workshop.place.device.type == "cuda" else 1


def _die_with_parent() -> None:
    """On Linux the kernel sees to it; elsewhere a run looks for its parent at the end of each epoch."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
