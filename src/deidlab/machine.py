"""What this process may use of the machine that it runs on."""

from __future__ import annotations

import os


def n_cores() -> int:
    """The processor's cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
