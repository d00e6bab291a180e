"""A process's number in, what it has used out: processor seconds and peak memory, as Linux counts them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    """Adds up: seconds as a sum, memory as the highest; 0 is not known."""

    cpu_seconds: float = 0.0
    peak_bytes: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.cpu_seconds + other.cpu_seconds, max(self.peak_bytes, other.peak_bytes))


def read_usage(pid: int) -> Usage:
    """Of the process, and the processor time of children that it waited for; nothing where /proc is not
    there."""
    folder = Path("/proc", str(pid))
    try:
        counts = (folder / "stat").read_text().rpartition(")")[2].split()
        peak = re.search(r"VmHWM:\s+(\d+) kB", (folder / "status").read_text())
    except OSError:
        return Usage()
    ticks = sum(map(int, counts[11:15]))
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), 1024 * int(peak[1]) if peak else 0)
