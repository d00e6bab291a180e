"""A measure stands in one list: what is added there is counted, scored, printed and compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deidlab.evaluate import measures
from deidlab.evaluate.layout import Ints
from deidlab.evaluate.measures import MEASURES, Measure
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, compare_with_first, score_systems
from deidlab.evaluate.sides import Sides
from deidlab.report.score.answer import ScoreAnswer, answer_tables, answer_to_json
from deidlab.report.score.rows import score_rows
from deidlab.report.score.tables import measure_table
from deidlab.report.tables import print_table, table_to_markdown
from tests.unit.evaluate.builders import pair

DOCS = Path(__file__).parents[3] / "docs" / "scoring.md"


def count_starts(sides: Sides) -> Ints:
    """Spans that start at the same character, whatever their label or end."""
    gold, system = sides.wanted
    found, wrong = np.isin(gold.start, system.start), ~np.isin(system.start, gold.start)
    columns = (gold.doc[found], system.doc[wrong], gold.doc[~found])
    return np.stack([np.bincount(doc, minlength=sides.n_documents) for doc in columns], axis=-1)


STARTS = Measure(
    "starts", "entities, same start", count_starts, group="entities", name="starts", headline=True,
    same="they start at the same character",
)  # fmt: skip


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> ScoreAnswer:
    """Two systems: one finds both starts, the other one of them and one that is none."""
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, STARTS))
    gold = "[PATIENT Ana Ruiz] saw [DOCTOR Bo Li] today"
    systems = {
        name: [pair(gold, found, f"n{row}") for row in range(3)]
        for name, found in {
            "both": "[DATE Ana] Ruiz saw [DOCTOR Bo Li] today",
            "one": "[PATIENT Ana Ruiz] saw Bo Li [DATE today]",
        }.items()
    }
    settings = ScoreSettings(resample=ResampleSettings(20))
    scores = score_systems(systems, settings)
    return ScoreAnswer("gold", scores, compare_with_first(scores, settings.resample), None, settings, None)


def test_an_added_measure_is_in_the_json(answer: ScoreAnswer) -> None:
    both, one = answer_to_json(answer, True)["systems"]
    assert both["entities"]["starts"] == {
        "precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 6, "fp": 0, "fn": 0,
    }  # fmt: skip
    assert [one["entities"]["starts"][key] for key in ("tp", "fp", "fn")] == [3, 3, 3]
    assert one["headline"]["starts.recall"]["value"] == 0.5
    assert one["headline"]["starts.recall"]["low"] is not None
    gap = answer_to_json(answer, True)["comparisons"][0]["figures"]["starts.f1"]
    assert (gap["first"], gap["second"]) == (1.0, 0.5)


def test_an_added_measure_is_on_the_terminal(answer: ScoreAnswer, capsys: pytest.CaptureFixture[str]) -> None:
    for table in answer_tables(answer, "full", True):
        print_table(table)
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if "entities, same start" in line]
    assert any("1.0000" in row for row in rows) and any("0.5000" in row for row in rows)
    assert any("entities, same start: f1" in row for row in rows)


def test_an_added_measure_is_on_the_page_in_the_rows_and_in_the_list(answer: ScoreAnswer) -> None:
    page = "\n".join(table_to_markdown(table) for table in answer_tables(answer, "page", True))
    assert "| entities, same start | 0.5000 | 0.5000 | 0.5000 |" in page
    assert ("one", "", "starts", "micro", "", 3, 3, 3) in [row[:8] for row in score_rows(answer.scores)]
    assert "entities, same start" in [row[0] for row in measure_table().rows]


def test_the_docs_list_every_measure_as_it_is() -> None:
    assert table_to_markdown(measure_table()).split("\n\n", 1)[1] in DOCS.read_text("utf-8")


def test_measures_have_keys_and_places_of_their_own() -> None:
    keys = [measure.key for measure in MEASURES]
    places = [(measure.group, measure.name) for measure in measures.shown_measures()]
    assert len(set(keys)) == len(keys) and len(set(places)) == len(places)
    assert all(measure.same for measure in measures.shown_measures())
