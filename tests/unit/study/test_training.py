"""Runs of a study: the same as a run alone, the same when they share work, and none lost to a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.study.completing import Timing, completions_by_run  # noqa: E402
from deidlab.study.folder import COMPLETIONS, PROGRESS, RUNS  # noqa: E402
from deidlab.study.jobs import next_jobs  # noqa: E402
from deidlab.study.opening import finish_facts, open_study  # noqa: E402
from deidlab.study.preparing import request_of  # noqa: E402
from deidlab.study.pruning import prune_runs  # noqa: E402
from deidlab.study.records import read_study  # noqa: E402
from deidlab.study.spec import StudySpec  # noqa: E402
from deidlab.study.training import train_job  # noqa: E402
from deidlab.study.workshop import Workshop  # noqa: E402
from deidlab.train.fit import fit  # noqa: E402
from deidlab.train.launch import Launch  # noqa: E402
from deidlab.train.stopping import Interrupted  # noqa: E402
from tests.unit.study.builders import SETTINGS  # noqa: E402

torch.set_num_threads(1)
KEEP_ALL = {"keep": "all"}
Small = Callable[..., StudySpec]


def open_workshop(spec: StudySpec, folder: Path) -> Workshop:
    folder.mkdir(parents=True, exist_ok=True)
    return Workshop(spec, open_study(spec, folder).parts, folder, "cpu")


def train_all(spec: StudySpec, folder: Path) -> Workshop:
    """Every job that there is, in this process."""
    workshop = open_workshop(spec, folder)
    while jobs := next_jobs(spec, completions_by_run(folder)):
        train_job(workshop, jobs[0])
    return workshop


def weights(folder: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in (folder / RUNS).glob("*/model.safetensors")}


def figures(folder: Path) -> dict[str, Any]:
    return {name: each.validation for name, each in completions_by_run(folder).items()}


def test_a_run_of_a_study_is_a_run_alone(small: Small, tmp_path: Path) -> None:
    spec = small(grid={"learning_rate": [1e-3, 3e-3]}, run=KEEP_ALL)
    workshop = train_all(spec, tmp_path / "study")
    for name, kept in weights(tmp_path / "study").items():
        settings = next(run.settings for job in next_jobs(spec, {}) for run in job.runs if run.id == name)
        request = request_of(workshop, spec.models[0])
        notes = workshop.notes("train"), workshop.notes("validation")
        alone = fit(*notes, request, settings, Launch(tmp_path / "alone" / name, device="cpu"))
        assert (alone.folder / "model.safetensors").read_bytes() == kept
        assert alone.record["validation"]["f1"] == figures(tmp_path / "study")[name]["strict_f1"]


@pytest.mark.parametrize(
    "extra", [{}, {"warmup_epochs": [1]}, {"average": [0.9]}, {"keep": ["best"]}], ids=str
)
def test_lengths_that_share_a_training_come_out_the_same(small: Small, tmp_path: Path, extra: Any) -> None:
    settings = SETTINGS | {"schedule": "constant"}
    grid = {"epochs": [1, 2, 4]} | ({} if "warmup_epochs" not in extra else {"epochs": [2, 3, 4]}) | extra
    apart = small(settings=settings, grid=grid, run=KEEP_ALL)
    shared = small(settings=settings, grid=grid, run=KEEP_ALL | {"share": True})
    train_all(apart, tmp_path / "apart")
    train_all(shared, tmp_path / "shared")
    assert weights(tmp_path / "shared") == weights(tmp_path / "apart")
    assert figures(tmp_path / "shared") == figures(tmp_path / "apart")
    known = completions_by_run(tmp_path / "shared").values()
    longest = max(known, key=lambda each: each.settings["epochs"])
    assert {each.shares for each in known if each is not longest} == {longest.run}


def test_a_shared_training_that_was_cut_off_goes_on(small: Small, tmp_path: Path) -> None:
    settings = SETTINGS | {"schedule": "constant"}
    spec = small(settings=settings, grid={"epochs": [2, 4]}, run=KEEP_ALL | {"share": True})
    train_all(spec, tmp_path / "whole")
    workshop = open_workshop(spec, tmp_path / "cut")

    def cut(_run: Any, entry: dict[str, Any]) -> None:
        if entry["epoch"] == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_job(workshop, next_jobs(spec, {})[0], cut)
    before = {path.name: path.read_bytes() for path in (tmp_path / "cut" / COMPLETIONS).iterdir()}
    assert len(before) == 1
    train_all(spec, tmp_path / "cut")
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")
    after = {path.name: path.read_bytes() for path in (tmp_path / "cut" / COMPLETIONS).iterdir()}
    assert len(after) == 2 and before.items() <= after.items()
    assert sorted(each.attempts for each in completions_by_run(tmp_path / "cut").values()) == [1, 2]


def test_halving_takes_up_the_rung_below(small: Small, tmp_path: Path) -> None:
    settings = SETTINGS | {"schedule": "constant", "epochs": 4}
    grid = {"learning_rate": [1e-5, 3e-3]}
    halved = small(settings=settings, grid=grid, run=KEEP_ALL, halving={"eta": 2, "min_epochs": 2})
    train_all(halved, tmp_path / "halved")
    train_all(small(settings=settings, grid=grid, run=KEEP_ALL), tmp_path / "full")
    known = completions_by_run(tmp_path / "halved")
    last = next(each for each in known.values() if each.final)
    assert [(each.rung, each.settings["epochs"]) for each in known.values() if not each.final] == [
        (1, 2),
        (1, 2),
    ]
    assert len(last.epochs) == 4
    full = {
        each.settings["learning_rate"]: each.run for each in completions_by_run(tmp_path / "full").values()
    }
    same = full[last.settings["learning_rate"]]
    assert weights(tmp_path / "halved")[last.run] == weights(tmp_path / "full")[same]
    # Two epochs of the rung below were not trained again: this rung's steps are those of the other two.
    assert last.speed["train"]["seconds"] < sum(float(each["seconds"]) for each in last.epochs)


def test_a_schedule_that_falls_starts_again(small: Small, tmp_path: Path) -> None:
    settings = SETTINGS | {"epochs": 4}
    spec = small(
        settings=settings,
        grid={"learning_rate": [1e-5, 3e-3]},
        run=KEEP_ALL,
        halving={"eta": 2, "min_epochs": 2},
    )
    train_all(spec, tmp_path / "halved")
    rates = {
        each.rung: each.epochs[0]["learning_rate"] / each.settings["learning_rate"]
        for each in completions_by_run(tmp_path / "halved").values()
    }
    assert rates == {1: pytest.approx(0.5), 2: pytest.approx(0.75)}


def test_a_failed_run_is_recorded_and_the_others_go_on(small: Small, tmp_path: Path) -> None:
    spec = small(2, grid={"window": [48, 64, 200]}, settings=SETTINGS | {"epochs": 1})
    train_all(spec, tmp_path / "study")
    known = completions_by_run(tmp_path / "study").values()
    failed = [each for each in known if not each.is_done]
    assert (len(known), len(failed)) == (6, 2)
    assert all("longer than this model's limit" in (each.error or "") for each in failed)
    assert all(each.validation is None for each in failed)


def test_only_the_best_weights_stay(small: Small, tmp_path: Path) -> None:
    spec = small(2, grid={"learning_rate": [1e-6, 3e-3, 1e-3]}, settings=SETTINGS | {"epochs": 3})
    folder = tmp_path / "study"
    workshop = train_all(spec, folder)
    known = completions_by_run(folder)
    prune_runs(spec, folder, known)
    best = {
        model.name: max((each.f1 or 0.0) for each in known.values() if each.model == model.name)
        for model in spec.models
    }
    for name in weights(folder):
        assert known[name].f1 == best[known[name].model]
    assert {known[name].model for name in weights(folder)} == {"tiny1", "tiny2"}
    finish_facts(folder, known)
    study = read_study(folder).study
    assert study.labels == ("DATE", "PATIENT")
    assert study.models[0].config["vocab_size"] <= 300
    assert study.corpora["train"]["digest"] == workshop.digest("train")
    assert "digest" not in study.corpora["test"]


def test_records_hold_no_text(small: Small, tmp_path: Path) -> None:
    train_all(small(settings=SETTINGS | {"epochs": 1}), tmp_path / "study")
    names = ("Lopez", "Haddad", "findings")
    for path in (tmp_path / "study").rglob("*.json*"):
        if path.name != "tokenizer.json":
            text = path.read_text("utf-8")
            assert not [name for name in names if name in text], path
    assert json.loads((tmp_path / "study" / "study.json").read_text("utf-8"))["split"]["test"]


def test_gpu_time_begins_when_the_gpu_has_something_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = {"now": 10.0}
    monkeypatch.setattr("deidlab.study.completing.time.perf_counter", lambda: clock["now"])
    (tmp_path / PROGRESS).mkdir()
    (tmp_path / PROGRESS / "job.json").write_text('{"attempts": 1, "seconds": 30.0, "gpu_seconds": 5.0}')
    timing = Timing.start(tmp_path, "job")
    timing.mark = clock["now"]
    clock["now"] = 18.0
    assert (timing.seconds, timing.gpu_seconds) == (38.0, 5.0)
    timing.take_gpu()
    clock["now"] = 20.0
    assert (timing.seconds, timing.gpu_seconds) == (40.0, 7.0)
    assert timing.as_progress() | {"seconds": 40.0, "gpu_seconds": 7.0, "attempts": 2} == timing.as_progress()
    timing.next_run()
    clock["now"] = 25.0
    assert (timing.seconds, timing.gpu_seconds) == (5.0, 5.0)
