"""A model's first notes, in several threads at once: no start may hang."""

from __future__ import annotations

import subprocess
import sys

import pytest

STARTS = 30
FIRST_NOTES = """
import deidlab
from deidlab.types import Document
detector = deidlab.load("en", rules="off").detector
notes = [Document(str(number), "", "Seen by Dr. Ames on 3/4/2064 for chest pain. " * 40) for number in range(6)]
print(len(detector.detect(notes, with_words=False)))
"""


@pytest.mark.slow
def test_no_start_hangs() -> None:
    # Without the lock around a worker's first window about one start in twenty never ended.
    for _ in range(STARTS):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_NOTES],
            capture_output=True,
            text=True,
            timeout=60,
            env={"OMP_NUM_THREADS": "2"},
        )
        assert done.stdout == "6\n", done.stderr[-300:]


OPENED_AND_CLOSED = """
import gc, signal
import deidlab
for _ in range(3):
    for name in ("en", "es"):
        deidlab.load(name, rules="off").detect("Seen by Dr. Ames on 3/4/2064.")
        gc.collect()
signal.signal(signal.SIGINT, lambda *_: print("asked to stop"))
signal.raise_signal(signal.SIGINT)
"""


def test_a_signal_finds_its_stack_after_models_were_opened_and_closed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OPENED_AND_CLOSED], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "asked to stop\n"), done.stderr[-300:]
