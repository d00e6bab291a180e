"""Every table of a study's report, computed again from the records by another way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from deidlab.encode.words import cut_words, find_words
from deidlab.evaluate.compare import compare_systems
from deidlab.evaluate.resample import Interval, ResampleSettings
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.labels import load_label_set, load_map
from deidlab.report.study_cells import to_rows
from deidlab.report.study_models import seconds_to_train
from deidlab.report.study_overall import holm
from deidlab.report.study_parts import StudyReport
from deidlab.report.study_predictions import map_labels
from deidlab.report.study_report import build_report
from deidlab.report.study_search import explained
from deidlab.report.study_type_gaps import type_gaps
from deidlab.study.records import read_study
from deidlab.types import Document
from tests.unit.report.conftest import RESAMPLE
from tests.unit.report.study_folder import ERRORS, MODELS, PARTS, true_pairs, write_study

ORDER = ["roberta", "bert", "tiny", "roberta+rules", "ensemble-vote"]


def rows(report: StudyReport, key: str) -> list[dict[str, Any]]:
    return to_rows(report.table(key))


def completions(study: Path) -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text()) for path in (study / "completions").glob("*.json")}


@pytest.fixture(scope="module")
def scored() -> dict[str, dict[str, SystemScore]]:
    """The rows scored on the notes' own text."""
    settings = ScoreSettings(resample=RESAMPLE)
    return {
        part: {each.name: each for each in score_systems({n: true_pairs(n, part) for n in ERRORS}, settings)}
        for part in PARTS
    }


def plain(value: Interval) -> dict[str, float | None]:
    return {"value": value.value, "low": value.low, "high": value.high}


def test_table_1_has_the_parameters_of_the_runs(study_report: StudyReport) -> None:
    table = {row["model"]: row for row in rows(study_report, "table-1-models")}
    assert list(table) == list(MODELS)
    assert table["bert"]["parameters"] == table["bert"]["published_parameters"] == 108_923_177
    assert (table["bert"]["layers"], table["bert"]["vocabulary"], table["bert"]["objective"]) == (
        12,
        30522,
        "MLM/NSP",
    )
    tiny = table["tiny"]
    assert (tiny["layers"], tiny["attention"], tiny["feed_forward"], tiny["vocabulary"]) == (2, 32, 64, 500)
    assert tiny["published_parameters"] is None
    assert tiny["size_gib"] == pytest.approx(40_000 * 4 / 2**30)


def test_table_2_lists_the_grid_and_how_far_it_came(study_report: StudyReport) -> None:
    table = {row["model"]: row for row in rows(study_report, "table-2-search")}
    assert table["bert"]["learning_rate"] == "(0.0001, 0.00001)"
    assert table["bert"]["epochs"] == "(2, 4)"
    assert (table["bert"]["settings"], table["bert"]["done"], table["bert"]["failed"]) == (4, 3, 1)
    assert (table["tiny"]["settings"], table["tiny"]["done"], table["tiny"]["published"]) == (2, 2, None)
    assert table["roberta"]["published"] == "35; (10, 20, 30, 40, 50); (0.0001, 0.00001); (0, 0.01, 0.025)"


def test_table_3_counts_the_gold_words(study_report: StudyReport) -> None:
    table = {row["type"]: row for row in rows(study_report, "table-3-corpus")}
    for part, notes in PARTS.items():
        counted: Counter[str] = Counter()
        for note in notes:
            counted.update(_labels_of_words(note))
        total = sum(counted.values())
        for label, n in counted.items():
            assert table[label][f"{part}_words"] == n
            assert table[label][f"{part}_share"] == n / total
    assert table["DATE"]["published_test"] == 5083


def _labels_of_words(note: Document) -> list[str]:
    words = cut_words(find_words(note.text), ((span.start, span.end) for span in note.spans))
    return [
        next((span.label for span in note.spans if span.start <= start and end <= span.end), "Non-PHI")
        for start, end in words
    ]


def test_table_4_has_the_best_run_of_each_model(
    study: Path, study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    done = [run for run in completions(study).values() if run["status"] == "done"]
    table = rows(study_report, "table-4-selected")
    for row in table:
        ranked = sorted(
            (run["validation"]["f1"] for run in done if run["model"] == row["model"]), reverse=True
        )
        assert (row["validation_f1"]["value"], row["runner_up_f1"]) == (ranked[0], ranked[1])
        ends = scored["validation"][row["model"]].figures.intervals.headline["words.f1"]
        assert (row["validation_f1"]["low"], row["validation_f1"]["high"]) == (ends.low, ends.high)
        assert row["of_runs"] == len(ranked)
    assert [row["model"] for row in table] == ["roberta", "bert", "tiny"]
    assert table[0]["published"] == "35; 50; 0.0001; 0.01"
    assert table[0]["published_validation_f1"] == 0.9630


def test_validation_figures_are_those_of_the_runs(study: Path, study_report: StudyReport) -> None:
    records = completions(study)
    table = rows(study_report, "validation")
    assert [row["model"] for row in table] == ["roberta", "bert", "tiny"]
    for row in table:
        measured = records[f"{row['model']}-1"]["validation"]
        assert (row["f1"], row["recall"], row["strict_f1"]) == (
            measured["f1"],
            measured["recall"],
            measured["strict_f1"],
        )
    types = rows(study_report, "validation-types")
    assert len(types) == 3 * 5
    for row in types:
        counts = records[f"{row['model']}-1"]["validation"]["by_label"][row["type"]]
        assert row["words"] == counts["tp"] + counts["fn"]
        assert (row["tp"], row["fp"], row["fn"], row["f1"]) == tuple(
            counts[key] for key in ("tp", "fp", "fn", "f1")
        )


def test_table_5_equals_scoring_the_notes(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    table = rows(study_report, "table-5-overall")
    assert [row["model"] for row in table] == ORDER
    for row in table:
        for part in PARTS:
            headline = scored[part][row["model"]].figures.intervals.headline
            for ratio in ("precision", "recall", "f1", "accuracy"):
                assert row[f"{part}_{ratio}"] == headline[f"words.{ratio}"].value


@pytest.mark.parametrize("part", PARTS)
def test_intervals_are_those_of_resampling_the_notes(
    part: str, study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    for row in rows(study_report, f"table-5-{part}-intervals"):
        headline = scored[part][row["model"]].figures.intervals.headline
        for ratio in ("precision", "recall", "f1", "accuracy"):
            assert row[ratio] == plain(headline[f"words.{ratio}"])


def test_published_figures_stand_beside_ours(study_report: StudyReport) -> None:
    table = {(row["model"], row["part"]): row for row in rows(study_report, "table-5-published")}
    assert set(table) == {(model, part) for model in ("bert", "roberta") for part in PARTS}
    bert, roberta = table["bert", "test"], table["roberta", "validation"]
    assert (bert["published_precision"], bert["published_f1"]) == (0.9380, 0.9410)
    assert (roberta["published_recall"], roberta["published_accuracy"]) == (0.9600, 0.9961)
    for part in PARTS:
        ours = {row["model"]: row for row in rows(study_report, f"table-5-{part}-intervals")}
        assert table["bert", part]["f1"] == ours["bert"]["f1"]


def test_significance_is_the_paired_comparison(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    table = rows(study_report, "significance")
    assert [(row["first"], row["second"]) for row in table] == [
        ("roberta", "bert"),
        ("roberta", "tiny"),
        ("bert", "tiny"),
    ]
    raw = []
    for row in table:
        first, second = (scored["test"][row[side]].tally for side in ("first", "second"))
        gap = compare_systems(second, first, RESAMPLE)
        assert row["f1"] == {
            "value": gap["words.f1"].difference,
            "low": gap["words.f1"].low,
            "high": gap["words.f1"].high,
        }
        assert row["p"] == gap["words.f1"].p_randomisation
        assert row["strict_p"] == gap["strict.f1"].p_randomisation
        raw.append(row["p"])
    assert [row["p_holm"] for row in table] == holm(raw)


def test_holm_steps_down() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [0.03, None, 0.06, 0.06]
    assert holm([0.5, 0.9]) == [1.0, 1.0]


def test_entities_and_privacy_equal_scoring_the_notes(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    names = {
        "words, typed (micro)": "words",
        "entities, strict": "strict",
        "entities, partial overlap": "overlap",
    }
    checked = 0
    for row in rows(study_report, "entities"):
        key = names.get(row["measure"])
        if key:
            checked += 1
            assert row["f1"] == plain(scored["test"][row["model"]].figures.intervals.headline[f"{key}.f1"])
    assert checked == 3 * len(ERRORS)
    for row in rows(study_report, "privacy"):
        privacy = scored["test"][row["model"]].figures.privacy
        assert row["leaked_words"] == privacy.leaked_words
        assert (row["leaking_notes"], row["leaking_upper"]) == (
            privacy.leaking_documents.n,
            privacy.leaking_documents.upper,
        )
        assert row["overmasked_words"] == privacy.overmasked_words


def test_hipaa_measures_are_those_of_the_mapped_labels(study_report: StudyReport) -> None:
    onward = load_map("i2b2-2014--hipaa")
    for reading, label_set, mapping in (("challenge", "hipaa-i2b2", {}), ("safe harbor", "hipaa", onward)):
        settings = ScoreSettings(label_set=load_label_set(label_set), resample=RESAMPLE)
        expected = score_systems({n: map_labels(true_pairs(n, "test"), mapping) for n in ERRORS}, settings)
        found = {row["model"]: row for row in rows(study_report, "hipaa") if row["reading"] == reading}
        for each in expected:
            headline = each.figures.intervals.headline
            assert found[each.name]["f1"] == plain(headline["words.f1"])
            assert found[each.name]["strict_f1"] == plain(headline["strict.f1"])


def test_types_and_errors_add_up(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    for row in rows(study_report, "types"):
        figures = scored["test"][row["model"]].figures
        words = figures.summary.words.by_type[row["type"]]
        assert (row["precision"], row["recall"]) == (words.precision, words.recall)
        assert row["f1"] == plain(figures.intervals.type_f1[row["type"]])
        assert row["leaked"] == figures.privacy.by_type[row["type"]].leaked
    for row in rows(study_report, "errors"):
        counts = scored["test"][row["model"]].figures.summary.words.by_type[row["type"]]
        assert row["right"] == counts.tp
        assert row["missed"] + row["wrong_type"] + row["in_part"] == counts.fn
        assert row["false_alarms"] == counts.fp
    by_type = rows(study_report, "figure-3-f1-by-type")
    assert [row["type"] for row in by_type] == ["DATE", "PHONE", "PATIENT", "DOCTOR", "AGE"]
    for row in by_type:
        for name in ERRORS:
            assert row[name] == plain(scored["test"][name].figures.intervals.type_f1[row["type"]])


def test_differences_by_type_are_paired(
    study_report: StudyReport, scored: dict[str, dict[str, SystemScore]]
) -> None:
    table = rows(study_report, "figure-3-significance")
    assert [(row["first"], row["second"]) for row in table] == [("roberta", "bert")] * 5 + [
        ("roberta", "tiny")
    ] * 5
    for row in table:
        one, two = (
            scored["test"][row[side]].figures.intervals.type_f1[row["type"]].value
            for side in ("first", "second")
        )
        assert one is not None and two is not None
        assert row["f1"]["value"] == pytest.approx(one - two)
        assert row["f1"]["low"] <= row["f1"]["value"] <= row["f1"]["high"]
        assert 0 < row["p"] <= row["p_holm"] <= 1


def test_differences_over_one_type_are_those_over_all(scored: dict[str, dict[str, SystemScore]]) -> None:
    def only_dates(name: str) -> SystemScore:
        mapping = dict.fromkeys(("PATIENT", "DOCTOR", "AGE", "PHONE"), "")
        (score,) = score_systems(
            {name: map_labels(true_pairs(name, "test"), mapping)}, ScoreSettings(resample=RESAMPLE)
        )
        return score

    first, second = only_dates("bert").tally, only_dates("roberta").tally
    expected = compare_systems(first, second, RESAMPLE)["words.f1"]
    found, p = type_gaps(first, second, RESAMPLE)["DATE"]
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.difference, expected.low, expected.high)
    )
    assert p == expected.p_randomisation


def test_confusions_are_counted_in_words(study_report: StudyReport) -> None:
    mistyped: Counter[tuple[str, str]] = Counter()
    for pair in true_pairs("tiny", "test"):
        words = cut_words(find_words(pair.gold.text), ((span.start, span.end) for span in pair.gold.spans))
        for start, end in words:
            sides = [
                next((span.label for span in side.spans if span.start <= start and end <= span.end), "(none)")
                for side in (pair.gold, pair.system)
            ]
            if sides[0] != sides[1]:
                mistyped[sides[0], sides[1]] += 1
    found = {
        (r["gold"], r["found"]): r["words"] for r in rows(study_report, "confusions") if r["model"] == "tiny"
    }
    assert found["PATIENT", "DOCTOR"] == mistyped["PATIENT", "DOCTOR"] > 0
    assert found["(none)", "DOCTOR"] == mistyped["(none)", "DOCTOR"] > 0


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
