"""A selected run, loaded again: it finds what it found, all windows or the first ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.detect.model import load_model  # noqa: E402
from deidlab.errors import ConfigError  # noqa: E402
from deidlab.study.answers import ask_timed  # noqa: E402
from deidlab.study.completing import completions_by_run  # noqa: E402
from deidlab.study.folder import RUNS  # noqa: E402
from deidlab.study.hybrids import add_late_rows  # noqa: E402
from deidlab.study.jobs import next_jobs  # noqa: E402
from deidlab.study.opening import open_study  # noqa: E402
from deidlab.study.records import read_study  # noqa: E402
from deidlab.study.selection import select_runs, write_selection  # noqa: E402
from deidlab.study.spec import CrossSpec, StudySpec  # noqa: E402
from deidlab.study.testing import predict_selected  # noqa: E402
from deidlab.study.training import train_job  # noqa: E402
from deidlab.study.workshop import Workshop  # noqa: E402
from tests.unit.study.builders import SETTINGS, write_notes  # noqa: E402

torch.set_num_threads(1)


def test_models_ensembles_hybrids_and_other_corpora(small: Callable[..., StudySpec], tmp_path: Path) -> None:
    from dataclasses import replace

    (tmp_path / "b").mkdir()
    other = write_notes(tmp_path / "b", 6, seed=9)
    spec = small(
        2, ensembles=["vote", "mean"], hybrids=["rules"], settings=SETTINGS | {"epochs": 12, "shapes": True}
    )
    spec = replace(spec, cross=(CrossSpec("elsewhere", str(other)),))
    folder = tmp_path / "study"
    folder.mkdir()
    study = open_study(spec, folder)
    workshop = Workshop(spec, study.parts, folder, "cpu")
    for job in next_jobs(spec, {}):
        train_job(workshop, job)
    with pytest.raises(ConfigError, match="stay shut"):
        workshop.notes("test", "test")
    known = completions_by_run(folder)
    order = {name: [run.id for run in runs] for name, runs in study.runs.items()}
    selection = write_selection(folder, select_runs(spec, known, order))
    predict_selected(workshop, selection)
    add_late_rows(spec, study.parts, folder, list(read_study(folder).tests), "runs")
    records = read_study(folder)
    assert {test.name for test in records.tests} == {
        "tiny1",
        "tiny2",
        "tiny1+rules",
        "tiny2+rules",
        "ensemble-vote",
        "ensemble-mean",
    }
    own = next(test for test in records.tests if test.name == "tiny1")
    # The weights were written and read again: the validation figures are those of the run.
    assert own.scores["validation"]["f1"] == known[selection.choices["tiny1"].run].f1
    assert own.scores["validation"]["f1"] > 0.3
    assert own.cross == ("elsewhere",)
    assert len(list(records.cross_predictions("tiny1", "elsewhere"))) == 6
    assert len(list(records.predictions("ensemble-mean", "test"))) == 6
    _same_as_detect(workshop, folder / RUNS / selection.choices["tiny1"].run)


def _same_as_detect(workshop: Workshop, run: Path) -> None:
    notes = workshop.notes("test")
    model = load_model(run, threads=1)
    answered, prediction = ask_timed(model, notes)
    assert [spans for spans, _ in answered.predict(notes)] == list(model.find_spans(notes))
    all_windows, first = prediction["all_windows"], prediction["first_window_only"]
    assert all_windows["windows"] > first["windows"] == first["notes"] == len(notes)
    assert all_windows["pieces"] > first["pieces"] > 0 < first["seconds"]
