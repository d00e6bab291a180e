"""The tables, rows, JSON and pictures of a score."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PIL import Image

from deidlab.evaluate.operating import OperatingPoints, TargetSettings, find_operating_points
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.privacy import list_slips
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, SystemScore, compare_with_first, score_systems
from deidlab.evaluate.tally import tally_pairs
from deidlab.labels import load_label_set
from deidlab.report.figures import save_figure
from deidlab.report.score import figures as score_figures
from deidlab.report.score.answer import ScoreAnswer, answer_tables, answer_to_json
from deidlab.report.score.rows import SCORE_COLUMNS, SLIP_COLUMNS, score_rows, slip_rows, write_rows
from deidlab.report.tables import Table, table_to_markdown
from tests.unit.evaluate.builders import pair

NAME = "Zsofia"


def pairs(found: bool) -> list[Pair]:
    mark = f"[PATIENT@0.9 {NAME}]" if found else NAME
    return [
        pair(
            f"[PATIENT {NAME}] is [AGE 82]",
            f"{mark} is [AGE@0.8 82]",
            f"n{row:03}",
            "",
            {"site": "ab"[row % 2]},
        )
        for row in range(40)
    ]


def answer(
    systems: dict[str, list[Pair]], target: float | None = None, show_text: bool = False
) -> ScoreAnswer:
    settings = ScoreSettings(by="site", label_set=load_label_set("i2b2-2014"), resample=ResampleSettings(50))
    scores = score_systems(systems, settings)
    operating: OperatingPoints | None = None
    first = next(iter(systems.values()))
    if len(systems) == 1:
        wanted = None if target is None else TargetSettings(target)
        operating = find_operating_points(first, tally_pairs(first, settings.label_set), None, wanted)
    texts = {made.gold.id: made.gold.text for made in first} if show_text else None
    return ScoreAnswer(
        "gold", scores, compare_with_first(scores, settings.resample), operating, settings, texts
    )


def find(tables: list[Table], title: str) -> Table:
    return next(table for table in tables if table.title.startswith(title))


def test_the_short_view_says_what_is_which_and_what_is_absent() -> None:
    tables = list(answer_tables(answer({"good": pairs(True)}), "short", False))
    headline = find(tables, "good: 40 documents, 40 patients, 120 words (runs)")
    assert next(headline.text_rows())[:4] == ("words, typed (micro)", "1.0000", "1.0000", "1.0000")
    assert "50 resamples of 40 documents" in headline.note
    types = find(tables, "By type")
    assert [row[0] for row in types.rows] == ["AGE", "PATIENT"]
    assert types.note.startswith("2 types present in the gold; absent: ")
    assert "DOCTOR" in types.note
    assert [row[:2] for row in find(tables, "By site").text_rows()] == [("a", "20"), ("b", "20")]
    assert not any(table.title.startswith("i2b2") for table in tables)


def test_no_table_shows_text_unless_asked() -> None:
    hidden = "".join(
        table_to_markdown(table) for table in answer_tables(answer({"bad": pairs(False)}), "page", True)
    )
    assert NAME not in hidden
    shown = answer({"bad": pairs(False)}, show_text=True)
    assert NAME in "".join(table_to_markdown(table) for table in answer_tables(shown, "page", True))
    assert NAME not in repr(shown)


def test_a_figure_with_nothing_to_divide_by_is_a_dash_and_a_null() -> None:
    found = answer(
        {
            "bad": [
                pair(made.gold.text, f"[DATE@0.5 {made.gold.text}]", made.gold.id, "", {"site": "a"})
                for made in pairs(False)
            ]
        }
    )
    headline = next(iter(answer_tables(found, "short", False)))
    assert next(headline.text_rows())[1:4] == ("0.0000", "–", "0.0000")
    whole = answer_to_json(found, False)
    assert whole["words"]["micro"]["recall"] is None
    assert whole["privacy"]["leaking_documents"] == {"n": 0, "of": 0, "share": None, "upper": None}
    assert "NaN" not in json.dumps(whole)


def test_json_of_one_system_is_flat_and_of_several_a_list() -> None:
    one = answer_to_json(answer({"good": pairs(True)}, target=0.9), True)
    assert {
        "i2b2_2014",
        "meddocan",
        "words",
        "entities",
        "privacy",
        "headline",
        "by",
        "threshold",
        "slips",
    } <= set(one)
    assert one["threshold"]["granted"] is True
    assert one["threshold"]["assumptions"]
    assert one["operating_points"]["scores_on"] == "spans"
    assert one["by"]["groups"]["a"]["words"]["micro"]["f1"] == 1.0
    refused = answer_to_json(answer({"good": pairs(True)}, target=0.995), False)
    assert (refused["threshold"]["granted"], refused["threshold"]["n_needed"]) == (False, 598)
    two = answer_to_json(answer({"good": pairs(True), "bad": pairs(False)}), False)
    assert [system["system"] for system in two["systems"]] == ["good", "bad"]
    gap = two["comparisons"][0]["figures"]["words.recall"]
    assert gap["difference"] == pytest.approx(-0.5)
    json.dumps([one, refused, two])


def test_several_systems_are_set_side_by_side_and_named_in_every_title() -> None:
    found = answer({"good": pairs(True), "bad": pairs(False)})
    short = list(answer_tables(found, "short", False))
    assert [table.title for table in short] == ["2 systems on 40 documents", "bad against good"]
    assert all("good" in t.title or "bad" in t.title for t in list(answer_tables(found, "full", False))[1:])


def test_rows_are_tidy_and_slips_have_no_text_unless_given(tmp_path: Path) -> None:
    scores = answer({"bad": pairs(False)}).scores
    write_rows(tmp_path / "deep" / "score.csv", SCORE_COLUMNS, score_rows(scores))
    with (tmp_path / "deep" / "score.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    micro = next(
        row for row in rows if (row["group"], row["level"], row["average"]) == ("", "words", "micro")
    )
    assert (micro["tp"], micro["fp"], micro["fn"], micro["recall"]) == ("40", "0", "40", "0.5")
    assert {row["group"] for row in rows} == {"", "a", "b"}
    leaked = next(row for row in rows if row["level"] == "privacy_words" and row["type"] == "PATIENT")
    assert (leaked["fn"], leaked["recall"]) == ("40", "0.0")
    slips = list_slips(scores[0].tally)
    plain = list(slip_rows("bad", slips, None))
    assert all(len(row) == len(SLIP_COLUMNS) for row in plain)
    assert plain[0] == ("bad", "leak", "n000", "n000", 0, 6, "PATIENT", 1, 6)
    assert next(slip_rows("bad", slips, {slip.document: f"{NAME} is" for slip in slips}))[-1] == NAME


def _scores() -> list[SystemScore]:
    return list(answer({f"system {row}": pairs(row % 2 == 0) for row in range(9)}).scores)


def test_pictures_are_drawn_and_the_same_each_time(tmp_path: Path) -> None:
    found = answer({"good": pairs(True)})
    assert found.operating is not None
    figures = {
        "confusion": lambda: score_figures.draw_confusion(found.scores[0].figures.confusion, "good"),
        "bars": lambda: score_figures.draw_type_bars(_scores()),
        "curves": lambda: score_figures.draw_curves(found.operating.curves, found.operating.origin),
        "calibration": lambda: score_figures.draw_calibration(found.operating.calibration),
    }
    for name, draw in figures.items():
        for copy in ("one", "two"):
            save_figure(draw(), tmp_path / f"{name}-{copy}.png")
        one, two = (tmp_path / f"{name}-{copy}.png" for copy in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        with Image.open(one) as image:
            assert min(image.size) > 300
            assert len(image.convert("RGB").getcolors(1_000_000) or []) > 10


def test_bars_show_every_type_of_every_system() -> None:
    scores = _scores()
    figure = score_figures.draw_type_bars(scores)
    bars = sum(
        len(container.patches)
        for axes in figure.axes
        for container in axes.containers
        if hasattr(container, "patches")
    )
    assert bars == 2 * len(scores)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == [score.name for score in scores]


def test_a_gold_without_phi_still_has_its_pictures(tmp_path: Path) -> None:
    made = [pair("no one", "no one", "a"), pair("none", "none", "b")]
    scores = score_systems({"quiet": made}, ScoreSettings(resample=ResampleSettings(10)))
    save_figure(score_figures.draw_confusion(scores[0].figures.confusion, "quiet"), tmp_path / "c.png")
    save_figure(score_figures.draw_type_bars(scores), tmp_path / "b.png")
    save_figure(score_figures.draw_curves([], "spans"), tmp_path / "p.png")
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("c.png", "b.png", "p.png"))
