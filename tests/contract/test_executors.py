"""One suite that every executor passes: order, one failure alone, no data in reasons, little taken at a time."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from deidlab.errors import ConfigError, DeidError
from deidlab.execute import Executor, Failed, Local, Task
from tests.unit.execute.kinds_of_work import CannotStart, Pid, Square, Tell, Who

NAMES = ("one process", "two processes", "ray")


@pytest.fixture(scope="module")
def ray_executor() -> Iterator[Executor]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    from deidlab.execute.ray.executor import RayExecutor
    from deidlab.execute.ray.settings import RaySettings

    with RayExecutor(RaySettings(max_workers=2)) as executor:
        yield executor


@pytest.fixture(params=NAMES)
def execute(request: pytest.FixtureRequest) -> Executor:
    if request.param == "ray":
        executor: Executor = request.getfixturevalue("ray_executor")
        return executor
    return Local(1 + NAMES.index(request.param))


def works_here(execute: Executor) -> bool:
    return execute == Local(1)


def tasks(n: int = 6, size: int = 3) -> list[Task[int]]:
    return [Task(k, tuple(range(k * size, (k + 1) * size))) for k in range(n)]


def results(execute: Executor, setup: Square) -> list[object]:
    return [result for done in execute(tasks(), setup) for result in done.results]


def test_completions_come_in_the_order_of_tasks(execute: Executor) -> None:
    done = list(execute(tasks(), Square()))
    assert [each.number for each in done] == list(range(6))
    assert [result for each in done for result in each.results] == [n * n for n in range(18)]


def test_no_task_and_a_task_of_nothing(execute: Executor) -> None:
    assert list(execute([], Square())) == []
    done = list(execute([Task(4, ()), Task(9, (3,)), Task(10, ())], Square()))
    assert [(each.number, each.results) for each in done] == [(4, ()), (9, (9,)), (10, ())]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("ours", "thirteen cannot be squared"),
        ("library", "internal error (ValueError at kinds_of_work.py:"),
        ("short", "internal error (RuntimeError at tasks.py:"),
        ("memory", "out of memory"),
    ],
)
def test_one_bad_item_fails_alone_and_its_reason_quotes_nothing(
    execute: Executor, bad: str, reason: str
) -> None:
    found = results(execute, Square(bad))
    assert [index for index, result in enumerate(found) if isinstance(result, Failed)] == [13]
    failed = found[13]
    assert isinstance(failed, Failed) and failed.reason.startswith(reason)
    assert "Quillfeather" not in failed.reason


def test_a_worker_that_crashes_loses_one_item(execute: Executor, capfd: pytest.CaptureFixture[str]) -> None:
    if works_here(execute):
        pytest.skip("the work is done in this process, which must live on")
    found = results(execute, Square("crash"))
    failed = found[13]
    assert isinstance(failed, Failed)
    assert failed.reason.startswith("its worker process ended without an answer")
    assert [r for k, r in enumerate(found) if k != 13] == [n * n for n in range(18) if n != 13]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_worker_killed_at_any_moment_loses_nothing(execute: Executor, seed: int) -> None:
    if works_here(execute):
        pytest.skip("the work is done in this process, which must live on")
    draw = random.Random(seed)
    moment = draw.randrange(20)
    found: list[tuple[int, int]] = []
    for done in execute(tasks(40), Who(0.01)):
        found += done.results  # type: ignore[arg-type]
        if done.number == moment:
            time.sleep(draw.uniform(0, 0.05))
            os.kill(draw.choice([pid for _, pid in found]), signal.SIGKILL)
    assert [item for item, _ in found] == list(range(120))


def test_wrong_settings_end_the_run(execute: Executor) -> None:
    with pytest.raises(ConfigError, match="no squares today"):
        results(execute, Square("settings"))
    with pytest.raises(ConfigError, match="no such model"):
        list(execute(tasks(), CannotStart("settings")))


def test_a_worker_that_cannot_start_ends_the_run(execute: Executor) -> None:
    if works_here(execute):
        pytest.skip("the work is done in this process, which must live on")
    with pytest.raises(DeidError, match="could not start"):
        list(execute(tasks(), CannotStart("crash")))


def test_workers_are_other_processes(execute: Executor) -> None:
    many = {result for done in execute(tasks(), Pid()) for result in done.results}
    assert (many == {os.getpid()}) if works_here(execute) else (os.getpid() not in many)
    assert len(many) <= 3


def test_tasks_are_taken_only_as_they_are_needed(execute: Executor) -> None:
    taken: list[int] = []

    def endless() -> Iterator[Task[int]]:
        for number in range(10_000):
            taken.append(number)
            yield Task(number, (number,))

    running = execute(endless(), Square())
    for _ in range(20):
        next(running)
    assert len(taken) <= 20 + 3 * 4 + 2
    running.close()  # type: ignore[attr-defined]


def test_a_slow_item_holds_the_reading_back(execute: Executor) -> None:
    """Nothing is done for ever ahead of the first task: what is finished waits in memory for its turn."""
    taken: list[float] = []

    def endless() -> Iterator[Task[int]]:
        for number in range(10_000):
            taken.append(time.monotonic())
            yield Task(number, (number,))

    running = execute(endless(), Tell(slow=0, seconds=0.7))
    assert next(running).results == (0,)
    assert len(taken) <= 3 * 4 + 2
    running.close()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Hundreds:
    """Tasks that can be read anywhere: task k holds k*10 .. k*10+9."""

    n_tasks: int

    def sizes(self) -> list[tuple[int, int]]:
        return [(number, 10) for number in range(self.n_tasks)]

    def shares(self, wanted: Sequence[int]) -> list[tuple[Hundreds, Sequence[int]]]:
        return [(self, wanted[place : place + 3]) for place in range(0, len(wanted), 3)]

    def read(self, wanted: Sequence[int]) -> Iterator[tuple[int, ...]]:
        for number in wanted:
            yield tuple(range(number * 10, number * 10 + 10))


def test_tasks_are_read_where_the_executor_reads(execute: Executor) -> None:
    numbers = [0, 1, 4, 5, 6, 9]
    read = execute.read(Hundreds(10), numbers, [10] * 6)
    found = list(execute(read, Square("" if works_here(execute) else "crash")))
    assert [each.number for each in found] == numbers
    squares = {n: n * n for number in numbers for n in range(number * 10, number * 10 + 10)}
    both = dict(zip(squares, (result for each in found for result in each.results), strict=True))
    if not works_here(execute):
        assert isinstance(both.pop(13), Failed)
        squares.pop(13)
    assert both == squares


def test_who_worked_is_told(execute: Executor) -> None:
    assert execute.describe()["engine"] in ("local", "ray")
