"""The contract of an executor, in this process and in workers: order, one failure alone, no data in reasons."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from deidlab.errors import ConfigError, DeidError
from deidlab.execute import Completion, Failed, Task, run_tasks
from deidlab.execute.local import DIED
from tests.unit.execute.kinds_of_work import CannotStart, Pid, Square


def tasks(n: int = 6, size: int = 3) -> list[Task[int]]:
    return [Task(k, tuple(range(k * size, (k + 1) * size))) for k in range(n)]


def results(setup: Square, n_workers: int) -> list[object]:
    return [result for done in run_tasks(tasks(), setup, n_workers) for result in done.results]


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_completions_come_in_the_order_of_tasks(n_workers: int) -> None:
    done = list(run_tasks(tasks(), Square(), n_workers))
    assert [each.number for each in done] == list(range(6))
    assert [result for each in done for result in each.results] == [n * n for n in range(18)]


@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("ours", "thirteen cannot be squared"),
        ("library", "internal error (ValueError at kinds_of_work.py:"),
        ("short", "internal error (RuntimeError at tasks.py:"),
    ],
)
def test_one_bad_item_fails_alone_and_its_reason_quotes_nothing(
    bad: str, reason: str, n_workers: int
) -> None:
    found = results(Square(bad), n_workers)
    assert [index for index, result in enumerate(found) if isinstance(result, Failed)] == [13]
    failed = found[13]
    assert isinstance(failed, Failed) and failed.reason.startswith(reason)
    assert "Quillfeather" not in failed.reason


def test_a_worker_that_crashes_loses_one_item(capfd: pytest.CaptureFixture[str]) -> None:
    found = results(Square("crash"), 2)
    assert found[13] == Failed(DIED)
    assert [r for k, r in enumerate(found) if k != 13] == [n * n for n in range(18) if n != 13]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("n_workers", [1, 2])
def test_wrong_settings_end_the_run(n_workers: int) -> None:
    with pytest.raises(ConfigError, match="no squares today"):
        results(Square("settings"), n_workers)
    with pytest.raises(ConfigError, match="no such model"):
        list(run_tasks(tasks(), CannotStart("settings"), n_workers))


def test_a_worker_that_cannot_start_ends_the_run() -> None:
    with pytest.raises(DeidError, match="could not start"):
        list(run_tasks(tasks(), CannotStart("crash"), 2))


def test_workers_are_other_processes_and_one_task_needs_none() -> None:
    many = {result for done in run_tasks(tasks(), Pid(), 2) for result in done.results}
    assert os.getpid() not in many and 1 <= len(many) <= 2
    alone = list(run_tasks(tasks(1), Pid(), 2))
    assert alone == [Completion(0, (os.getpid(),) * 3)]


def test_tasks_are_taken_only_as_they_are_needed() -> None:
    taken: list[int] = []

    def endless() -> Iterator[Task[int]]:
        for number in range(10_000):
            taken.append(number)
            yield Task(number, (number,))

    running = run_tasks(endless(), Square(), 2)
    for _ in range(20):
        next(running)
    assert len(taken) <= 20 + 2 * 4 + 2
    running.close()  # type: ignore[attr-defined]
