"""Runs of a grid, the study's Table 2, sharing, and successive halving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deidlab.errors import ConfigError
from deidlab.study.completing import completions_by_run
from deidlab.study.grid import expand_runs, run_from
from deidlab.study.jobs import Agenda, expected_rungs, group_runs, next_jobs
from deidlab.study.reading import read_spec
from deidlab.study.selection import select_runs
from deidlab.train.presets import preset_grid
from tests.unit.study.builders import finish, make_spec

STUDIES = Path(__file__).parents[3] / "studies"
FIVE = [10, 20, 30, 40, 50]
TABLE_2: dict[str, tuple[int, list[int], list[float], list[float]]] = {
    "bert-base": (35, FIVE, [1e-4, 1e-5], [0.0, 0.01, 0.025]),
    "roberta-base": (35, FIVE, [1e-4, 1e-5], [0.0, 0.01, 0.025]),
    "albert-base": (35, FIVE, [1e-4, 1e-5], [0.0, 0.01, 0.025]),
    "bert-large": (12, FIVE, [1e-4, 1e-5], [0.0, 0.01, 0.025]),
    "roberta-large": (12, [*FIVE, 75, 100], [1e-4, 1e-5, 1e-6], [0.0, 0.01, 0.025, 0.05, 0.10]),
    "albert-xxlarge": (6, FIVE, [1e-4, 1e-5], [0.0, 0.01, 0.025]),
}
PUBLISHED = {
    "bert-base": "bert-base-uncased",
    "albert-base": "albert-base-v2",
    "bert-large": "bert-large-uncased",
    "albert-xxlarge": "albert-xxlarge-v2",
}


@pytest.mark.parametrize(("file", "by"), [("meaney-2022", "document"), ("meaney-2022-patient", "patient")])
def test_the_study_is_table_2(file: str, by: str) -> None:
    spec = read_spec(STUDIES / f"{file}.toml")
    runs = expand_runs(spec)
    assert list(runs) == list(TABLE_2)
    for name, (batch, epochs, rates, decays) in TABLE_2.items():
        wanted = {(batch, e, r, d) for e in epochs for r in rates for d in decays}
        found = [
            (s.batch, s.epochs, s.learning_rate, s.weight_decay) for s in (run.settings for run in runs[name])
        ]
        assert len(found) == len(wanted) == (105 if name == "roberta-large" else 30)
        assert set(found) == wanted
        known = preset_grid("meaney-2022", PUBLISHED.get(name, name))
        assert wanted == {(s.batch, s.epochs, s.learning_rate, s.weight_decay) for s in known}
        assert {run.settings.schedule for run in runs[name]} == {"linear"}
        assert {run.settings.keep for run in runs[name]} == {"last"}
    assert sum(map(len, runs.values())) == 255
    assert (spec.split.ratios, spec.split.by) == ("50:10:40", by)
    assert [model.model for model in spec.models] == [PUBLISHED.get(name, name) for name in TABLE_2]


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_shipped_study_can_be_read(path: Path) -> None:
    runs = expand_runs(read_spec(path))
    assert all(runs.values())


def test_names_follow_from_settings() -> None:
    spec = make_spec(2, grid={"learning_rate": [1e-3, 2e-3], "seed": [1, 2]})
    runs = expand_runs(spec)
    names = [run.id for each in runs.values() for run in each]
    assert len(set(names)) == 8
    assert names == [run.id for each in expand_runs(spec).values() for run in each]
    assert run_from(runs["tiny1"][0].as_dict()) == runs["tiny1"][0]


def test_a_grid_that_is_no_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="must be a list"):
        expand_runs(make_spec(grid={"epochs": 3}))
    with pytest.raises(ConfigError, match="did you mean 'epochs'"):
        expand_runs(make_spec(grid={"epoch": [3]}))


def test_a_warm_up_in_epochs() -> None:
    runs = expand_runs(make_spec(grid={"epochs": [4, 8], "warmup_epochs": [1]}))["tiny1"]
    assert [run.settings.warmup for run in runs] == [0.25, 0.125]


def lengths(jobs: Any) -> list[list[int]]:
    return [[run.settings.epochs for run in job.runs] for job in jobs]


def test_only_a_schedule_that_allows_it_is_shared() -> None:
    grid = {"epochs": [4, 2, 6], "learning_rate": [1e-3, 2e-3]}
    shared: dict[str, Any] = {"grid": grid, "run": {"share": True}}
    settings = {"batch": 4, "schedule": "constant"}
    assert lengths(next_jobs(make_spec(settings=settings, **shared), {})) == [[2, 4, 6], [2, 4, 6]]
    assert lengths(next_jobs(make_spec(settings=settings, grid=grid), {})) == [[4], [4], [2], [2], [6], [6]]
    for change in ({"schedule": "linear"}, {"patience": 2}, {"warmup": 0.1}, {"validate_every": 4}):
        spec = make_spec(settings=settings | change, **shared)
        assert max(map(len, lengths(next_jobs(spec, {})))) < 3, change
    warm = make_spec(settings=settings, **(shared | {"grid": grid | {"warmup_epochs": [1]}}))
    assert lengths(next_jobs(warm, {})) == [[2, 4, 6], [2, 4, 6]]


def test_what_has_ended_is_not_trained_again(tmp_path: Path) -> None:
    spec = make_spec(settings={"schedule": "constant"}, grid={"epochs": [2, 4, 6]}, run={"share": True})
    job = next_jobs(spec, {})[0]
    finish(tmp_path, job.runs[0], 0.5)
    finish(tmp_path, job.runs[1], None, error="lost")
    left = next_jobs(spec, completions_by_run(tmp_path))
    assert lengths(left) == [[6]]
    assert left[0].id == job.id


HALVED = {
    "grid": {"learning_rate": [1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 9e-3]},
    "settings": {"epochs": 18},
    "halving": {"eta": 3, "min_epochs": 2},
}


def test_halving_goes_rung_by_rung(tmp_path: Path) -> None:
    spec = make_spec(**HALVED)
    model = spec.models[0]
    first = next_jobs(spec, {})
    assert lengths(first) == [[2]] * 9
    for place, job in enumerate(first):
        finish(tmp_path, job.runs[0], 0.1 * place)
        if place < 8:
            assert len(next_jobs(spec, completions_by_run(tmp_path))) == 8 - place
    second = next_jobs(spec, completions_by_run(tmp_path))
    assert [job.runs[0].settings.learning_rate for job in second] == [7e-3, 8e-3, 9e-3]
    assert lengths(second) == [[6]] * 3
    assert [job.runs[0].before for job in second] == [job.runs[0].id for job in first[6:]]
    for job, f1 in zip(second, (0.9, 0.8, None), strict=True):
        finish(tmp_path, job.runs[0], f1, error=None if f1 else "lost")
    third = next_jobs(spec, completions_by_run(tmp_path))
    assert [(job.runs[0].settings.learning_rate, job.epochs, job.runs[0].final) for job in third] == [
        (7e-3, 18, True)
    ]
    finish(tmp_path, third[0].runs[0], 0.7)
    known = completions_by_run(tmp_path)
    assert next_jobs(spec, known) == []
    agenda = Agenda(spec)
    agenda.open(known)
    order = agenda.order()
    assert len(order["tiny1"]) == 13
    # Lower rungs score higher here, and are still no candidates.
    assert select_runs(spec, known, order)["tiny1"]["run"] == third[0].id
    assert [(len(rung), rung[0].settings.epochs) for rung in expected_rungs(spec, model)] == [
        (9, 2),
        (3, 6),
        (1, 18),
    ]


def test_an_agenda_opens_each_job_once_and_expands_no_grid_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_spec(2, **HALVED)
    agenda = Agenda(spec, expand_runs(spec))

    def expand_again(*_: object) -> None:
        raise AssertionError("a grid is expanded again")

    monkeypatch.setattr("deidlab.study.grid.expand_settings", expand_again)
    given: list[str] = []
    opened = agenda.open({})
    while opened:
        given += [job.id for job in opened]
        assert agenda.open(completions_by_run(tmp_path)) == []
        for place, job in enumerate(opened):
            finish(tmp_path, job.runs[0], 0.1 * place)
        opened = agenda.open(completions_by_run(tmp_path))
    assert len(given) == len(set(given)) == 26
    assert [len(names) for names in agenda.order().values()] == [13, 13]
    monkeypatch.undo()
    assert next_jobs(spec, completions_by_run(tmp_path)) == []


def test_ties_go_to_fewer_epochs_then_to_the_first(tmp_path: Path) -> None:
    spec = make_spec(grid={"epochs": [6, 3], "learning_rate": [1e-3, 2e-3]})
    runs = expand_runs(spec)["tiny1"]
    for run, f1 in zip(runs, (0.9, 0.9, 0.9, 0.9), strict=True):
        finish(tmp_path, run, f1)
    chosen = select_runs(spec, completions_by_run(tmp_path), {"tiny1": [run.id for run in runs]})["tiny1"]
    assert (chosen["run"], chosen["runner_up"]) == (runs[2].id, runs[3].id)


def test_jobs_hold_runs_in_order_of_length() -> None:
    runs = expand_runs(make_spec(settings={"schedule": "constant"}, grid={"epochs": [5, 1, 3]}))["tiny1"]
    assert lengths(group_runs(runs, share=True)) == [[1, 3, 5]]
