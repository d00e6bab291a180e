"""What a person sees while a study runs."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from deidlab.cli.study.watching import Watcher
from deidlab.jsonfile import read_object
from deidlab.study.completing import Timing, completions_by_run, write_progress
from deidlab.study.folder import PROGRESS
from deidlab.study.jobs import next_jobs
from deidlab.study.progress import describe_models, seconds_left
from deidlab.study.running import Snapshot
from tests.unit.study.builders import finish, make_spec

SPEC = make_spec(2, grid={"seed": [1, 2, 3]}, settings={"epochs": 10})


def take(folder: Path, n_running: int = 1, ended: tuple[str, ...] = ()) -> Snapshot:
    known = completions_by_run(folder)
    jobs = next_jobs(SPEC, known)
    return Snapshot(folder, "training", known, tuple(jobs[:n_running]), tuple(jobs[n_running:]), 1, ended)


def test_how_far_each_model_is_and_how_long_it_takes(tmp_path: Path) -> None:
    assert seconds_left(take(tmp_path)) is None
    jobs = next_jobs(SPEC, {})
    finish(tmp_path, jobs[0].runs[0], 0.5)
    finish(tmp_path, jobs[1].runs[0], None, error="lost")
    # An epoch took a second: four runs of ten epochs are left, of which one has four behind it.
    write_progress(tmp_path, jobs[2], jobs[2].runs[0], 4, Timing.start(tmp_path, jobs[2].id))
    said = read_object(tmp_path / PROGRESS / f"{jobs[2].id}.json")
    snapshot = replace(take(tmp_path), said={jobs[2].id: said})
    assert seconds_left(snapshot) == pytest.approx(36.0)
    first, second = describe_models(SPEC, snapshot)
    assert (first.done, first.total, first.failed, first.now, first.best) == (1, 3, 1, "epoch 4/10", 0.5)
    assert (second.done, second.total, second.now) == (0, 3, "waits")
    page = io.StringIO()
    Console(file=page, width=120).print(Watcher(SPEC, quiet=False)._table(snapshot))
    assert "0:36 left" in page.getvalue() and "epoch 4/10" in page.getvalue()


def test_without_a_terminal_each_run_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = next_jobs(SPEC, {})[0].runs[0]
    finish(tmp_path, run, 0.5)
    with Watcher(SPEC, quiet=False) as watcher:
        watcher.show(take(tmp_path, ended=(run.id,)))
        watcher.show(take(tmp_path, ended=(run.id,)))
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith(f"1/6 {run.id}: validation F1 0.5000")
