"""Tables 1 to 5 of a study's report, computed again from the records by another way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from deidlab.encode.words import cut_words, find_words
from deidlab.evaluate.compare import compare_systems, holm
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.labels import load_label_set, load_map
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.predictions import map_labels
from deidlab.types import Document
from tests.unit.report.conftest import RESAMPLE
from tests.unit.report.study_folder import ERRORS, MODELS, PARTS, true_pairs
from tests.unit.report.table_reading import ORDER, completions, plain, rows


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
