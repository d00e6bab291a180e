"""Running tasks: a task list in, completion records out. `local` is this machine's worker processes."""

from deidlab.execute.local import run_tasks
from deidlab.execute.tasks import Completion, Failed, Setup, Task, Work

__all__ = ["Completion", "Failed", "Setup", "Task", "Work", "run_tasks"]
