"""The headline of a study's report: the best row of all, by validation F1, and not the first one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.report.study.report import build_report
from deidlab.study.predictions import write_predictions
from deidlab.study.records import predictions_path, read_study
from tests.unit.report.conftest import RESAMPLE
from tests.unit.report.study_folder import PARTS, write_study


def add_perfect_row(folder: Path, name: str, kind: str) -> None:
    """A row that found what people marked; like a hybrid's record, it names the run of its member."""
    table = json.loads((folder / "tests" / "tiny.json").read_text("utf-8"))
    table |= {"name": name, "kind": kind, "members": ["tiny"], "run": "tiny-1", "cross": [], "note": ""}
    (folder / "tests" / f"{name}.json").write_text(json.dumps(table), "utf-8")
    for part, notes in PARTS.items():
        write_predictions(predictions_path(folder, name, part), notes, [note.spans for note in notes])


@pytest.mark.parametrize(("name", "kind"), [("tiny+more", "hybrid"), ("ensemble-best", "ensemble")])
def test_the_headline_is_the_best_row(tmp_path: Path, name: str, kind: str) -> None:
    folder = write_study(tmp_path / "study")
    add_perfect_row(folder, name, kind)
    report = build_report(read_study(folder), RESAMPLE)
    assert report.cards[0][1] == name
    table = report.table("table-5-overall")
    assert [table.rows[place][0] for place in table.marked] == [name]


def test_what_was_trained_elsewhere_heads_no_study(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study")
    before = build_report(read_study(folder), RESAMPLE).cards[0][1]
    add_perfect_row(folder, "embedded-es", "baseline")
    report = build_report(read_study(folder), RESAMPLE)
    assert report.cards[0][1] == before
    assert "embedded-es" in [row[0] for row in report.table("beyond").rows]
