"""What only the local executor does; the contract is in tests/contract/test_executors.py."""

from __future__ import annotations

import os

from deidlab.execute import Completion, Task, run_tasks
from tests.unit.execute.kinds_of_work import Pid


def test_one_task_needs_no_worker() -> None:
    assert list(run_tasks([Task(0, (1, 2, 3))], Pid(), 2)) == [Completion(0, (os.getpid(),) * 3)]
