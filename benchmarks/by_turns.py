"""Things to run in, their seconds out: by turns, so that a machine's moods fall on all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any


def measure(
    runners: Mapping[str, Callable[[], Any]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds of each, a round each, by turns; a first round warms up and is not counted."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for turn in range(rounds + 1):
        for name, run in runners.items():
            began = clock()
            run()
            if turn:
                times[name].append(clock() - began)
    return times
