"""The lease of an attempt: who holds it goes on, who has lost it ends at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from deidlab.execute.attempts import GRACE_SECONDS, Attempt, holds_lease
from deidlab.execute.crew import Losses

WATCHED = """
import sys, time
from pathlib import Path
from deidlab.execute.attempts import watch

try:
    with watch(Path(sys.argv[1])):
        print("works", flush=True)
        for _ in range(600):
            time.sleep(0.05)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def watched(folder: Path, *before: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*before, sys.executable, "-c", WATCHED, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "works\n"
    return process


def test_a_worker_ends_at_once_where_its_lease_is_gone(tmp_path: Path) -> None:
    attempt = Attempt.open(tmp_path, "job", {})
    process = watched(attempt.folder)
    attempt.give_up()
    began = time.monotonic()
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "")
    # By the time that its job may be given to another, it has ended.
    assert time.monotonic() - began < GRACE_SECONDS


def test_a_worker_that_is_asked_to_stop_is_interrupted_and_may_finish(tmp_path: Path) -> None:
    attempt = Attempt.open(tmp_path, "job", {})
    process = watched(attempt.folder)
    attempt.ask_to_stop()
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "stopped\n")


def test_a_worker_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    attempt = Attempt.open(tmp_path, "job", {})
    # A shell in between, which stays while it waits.
    process = watched(attempt.folder, "sh", "-c", '"$@"; :', "sh")
    assert process.stdout is not None
    process.kill()
    process.wait()
    began = time.monotonic()
    # The worker holds the other end of the pipe for as long as it lives.
    assert process.stdout.read() == ""
    assert time.monotonic() - began < GRACE_SECONDS
    process.stdout.close()


def test_a_lease_out_of_reach_is_not_a_lease_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = Attempt.open(tmp_path, "job", {})
    assert holds_lease(attempt.folder) is True

    def fail(*_: Any) -> int:
        raise OSError(5, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        assert holds_lease(attempt.folder) is None
    attempt.give_up()
    assert holds_lease(attempt.folder) is False


def test_deaths_count_and_lost_nodes_hardly() -> None:
    died, away = False, True
    losses = Losses()
    order = (away, died, away, away, died, away, died)
    assert [losses.count(each, 3) for each in order] == [True] * 6 + [False]
    losses = Losses()
    assert sum(losses.count(away, 2) for _ in range(100)) == 19
    assert not Losses().count(died, 1)
