"""The tables of a study's report by type and error, computed again from the records by another way."""

from __future__ import annotations

from collections import Counter

import pytest

from deidlab.encode.words import cut_words, find_words
from deidlab.evaluate.compare import compare_systems, compare_types
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.predictions import map_labels
from tests.unit.report.conftest import RESAMPLE
from tests.unit.report.study_folder import ERRORS, true_pairs
from tests.unit.report.table_reading import plain, rows


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
    found, p = compare_types(first, second, RESAMPLE)["DATE"]
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
