"""A session's number in, what its processes have used out: processor seconds and peak memory, as Linux
counts them."""

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
    """Of the process that leads a session and all that it started there: a program may be a script around
    another. Nothing where /proc is not there."""
    seconds, peak = 0.0, 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            counts = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(counts[3]) != pid:
                continue
            highest = re.search(r"VmHWM:\s+(\d+) kB", (folder / "status").read_text())
        except (OSError, IndexError, ValueError):
            continue
        seconds += sum(map(int, counts[11:15])) / os.sysconf("SC_CLK_TCK")
        peak += 1024 * int(highest[1]) if highest else 0
    return Usage(seconds, peak)
