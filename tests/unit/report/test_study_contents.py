"""A table of a study's report is one file: dropped into the folder, it is in every format."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deidlab.errors import ConfigError
from deidlab.evaluate import measures
from deidlab.evaluate.resample import ResampleSettings
from deidlab.report.study import registry, tables
from deidlab.report.study.contents import CHAPTERS, load_contents
from deidlab.report.study.files import write_report
from deidlab.report.study.report import build_report
from deidlab.study.records import read_study
from tests.unit.evaluate.test_measures import STARTS

TOY = """
from deidlab.report.study.registry import study_table
from deidlab.report.tables import Table, columns_of


@study_table("overall", "toy")
def toy_table(study):
    columns = columns_of(("model", "Model", "text"), ("letters", "Letters", "count"))
    return Table("Letters of each name", columns, tuple((row.name, len(row.name)) for row in study.rows), "A toy.")
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    load_contents()
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY, "utf-8")
    monkeypatch.setattr(tables, "__path__", [*tables.__path__, str(folder)])
    monkeypatch.setattr(registry, "_tables", dict(registry._tables))
    yield
    sys.modules.pop(f"{tables.__name__}.toy", None)


@pytest.mark.usefixtures("toy")
def test_a_table_added_as_one_file_is_in_every_format(study: Path, tmp_path: Path) -> None:
    report = build_report(read_study(study), ResampleSettings(0))
    overall = next(section for section in report.sections if section.key == "overall")
    assert [table.key for table in overall.tables][-1] == "toy"
    write_report(report, tmp_path, ("html", "json", "csv", "latex"))
    assert (tmp_path / "tables" / "toy.csv").read_text() == (
        "model,letters\nroberta,7\nbert,4\ntiny,4\nroberta+rules,13\nensemble-vote,13\n"
    )
    assert r"roberta & 7 \\" in (tmp_path / "tables" / "toy.tex").read_text()
    page = (tmp_path / "index.html").read_text("utf-8")
    assert '<div class="block" id="toy"><h3>Letters of each name</h3>' in page
    assert '<p class="note">A toy.</p>' in page
    assert '"toy"' in (tmp_path / "report.json").read_text()


def test_a_measure_added_to_the_list_is_on_the_study_page(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measures, "MEASURES", (*measures.MEASURES, STARTS))
    write_report(build_report(read_study(study), ResampleSettings(0)), tmp_path, ("html",))
    assert "entities, same start" in (tmp_path / "index.html").read_text("utf-8")


def test_every_table_has_a_place_and_every_place_a_table() -> None:
    load_contents()
    listed = {(each.key, key) for each in CHAPTERS for key in each.tables}
    assert set(registry._tables) - listed == set(), "add the key of the new table to its chapter in CHAPTERS"
    assert listed - set(registry._tables) == set(), "CHAPTERS lists tables that no file registers"


def test_every_table_is_explained() -> None:
    load_contents()
    page = (Path(__file__).parents[3] / "docs" / "study-report.md").read_text("utf-8")
    unexplained = {key for _, key in registry._tables if f"`{key}`" not in page}
    # This one is a table for each part, and stands there as `table-5-PART-intervals`.
    assert unexplained - {"table-5-intervals"} == set(), "add a row to docs/study-report.md"


def test_a_second_table_of_a_key_and_an_unknown_chapter_are_refused() -> None:
    load_contents()
    with pytest.raises(ConfigError, match="table 'errors': another table has this key"):
        registry.study_table("overall", "errors")(lambda study: None)
    registry.study_table("overal", "toy")(lambda study: None)
    try:
        with pytest.raises(ConfigError, match="no chapter is called 'overal'; known: models"):
            load_contents()
    finally:
        registry.forget("overal", "toy")
