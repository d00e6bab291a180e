"""The tables of a study's search, its curves, speed and cost, computed again from the records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.evaluate.compare import compare_systems
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.report import build_report
from deidlab.report.study.runs import seconds_to_train
from deidlab.report.study.tables.search import explained
from deidlab.study.records import read_study
from tests.unit.report.conftest import RESAMPLE
from tests.unit.report.study_folder import MODELS, true_pairs, write_study
from tests.unit.report.table_reading import completions, plain, rows


def test_every_setting_is_listed_with_its_validation_f1(study: Path, study_report: StudyReport) -> None:
    records = completions(study)
    table = rows(study_report, "settings")
    assert {row["run"] for row in table} == set(records)
    for row in table:
        measured = records[row["run"]]["validation"] or {}
        assert row["f1"] == measured.get("f1")
        assert row["status"] == records[row["run"]]["status"]
        assert row["learning_rate"] == records[row["run"]]["settings"]["learning_rate"]


def test_effects_are_means_over_the_other_settings(study: Path, study_report: StudyReport) -> None:
    done = [run for run in completions(study).values() if run["status"] == "done"]
    keys = {"Epochs": "epochs", "Learning rate": "learning_rate"}
    table = rows(study_report, "effects")
    assert len(table) == 4 + 4 + 2
    for row in table:
        scores = [
            run["validation"]["f1"]
            for run in done
            if run["model"] == row["model"] and run["settings"][keys[row["setting"]]] == float(row["value"])
        ]
        assert row["runs"] == len(scores)
        assert row["mean_f1"] == pytest.approx(sum(scores) / len(scores))
        assert (row["best_f1"], row["worst_f1"]) == (max(scores), min(scores))


def test_importance_sums_up_the_effects(study_report: StudyReport) -> None:
    effects = rows(study_report, "effects")
    table = rows(study_report, "importance")
    assert len(table) == 5
    for row in table:
        means = {
            e["value"]: e["mean_f1"]
            for e in effects
            if (e["model"], e["setting"]) == (row["model"], row["setting"])
        }
        assert row["values"] == len(means)
        assert row["range"] == pytest.approx(max(means.values()) - min(means.values()))
        assert means[row["best"]] == pytest.approx(max(means.values()))


def test_explained_variance_is_a_share() -> None:
    assert explained({"a": [0.5, 0.5], "b": [0.9, 0.9]}) == pytest.approx(1.0)
    assert explained({"a": [0.5, 0.9], "b": [0.9, 0.5]}) == pytest.approx(0.0)
    assert explained({"a": [0.5], "b": [0.5]}) is None


def test_learning_curves_are_the_histories_of_the_selected_runs(
    study: Path, study_report: StudyReport
) -> None:
    records = completions(study)
    table = rows(study_report, "curves")
    for model in MODELS:
        expected = [
            (entry["epoch"], entry["train"]["loss"], entry["validation"]["f1"])
            for entry in records[f"{model}-1"]["epochs"]
        ]
        assert [
            (r["epoch"], r["train_loss"], r["validation_f1"]) for r in table if r["model"] == model
        ] == expected


def test_table_6_divides_what_was_counted(study_report: StudyReport) -> None:
    training = {row["model"]: row for row in rows(study_report, "table-6-training")}
    assert training["bert"]["pieces_per_second"] == 5000.0
    # Four epochs of a second each leave no doubt.
    assert training["tiny"]["pieces_per_second"] == {"value": 5000.0, "low": 5000.0, "high": 5000.0}
    prediction = {(row["model"], row["way"]): row for row in rows(study_report, "table-6-prediction")}
    whole, first = prediction["bert", "whole notes"], prediction["bert", "first window only"]
    assert (whole["notes_per_second"], whole["windows_per_second"], whole["pieces_per_second"]) == (
        24,
        48,
        4800,
    )
    assert (first["notes_per_second"], first["pieces_per_second"], first["steps_per_second"]) == (
        48,
        6000,
        12,
    )
    assert (first["published_samples_per_second"], whole["published_samples_per_second"]) == (40.918, None)


def test_the_published_table_6_is_an_evaluation_of_137_notes(study_report: StudyReport) -> None:
    for row in rows(study_report, "table-6-published"):
        assert row["samples_per_step"] == pytest.approx(row["notes_per_step"], abs=0.02)


def test_cost_is_time_times_price(study: Path, study_report: StudyReport) -> None:
    records = completions(study).values()
    for row in rows(study_report, "cost"):
        own = [run for run in records if row["model"] in ("all", run["model"])]
        assert row["runs"] == len(own)
        assert row["device_seconds"] == sum(run["gpu_seconds"] for run in own)
        assert row["cost"] == pytest.approx(row["device_seconds"] / 3600 * 3.0)
        assert row["epochs"] == sum(len(run["epochs"]) for run in own)


def test_lengths_that_share_a_training_are_counted_once(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    path = folder / "completions" / "roberta-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"shares": "roberta-3", "gpu_seconds": 20.0}))
    report = build_report(read_study(folder), ResampleSettings(n_resamples=0))
    records = read_study(folder)
    runs = {run.run: run for run in records.completions}
    assert seconds_to_train(records, runs["roberta-1"]) == 20.0
    assert seconds_to_train(records, runs["roberta-3"]) == 20.0 + 36.0
    assert seconds_to_train(records, runs["roberta-0"]) == 36.0
    costs = {row["model"]: row for row in rows(report, "cost")}
    assert (costs["roberta"]["shared"], costs["roberta"]["epochs"]) == (1, 2 + 4 + 4)
    assert costs["roberta"]["device_seconds"] == 3 * 36.0 + 20.0


def test_ensembles_are_compared_with_the_best_model(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    for row in rows(study_report, "beyond"):
        gap = compare_systems(scored["test"]["roberta"].tally, scored["test"][row["name"]].tally, RESAMPLE)
        assert row["difference"]["value"] == gap["words.f1"].difference
        assert row["p"] == gap["words.f1"].p_randomisation


def test_other_corpora_have_their_own_scores(study_report: StudyReport) -> None:
    settings = ScoreSettings(resample=RESAMPLE)
    table = {(row["model"], row["corpus"]): row for row in rows(study_report, "cross")}
    for name in MODELS:
        (score,) = score_systems({name: true_pairs(name, "other")}, settings)
        assert table[name, "other"]["f1"] == plain(score.figures.intervals.headline["words.f1"])
        home = table[name, "(its own test part)"]["f1"]["value"]
        assert table[name, "other"]["drop"] == pytest.approx(table[name, "other"]["f1"]["value"] - home)


def test_the_checks_hold(study_report: StudyReport) -> None:
    assert all(row["holds"] for row in rows(study_report, "checks"))
    assert len(rows(study_report, "checks")) == 6
    assert [(row["part"], row["selection"]) for row in rows(study_report, "access")][-1] == ("test", "after")
