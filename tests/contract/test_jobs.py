"""One suite that workers of every kind pass for long jobs: whatever dies, each job ends once, from where it stood."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deidlab.errors import ConfigError, DeidError
from deidlab.execute.attempts import Attempt, Leased
from deidlab.execute.jobs import Ended, Jobs, NoFiles, Said, recover
from deidlab.execute.processes import Processes
from deidlab.execute.workers import Limits, Start
from tests.unit.execute.kinds_of_work import CannotStart, Steps

Value = tuple[int, float, str]


@dataclass
class Shelf:
    """The home of `Steps`: how far each job is, and its result, which must come once."""

    folder: Path
    values: Mapping[str, Value]
    came: list[str] = field(default_factory=list)

    def open(self, attempt: Attempt) -> Value:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(self.folder / f"{attempt.job}.step", attempt.folder / "step")
        return self.values[attempt.job]

    def carry(self, attempt: Attempt) -> None: ...

    def close(self, attempt: Attempt, whole: bool) -> bool:
        for name in ("step", "stopped", "result"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(attempt.folder / name, self.folder / f"{attempt.job}.{name}")
                self.came += [attempt.job] if name == "result" else []
        shutil.rmtree(attempt.folder, ignore_errors=True)
        return (self.folder / f"{attempt.job}.result").exists()


@dataclass
class Room:
    """A place for jobs, workers of one kind, and what became of all."""

    folder: Path
    start_workers: Callable[[Start, int, int], Any]
    said: list[Said] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def jobs(self, home: Any, tries: int = 1, most: int = 2, start: Any = None) -> Jobs:
        workers, limits = self.start_workers(Leased(start or Steps(str(self.log))), tries, most)
        return Jobs(workers, limits, self.folder / "attempts", home)

    def shelf(self, **values: Value) -> Shelf:
        (self.folder / "shelf").mkdir(exist_ok=True)
        return Shelf(self.folder / "shelf", values)

    def run(self, home: Any, tries: int = 1, meanwhile: Callable[[Jobs], None] | None = None) -> list[Ended]:
        """All jobs of the home to their ends, in the order of their ends."""
        ended: list[Ended] = []
        until = time.monotonic() + 120
        with self.jobs(home, tries) as jobs:
            for id in home.values:
                jobs.add(id)
            while jobs.running or jobs.waiting:
                assert time.monotonic() < until
                for each in jobs.wait(0.1):
                    (ended if isinstance(each, Ended) else self.said).append(each)  # type: ignore[arg-type]
                if meanwhile is not None:
                    meanwhile(jobs)
        assert not list((self.folder / "attempts").glob("*"))
        return ended

    def begun(self) -> Counter[str]:
        """How often each job was begun."""
        return Counter(line.split()[0] for line in self.log.read_text().splitlines())

    def pids(self) -> list[int]:
        return (
            [int(line.split()[1]) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        )


@pytest.fixture(scope="module")
def own_ray() -> Iterator[Any]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    from deidlab.execute.ray.cluster import connect

    with connect(None, n_cpus=2) as cluster:
        yield cluster.ray


@pytest.fixture(params=["processes", "ray"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Room:
    if request.param == "processes":
        return Room(tmp_path, lambda start, tries, most: (Processes(start), Limits(most, tries)))
    ray = request.getfixturevalue("own_ray")
    from deidlab.execute.ray.actors import Actors, limits_of
    from deidlab.execute.ray.settings import RaySettings

    def start_actors(start: Start, tries: int, most: int) -> Any:
        settings = RaySettings(max_workers=most, tries=tries)
        return Actors(ray, settings, start), limits_of(settings)

    return Room(tmp_path, start_actors)


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def test_jobs_end_with_their_answers_in_any_order(room: Room) -> None:
    ended = room.run(room.shelf(long=(40, 0.05, ""), short=(2, 0.0, ""), third=(1, 0.0, "")))
    assert {each.job: each.answer for each in ended} == {"long": 40, "short": 2, "third": 1}
    assert [each.job for each in ended][-1] == "long"
    assert room.begun() == {"long": 1, "short": 1, "third": 1}
    assert os.getpid() not in room.pids()


def test_a_job_without_files_has_its_answer(room: Room) -> None:
    ended = room.run(NoFiles({"one": (1, 0.0, ""), "two": (2, 0.0, "")}))
    assert {each.job: each.answer for each in ended} == {"one": 1, "two": 2}


def test_messages_come_while_a_job_is_at_work_and_the_last_before_its_end(room: Room) -> None:
    (ended,) = room.run(room.shelf(long=(30, 0.1, "")))
    steps = [each.message["step"] for each in room.said]
    assert steps == sorted(set(steps)) and len(steps) >= 2 and steps[-1] == 30 and ended.answer == 30


def test_a_job_that_cannot_be_done_says_why_once_and_quotes_nothing(room: Room) -> None:
    found = {each.job: each for each in room.run(room.shelf(ours=(5, 0.0, "ours"), good=(5, 0.0, "")), 3)}
    assert found["ours"].error == "there is no third step" and found["good"].error is None
    assert room.begun()["ours"] == 1
    (broken,) = room.run(room.shelf(library=(5, 0.0, "library")), 2)
    assert broken.error is not None
    # A fresh process may get over what broke one: as often as it is tried.
    assert broken.error.startswith("internal error (ValueError at kinds_of_work.py:")
    assert room.begun()["library"] == 2


def test_wrong_settings_end_the_run(room: Room) -> None:
    with pytest.raises(ConfigError, match="no steps today"):
        room.run(room.shelf(one=(5, 0.0, "settings")), 3)
    with pytest.raises(ConfigError, match="no such model"), room.jobs(NoFiles({"one": ()}), start=CannotStart("settings")) as jobs:  # fmt: skip
        jobs.add("one")
        wait_for_ever(jobs)


def test_workers_that_cannot_start_end_the_run(room: Room) -> None:
    with pytest.raises(DeidError, match="could not start"), room.jobs(NoFiles({"one": ()}), start=CannotStart("crash")) as jobs:  # fmt: skip
        jobs.add("one")
        wait_for_ever(jobs)


def wait_for_ever(jobs: Jobs) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        list(jobs.wait(0.1))


@pytest.mark.parametrize("tries", [1, 2])
def test_a_job_that_kills_its_workers_is_listed_and_the_others_go_on(room: Room, tries: int) -> None:
    found = {
        each.job: each for each in room.run(room.shelf(bad=(9, 0.0, "crash"), good=(9, 0.05, "")), tries)
    }
    error = found["bad"].error
    assert error is not None and error.startswith("its worker process ended without an answer")
    assert found["good"].answer == 9 and room.begun() == {"bad": tries, "good": 1}


def test_a_job_whose_worker_died_goes_on_from_where_it_stood(room: Room) -> None:
    shelf = room.shelf(one=(9, 0.0, "crash once"))
    (ended,) = room.run(shelf, 2)
    assert ended.answer == 9 and room.begun()["one"] == 2 and shelf.came == ["one"]
    steps = [each.message["step"] for each in room.said]
    assert steps == sorted(set(steps))


def test_a_job_that_is_cancelled_leaves_things_in_order(room: Room) -> None:
    shelf = room.shelf(one=(2000, 0.05, ""), two=(20, 0.05, ""), three=(20, 0.05, ""), four=(20, 0.05, ""))

    def cancel(jobs: Jobs) -> None:
        if any(each.job == "one" for each in room.said):
            jobs.cancel("one")
            jobs.cancel("four" if "four" in jobs.waiting else "none")

    found = {each.job: each for each in room.run(shelf, 1, cancel)}
    assert found["one"].stopped and found["one"].error is None
    assert (shelf.folder / "one.stopped").read_text() == "in order" and shelf.came.count("one") == 0
    assert int((shelf.folder / "one.step").read_text()) >= 1
    assert found["two"].answer == found["three"].answer == 20


def test_an_interrupt_lets_jobs_leave_things_in_order(room: Room) -> None:
    shelf = room.shelf(one=(2000, 0.05, ""))
    with pytest.raises(KeyboardInterrupt), room.jobs(shelf) as jobs:
        jobs.add("one")
        while not any(isinstance(each, Said) for each in jobs.wait(0.1)):
            pass
        raise KeyboardInterrupt
    assert (shelf.folder / "one.stopped").exists() and not list((room.folder / "attempts").glob("*"))
    # Another may go on with it.
    (ended,) = room.run(room.shelf(one=(int((shelf.folder / "one.step").read_text()) + 1, 0.0, "")))
    assert ended.answer and room.begun() == {"one": 2}
    until = time.monotonic() + 20
    while any(map(is_alive, room.pids())):
        assert time.monotonic() < until, "a worker outlives its run"
        time.sleep(0.05)


@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))]
)
def test_each_job_is_done_once_although_workers_are_killed_at_any_moment(room: Room, seed: int) -> None:
    draw = random.Random(seed)
    shelf = room.shelf(**{f"job-{n}": (draw.randint(1, 20), 0.03, "") for n in range(6)})
    killed: set[int] = set()
    next_kill = time.monotonic() + draw.uniform(0, 3)

    def kill(jobs: Jobs) -> None:
        nonlocal next_kill
        alive = [pid for pid in room.pids() if pid not in killed and is_alive(pid)]
        if alive and len(killed) < 3 and time.monotonic() > next_kill:
            killed.add(pid := draw.choice(alive))
            os.kill(pid, signal.SIGKILL)
            next_kill = time.monotonic() + draw.uniform(0, 1.0)

    ended = room.run(shelf, 50, kill)
    assert {each.job: each.error for each in ended} == dict.fromkeys(shelf.values)
    assert len(ended) == 6 and sorted(shelf.came) == sorted(shelf.values)


def test_what_a_process_left_comes_home_and_what_came_late_does_not(tmp_path: Path) -> None:
    shelf = Room(tmp_path, lambda *_: None).shelf()
    left, late = (Attempt.open(tmp_path / "attempts", name, {}) for name in ("left", "late"))
    (left.folder / "result").write_text("1")
    shelf.close(late.give_up(), whole=False)
    late.folder.mkdir()
    (late.folder / "result").write_text("2")
    assert recover(tmp_path / "attempts", shelf) == 1
    assert shelf.came == ["left"] and not list((tmp_path / "attempts").glob("*"))
