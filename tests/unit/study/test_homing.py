"""What workers leave: whatever dies, and whenever, a run is in the study once, whole, and by one writer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deidlab.execute.attempts import LEASE, Attempt, holds_lease
from deidlab.study import homing
from deidlab.study.completing import Timing, complete_run, completions_by_run, write_progress
from deidlab.study.engines import take_back
from deidlab.study.folder import (
    ACCESS,
    ATTEMPTS,
    COMPLETIONS,
    RUNS,
    TESTS,
    Access,
    note_access,
    write_object,
)
from deidlab.study.grid import Run
from deidlab.study.homing import CHECKPOINT, TESTS_JOB, StudyHome
from deidlab.study.jobs import Job
from deidlab.study.worker import TRAIN
from deidlab.train.settings import TrainSettings


class Crash(BaseException):
    """The study's process is killed here."""


def make_job(name: str = "tiny-1", n_runs: int = 2, final: bool = True) -> Job:
    settings = TrainSettings(keep="last")
    return Job(
        tuple(
            Run(f"{name}-e{epochs}", "tiny", settings.changed(epochs=epochs), final=final)
            for epochs in range(1, n_runs + 1)
        )
    )


def open_attempt(study: Path, job: Job) -> Attempt:
    home = StudyHome(study)
    attempt = Attempt.open(study / ATTEMPTS, job.id, home.about(job))
    kind, left = home.open(attempt)
    assert kind == TRAIN
    assert [run["id"] for run in left] == [
        run.id for run in job.runs if run.id not in completions_by_run(study)
    ]
    return attempt


def open_tests(study: Path) -> Attempt:
    return Attempt.open(study / ATTEMPTS, TESTS_JOB, {})


def carry_over(study: Path, attempt: Attempt) -> None:
    StudyHome(study).carry(attempt)


def give_up(study: Path, attempt: Attempt) -> bool:
    return StudyHome(study).close(attempt.give_up(), whole=False)


def finish(study: Path, attempt: Attempt) -> bool:
    return StudyHome(study).close(attempt.give_up(), whole=True)


def recover(study: Path) -> int:
    return take_back(study, StudyHome(study))


class Writer:
    """A worker as far as its files go; `name` is in all that it writes."""

    def __init__(self, attempt: Attempt, job: Job, name: str) -> None:
        self.out, self.job, self.name = attempt.folder, job, name
        self.timing = Timing.start(self.out, job.id)

    def save(self) -> None:
        path = self.out / RUNS / self.job.id / CHECKPOINT
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.name)

    def train(self, run: Run) -> None:
        write_progress(self.out, self.job, run, run.settings.epochs, self.timing)
        path = self.out / RUNS / run.id / "model.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.name)
        complete_run(self.out, run, self.timing, {"train": {"by": self.name}})


def writer_of(study: Path, run: str) -> tuple[str, str]:
    """Who wrote a run's record, and who its weights."""
    record = json.loads((study / COMPLETIONS / f"{run}.json").read_text())
    return record["train"]["by"], (study / RUNS / run / "model.safetensors").read_text()


def test_a_job_comes_home_as_a_local_worker_would_have_left_it(tmp_path: Path) -> None:
    job = make_job()
    attempt = open_attempt(tmp_path, job)
    worker = Writer(attempt, job, "first")
    worker.train(job.runs[0])
    carry_over(tmp_path, attempt)
    assert list(completions_by_run(tmp_path)) == [job.runs[0].id]
    message = attempt.hear()
    assert message is not None and message["epoch"] == 1 and attempt.hear() is None
    worker.train(job.runs[1])
    finish(tmp_path, attempt)
    assert set(completions_by_run(tmp_path)) == {run.id for run in job.runs}
    assert all(writer_of(tmp_path, run.id) == ("first", "first") for run in job.runs)
    assert recover(tmp_path) == 0 and not (tmp_path / ATTEMPTS).exists()


def test_the_next_attempt_has_the_checkpoint_and_the_time_of_the_one_before(tmp_path: Path) -> None:
    job = make_job()
    first = open_attempt(tmp_path, job)
    worker = Writer(first, job, "first")
    worker.train(job.runs[0])
    worker.save()
    give_up(tmp_path, first)
    assert list(completions_by_run(tmp_path)) == [job.runs[0].id]
    rest = Job(job.runs[1:])
    second = open_attempt(tmp_path, rest)
    assert (second.folder / RUNS / job.id / CHECKPOINT).read_text() == "first"
    assert not (tmp_path / RUNS / job.id).exists()
    assert Writer(second, rest, "second").timing.attempts == 2


def test_a_worker_that_was_given_up_cannot_write_into_the_study(tmp_path: Path) -> None:
    job = make_job()
    first = open_attempt(tmp_path, job)
    late = Writer(first, job, "late")
    assert holds_lease(first.folder) is True
    give_up(tmp_path, first)
    assert holds_lease(first.folder) is False
    second = open_attempt(tmp_path, job)
    for run in job.runs:
        late.train(run)
    late.save()
    carry_over(tmp_path, second)
    assert not completions_by_run(tmp_path)
    own = Writer(second, job, "own")
    for run in job.runs:
        own.train(run)
    finish(tmp_path, second)
    late.train(job.runs[0])
    assert recover(tmp_path) == 0
    assert all(writer_of(tmp_path, run.id) == ("own", "own") for run in job.runs)
    assert not (tmp_path / ATTEMPTS).exists()


def test_what_the_study_has_stays(tmp_path: Path) -> None:
    job = make_job(n_runs=1)
    attempt = open_attempt(tmp_path, job)
    Writer(attempt, job, "second").train(job.runs[0])
    complete_run(tmp_path, job.runs[0], Timing.start(tmp_path, job.id), {"train": {"by": "first"}})
    before = (tmp_path / COMPLETIONS / f"{job.id}.json").read_bytes()
    assert finish(tmp_path, attempt)
    assert (tmp_path / COMPLETIONS / f"{job.id}.json").read_bytes() == before


def test_a_rung_leaves_its_checkpoint_for_the_next(tmp_path: Path) -> None:
    for final in (True, False):
        job = make_job(f"tiny-{final}", 1, final)
        attempt = open_attempt(tmp_path, job)
        worker = Writer(attempt, job, "first")
        worker.train(job.runs[0])
        worker.save()
        finish(tmp_path, attempt)
        assert (tmp_path / RUNS / job.id / CHECKPOINT).exists() is not final


def test_tests_come_home_whole_or_not_at_all(tmp_path: Path) -> None:
    for done in (False, True):
        attempt = open_tests(tmp_path)
        note_access(tmp_path, Access("test", "test", "notes", "notes", 3), attempt.folder)
        write_object(attempt.folder / TESTS / "tiny.json", {"name": "tiny"})
        write_object(attempt.folder / TESTS / "predictions" / "tiny.test.jsonl.gz", {})
        (finish if done else give_up)(tmp_path, attempt)
        assert (tmp_path / TESTS / "tiny.json").is_file() is done
    assert (tmp_path / TESTS / "predictions" / "tiny.test.jsonl.gz").is_file()
    # Test notes were read twice, and both readings are on record.
    assert len((tmp_path / ACCESS).read_text().splitlines()) == 2


def test_a_reading_is_on_record_once_although_a_kill_came_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = open_attempt(tmp_path, make_job())
    note_access(tmp_path, Access("train", "train", "notes", "notes", 3), attempt.folder)
    with (attempt.folder / ACCESS).open("a") as half:
        half.write('{"time": "20')

    def crash(*_: Any, **__: Any) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(homing.shutil, "rmtree", crash)
        with pytest.raises(Crash):
            give_up(tmp_path, attempt)
    recover(tmp_path)
    assert [json.loads(line)["part"] for line in (tmp_path / ACCESS).read_text().splitlines()] == ["train"]


@pytest.mark.parametrize("seed", range(40))
def test_each_run_is_there_once_whoever_dies_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Workers and the study's own process end at random moments; some workers only seem to."""
    draw = random.Random(seed)
    jobs = [make_job(f"tiny-{number}", draw.randint(1, 3)) for number in range(3)]
    crash_sometimes(monkeypatch, draw)
    cut_off: list[tuple[Writer, Job]] = []
    published: dict[str, tuple[str, str]] = {}
    for step in range(200):
        try:
            recover(tmp_path)
            known = set(completions_by_run(tmp_path))
            for job in jobs:
                rest = Job(tuple(run for run in job.runs if run.id not in known))
                if rest.runs:
                    work(tmp_path, rest, f"worker {step}", draw, cut_off)
        except Crash:
            pass
        if cut_off and draw.random() < 0.5:
            # Back from wherever it was: it writes on as if nothing had happened.
            late, job = cut_off.pop()
            for run in job.runs:
                late.train(run)
        for run in completions_by_run(tmp_path):
            # A record and its weights are by the same worker, and what was there before stays.
            assert len(set(writer := writer_of(tmp_path, run))) == 1
            assert published.setdefault(run, writer) == writer
        if len(published) == sum(len(job.runs) for job in jobs):
            break
    assert len(published) == sum(len(job.runs) for job in jobs)


def work(study: Path, job: Job, name: str, draw: random.Random, cut_off: list[tuple[Writer, Job]]) -> None:
    attempt = open_attempt(study, job)
    worker = Writer(attempt, job, name)
    for run in job.runs:
        if draw.random() < 0.2:
            if draw.random() < 0.5:
                cut_off.append((worker, job))
            give_up(study, attempt)
            return
        worker.train(run)
        worker.save()
        if draw.random() < 0.5:
            carry_over(study, attempt)
    finish(study, attempt)


def crash_sometimes(monkeypatch: pytest.MonkeyPatch, draw: random.Random) -> None:
    """Before or after any move of a file, any removal and any renaming of an attempt."""

    def unsteady(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if draw.random() < 0.03:
                raise Crash
            answer = real(*arguments, **options)
            if draw.random() < 0.03:
                raise Crash
            return answer

        return call

    for name in ("_move", "add_readings"):
        monkeypatch.setattr(homing, name, unsteady(getattr(homing, name)))
    monkeypatch.setattr(homing.shutil, "rmtree", unsteady(homing.shutil.rmtree))
    monkeypatch.setattr(Attempt, "give_up", unsteady(Attempt.give_up))


def test_what_an_earlier_version_left_comes_home(tmp_path: Path) -> None:
    job = make_job()
    attempt = open_attempt(tmp_path, job)
    Writer(attempt, job, "first").train(job.runs[0])
    runs = [run.id for run in job.runs]
    write_object(attempt.folder / LEASE, {"job": job.id, "runs": runs, "final": True})
    assert recover(tmp_path) == 1 and list(completions_by_run(tmp_path)) == [job.runs[0].id]


def test_a_leftover_without_a_lease_is_nobodys(tmp_path: Path) -> None:
    job = make_job()
    attempt = open_attempt(tmp_path, job)
    Writer(attempt, job, "late").train(job.runs[0])
    (attempt.folder / LEASE).unlink()
    assert recover(tmp_path) == 0
    assert not completions_by_run(tmp_path) and not (tmp_path / ATTEMPTS).exists()
