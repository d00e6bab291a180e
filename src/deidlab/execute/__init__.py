"""Short tasks or long jobs in, what became of them out, whatever becomes of workers.

workers.py    what a worker is: a start-up that gives a callable, values in, answers out
local.py      workers as processes of this machine; ray/ as actors of a cluster, only for those who ask for it
crew.py       the workers of a run: as many as there is work for, who is free, who has fallen
tasks.py      what executors take and give back; inorder.py: short tasks over a crew, in order
attempts.py   a folder and a lease for each try at a long job; jobs.py: long jobs over a crew
"""

from deidlab.execute.local import Local, run_tasks
from deidlab.execute.tasks import Completion, Executor, Failed, Setup, Task, Work

__all__ = ["Completion", "Executor", "Failed", "Local", "Setup", "Task", "Work", "run_tasks"]
