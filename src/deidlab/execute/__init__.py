"""Running tasks: a task list in, completion records out.

tasks.py   what every executor takes and gives back
local.py   this machine's worker processes
ray/       the same on a Ray cluster; only for those who ask for it
"""

from deidlab.execute.local import Local, run_tasks
from deidlab.execute.tasks import Completion, Executor, Failed, Setup, Task, Work

__all__ = ["Completion", "Executor", "Failed", "Local", "Setup", "Task", "Work", "run_tasks"]
