"""`deidlab study report`: what it prints, what it writes, and what it says of mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from deidlab.cli.study.report import report
from deidlab.errors import ConfigError, UnknownNameError
from tests.unit.report.study_folder import write_study

app = typer.Typer()
app.command()(report)
QUICK = ("--resamples", "20")


def call(*arguments: str) -> tuple[str, str]:
    done = CliRunner().invoke(app, [*arguments, *QUICK])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_it_prints_the_tables_and_writes_beside_the_study(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "s")
    out, err = call(str(folder), "--format", "html,json")
    assert "Table 4: settings selected" in out and "Table 5" in out
    assert "missing: 1 run failed" in err
    assert f"wrote 2 files to {folder / 'report'}" in err
    assert {path.name for path in (folder / "report").iterdir()} == {"index.html", "report.json"}


def test_json_is_the_answer_and_writes_nothing_unasked(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "s")
    out, err = call(str(folder), "--json")
    answer = json.loads(out)
    assert list(answer) == ["name", "title", "summary", "missing", "tables", "figures", "provenance"]
    assert answer["tables"]["table-5-overall"]["rows"][0]["model"] == "roberta"
    assert not (folder / "report").exists() and err == ""
    call(str(folder), "--json", "--out", str(tmp_path / "out"), "--format", "csv")
    assert (tmp_path / "out" / "tables" / "table-5-overall.csv").is_file()


def test_a_study_file_stands_for_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path / "mine-study")
    out, _ = call("mine.toml", "--json")
    assert json.loads(out)["name"] == "fixture"


def test_patients_can_be_drawn_instead_of_documents(tmp_path: Path) -> None:
    out, _ = call(str(write_study(tmp_path)), "--json", "--unit", "patient", "--confidence", "0.9")
    answer = json.loads(out)
    assert answer["provenance"]["This report"]["unit"] == "patient"
    assert "90% intervals" in answer["tables"]["privacy"]["note"]
    assert "by patient" in answer["tables"]["significance"]["note"]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no study is here"):
        call(str(tmp_path))
    folder = write_study(tmp_path / "s")
    with pytest.raises(UnknownNameError, match="did you mean markdown"):
        call(str(folder), "--format", "markdwon")
    with pytest.raises(UnknownNameError, match="unit"):
        call(str(folder), "--unit", "ward")
