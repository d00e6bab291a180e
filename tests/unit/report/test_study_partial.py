"""Reports of studies that lack something: what is not recorded has no row, and the report says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.errors import ConfigError
from deidlab.evaluate.resample import ResampleSettings
from deidlab.report.study.files import report_to_json, write_report
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.report import build_report
from deidlab.report.tables import table_to_rows
from deidlab.study.records import read_study
from tests.unit.report.study_folder import write_study

NO_INTERVALS = ResampleSettings(n_resamples=0)


def report_of(folder: Path) -> StudyReport:
    return build_report(read_study(folder), NO_INTERVALS)


def names_in(report: StudyReport, key: str) -> set[str]:
    """The models that have a row, whatever the table calls them."""
    found = set()
    for table in report.tables:
        if table.key == key:
            for row in table_to_rows(table):
                found |= {
                    str(row[column]) for column in ("model", "first", "second", "name") if column in row
                }
    return found


OF_A_MODEL = (
    "table-4-selected", "curves", "validation", "validation-types", "table-5-overall", "table-5-test-intervals", "table-5-validation-intervals",
    "table-5-train-intervals", "table-5-published", "significance", "entities", "hipaa", "privacy", "types", "errors",
    "confusions", "table-6-training", "table-6-prediction", "cross",
)  # fmt: skip


def test_a_completion_that_is_gone_takes_its_rows_along(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    whole = report_of(folder)
    (folder / "completions" / "bert-1.json").unlink()
    less = report_of(folder)
    for key in OF_A_MODEL:
        assert "bert" in names_in(whole, key), key
        assert "bert" not in names_in(less, key), key
    assert "bert-1" not in {row["run"] for row in table_to_rows(less.table("settings"))}
    assert "bert" not in {column.title for column in less.table("figure-3-f1-by-type").columns}
    assert any("bert-1" in line for line in less.missing)
    # The ensemble rests on it too; the hybrid does not.
    assert names_in(less, "beyond") == {"roberta+rules"}


@pytest.mark.parametrize("run", ["bert-0", "roberta-2", "tiny-0", "bert-3"])
def test_any_completion_that_is_gone_has_no_row(tmp_path: Path, run: str) -> None:
    folder = write_study(tmp_path)
    before = report_of(folder)
    (folder / "completions" / f"{run}.json").unlink()
    after = report_of(folder)
    gone = {row["run"] for row in table_to_rows(before.table("settings"))} - {
        row["run"] for row in table_to_rows(after.table("settings"))
    }
    assert gone == {run}
    model = run.partition("-")[0]
    costs = [
        {row["model"]: row["runs"] for row in table_to_rows(report.table("cost"))}[model]
        for report in (before, after)
    ]
    assert costs[0] - costs[1] == 1
    assert "failures" not in {table.key for table in after.tables} or run != "bert-3"
    assert any(f"of {model} not ended yet" in line for line in after.missing)


@pytest.mark.parametrize("name", ["tiny", "ensemble-vote", "roberta+rules"])
def test_a_test_record_that_is_gone_has_no_row(tmp_path: Path, name: str) -> None:
    folder = write_study(tmp_path)
    (folder / "tests" / f"{name}.json").unlink()
    report = report_of(folder)
    for key in ("table-5-overall", "entities", "hipaa", "privacy", "types", "errors", "beyond"):
        assert name not in names_in(report, key), key
    if name == "tiny":
        assert "tiny is selected but not tested yet." in report.missing


def test_predictions_that_are_gone_are_said(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    (folder / "tests" / "predictions" / "bert.train.jsonl.gz").unlink()
    report = report_of(folder)
    assert "No train figures of bert: their predictions were not kept." in report.missing
    row = next(row for row in table_to_rows(report.table("table-5-overall")) if row["model"] == "bert")
    assert row["train_f1"] is None and row["test_f1"] is not None


def test_a_study_under_way_has_a_report(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "s", selected=False)
    report = report_of(folder)
    keys = {table.key for table in report.tables}
    assert {"table-1-models", "table-2-search", "table-4-selected", "settings", "effects", "cost"} <= keys
    assert {"validation", "validation-types"} <= keys
    assert not {"table-5-overall", "significance", "types"} & keys
    pictures = {picture.key for picture in report.pictures}
    assert "figure-3-validation" in pictures and "figure-3" not in pictures
    assert "so far" in report.table("table-4-selected").title
    assert any(line.startswith("No setting is selected yet: Table 4") for line in report.missing)
    written = write_report(report, tmp_path / "out")
    assert (tmp_path / "out" / "index.html") in written
    json.dumps(report_to_json(report))


def test_a_study_that_has_only_begun_has_a_report(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "s", selected=False)
    for path in (folder / "completions").iterdir():
        path.unlink()
    report = report_of(folder)
    assert [table.key for table in report.tables][:1] == ["table-2-search"]
    assert sum("not ended yet" in line for line in report.missing) == 3
    write_report(report, tmp_path / "out")


def test_selected_but_not_tested(tmp_path: Path) -> None:
    report = report_of(write_study(tmp_path, tested=False))
    assert sum("selected but not tested yet" in line for line in report.missing) == 3


def test_a_study_without_intervals_prints_plain_figures(tmp_path: Path) -> None:
    report = report_of(write_study(tmp_path))
    table = report.table("table-5-test-intervals")
    assert "(" not in next(iter(table.text_rows()))[4]
    assert "No intervals were asked for." in table.note


def test_labels_of_no_scheme_have_no_hipaa_measures(tmp_path: Path) -> None:
    import gzip

    folder = write_study(tmp_path)
    for path in (folder / "tests").rglob("*.jsonl.gz"):
        text = gzip.decompress(path.read_bytes()).decode()
        for label in ("PATIENT", "DATE", "DOCTOR", "AGE", "PHONE"):
            text = text.replace(f'"{label}"', f'"OWN-{label}"')
        path.write_bytes(gzip.compress(text.encode()))
    report = report_of(folder)
    assert "hipaa" not in {table.key for table in report.tables}
    assert any(line.startswith("HIPAA measures:") for line in report.missing)


def test_without_models_of_the_study_nothing_published_is_shown(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    path = folder / "study.json"
    table = json.loads(path.read_text())
    table["models"] = [model for model in table["models"] if model["name"] == "tiny"]
    path.write_text(json.dumps(table))
    report = report_of(folder)
    for key in ("table-1-models", "table-2-search", "table-4-selected", "table-6-prediction"):
        shown = report.table(key)
        assert not [column.key for column in shown.columns if column.key.startswith("published")]
        assert "Published" not in shown.note
    assert not {"table-5-published", "table-6-published"} & {table.key for table in report.tables}


def test_a_check_that_does_not_hold_is_shown(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    path = folder / "tests" / "bert.json"
    table = json.loads(path.read_text())
    table["scores"] = {"test": {"f1": 0.99}}
    table["opened_at"] = "2026-03-01T09:30:00.000000Z"
    path.write_text(json.dumps(table))
    with (folder / "access.jsonl").open("a") as file:
        line = {
            "time": "2026-03-01T09:30:00Z",
            "step": "peek",
            "part": "test",
            "what": "notes",
            "selected": False,
        }
        file.write(json.dumps(line) + "\n")
    wrong = [row["check"] for row in table_to_rows(report_of(folder).table("checks")) if not row["holds"]]
    assert wrong == [
        "no test note was read before selection",
        "every test came after selection",
        "figures computed here equal those recorded when the notes were read",
    ]


def test_a_folder_without_a_study_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no study is here"):
        report_of(tmp_path)
