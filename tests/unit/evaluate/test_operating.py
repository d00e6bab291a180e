"""Curves, calibration, and the probabilities that they start from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss, precision_recall_curve

from deidlab.errors import AlignmentError, ConfigError, CorpusError
from deidlab.evaluate.calibration import calibrate, calibrate_spans
from deidlab.evaluate.certainty import certainty_of_spans, certainty_of_words
from deidlab.evaluate.curves import span_curves, thin_curve, trace_curve, word_curves
from deidlab.evaluate.operating import TargetSettings, find_operating_points
from deidlab.evaluate.tally import tally_pairs
from deidlab.evaluate.threshold import Guarantee
from deidlab.evaluate.wordscores import read_word_scores, write_word_scores
from deidlab.labels import load_label_set
from deidlab.types import Span
from tests.unit.evaluate.builders import pair, span_pair

scored = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=60)


@given(scored)
def test_scikit_learn_draws_the_same_curve(candidates: list[tuple[float, bool]]) -> None:
    score, right = np.array([c[0] for c in candidates]), np.array([c[1] for c in candidates])
    curve = trace_curve("all", score, right, int(right.sum()))
    if not right.any():
        assert curve is None
        return
    precision, recall, threshold = precision_recall_curve(right, score)
    assert curve.threshold == pytest.approx(threshold[::-1])
    assert curve.precision == pytest.approx(precision[:-1][::-1])
    assert curve.recall == pytest.approx(recall[:-1][::-1])
    assert curve.average_precision == pytest.approx(average_precision_score(right, score))


def test_gold_that_no_candidate_reaches_is_recall_lost() -> None:
    curve = trace_curve("all", np.array([0.9, 0.4]), np.array([True, True]), 4)
    assert curve.recall.tolist() == [0.25, 0.5]
    assert curve.average_precision == 0.5


def test_curves_of_spans_are_strict_and_a_type_each() -> None:
    gold = "[DATE 3/14] [DATE 3/15] [AGE 82] well"
    tally = tally_pairs([pair(gold, "[DATE@0.9 3/14] [DATE@0.3 3/1]5 [AGE 82] [AGE@0.2 well]")])
    curves = {curve.name: curve for curve in span_curves(tally)}
    assert list(curves) == ["all types", "AGE", "DATE"]
    assert curves["DATE"].recall.tolist() == [0.5, 0.5]
    assert curves["DATE"].precision.tolist() == [1.0, 0.5]
    # A span without a score is certain.
    assert curves["AGE"].threshold.tolist() == [1.0, 0.2]
    assert curves["all types"].n_gold == 3


def test_a_thinned_curve_keeps_its_ends() -> None:
    curve = trace_curve("all", np.linspace(0, 1, 1001), np.ones(1001, bool), 1001)
    thin = thin_curve(curve, 50)
    assert len(thin.threshold) == 50
    assert (thin.threshold[0], thin.threshold[-1], thin.recall[-1]) == (1.0, 0.0, 1.0)
    assert thin.average_precision == curve.average_precision


def test_calibration_by_hand_and_brier_as_scikit_learn_has_it() -> None:
    score, right = np.array([0.05, 0.15, 0.15, 1.0]), np.array([False, True, False, True])
    found = calibrate("words", score, right)
    assert [part.n for part in found.bins] == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert found.expected_error == pytest.approx((0.05 + 2 * 0.35 + 0) / 4)
    assert found.largest_error == pytest.approx(0.35)
    assert found.brier == pytest.approx(brier_score_loss(right, score))
    assert found.bins[2].mean_score is None


def test_honest_scores_have_next_to_no_calibration_error() -> None:
    random = np.random.default_rng(0)
    score = random.random(200_000)
    assert calibrate("words", score, random.random(200_000) < score).expected_error < 0.005


def test_nothing_to_calibrate_has_no_error() -> None:
    assert calibrate("words", np.empty(0), np.empty(0, bool)).expected_error is None
    with pytest.raises(ConfigError):
        calibrate("words", np.empty(0), np.empty(0, bool), 0)
    tally = tally_pairs([pair("[AGE 82]", "[AGE 82]")])
    assert calibrate_spans(tally).n == 0


def test_a_word_has_the_highest_threshold_that_still_covers_it() -> None:
    text = "Ann Lee-Roy 82 well"
    gold = [Span(0, 11, "PATIENT"), Span(12, 14, "AGE")]
    system = [
        Span(0, 3, "PATIENT", 0.9),
        Span(0, 7, "PATIENT", 0.6),
        Span(4, 9, "CITY", 0.8),
        Span(8, 11, "CITY", 0.3),
    ]
    made = span_pair(text, gold, [*system, Span(15, 19, "DATE")])
    words = certainty_of_spans([made], tally_pairs([made]))
    # Ann, Lee, -, Roy (0.8 covers its R, 0.3 the rest), 82 under no span, well under one without a score.
    assert words.score.tolist() == [0.9, 0.8, 0.8, 0.3, 0.0, 1.0]
    assert words.phi.tolist() == [True, True, True, True, True, False]


def test_words_of_a_file_are_cut_at_gold_edges_and_keep_their_probability() -> None:
    made = pair("[PATIENT Odell],[DATE 3/14] well", "Odell,3/14 well")
    tally = tally_pairs([made])
    words = certainty_of_words([made], tally, {"a": np.array([[0, 10, 0.8], [11, 15, 0.1]])})
    assert words.score.tolist() == [0.8, 0.8, 0.8, 0.1]
    assert [tally.labels[code] if code >= 0 else "" for code in words.label] == ["PATIENT", "", "DATE", ""]
    curves = {curve.name: curve for curve in word_curves(tally, words)}
    assert curves["all types"].precision.tolist() == [2 / 3, 0.5]
    assert curves["DATE"].recall.tolist() == [1.0, 1.0]
    assert curves["DATE"].precision.tolist() == [2 / 3, 0.5]


def test_words_under_labels_that_are_not_scored_are_left_out() -> None:
    made = pair("[DOCTOR Kim] [DATE 3]", "[DOCTOR@0.5 Kim] [DATE@0.5 3]")
    words = certainty_of_spans([made], tally_pairs([made], load_label_set("hipaa-i2b2")))
    assert words.phi.tolist() == [True]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([[0, 5, 0.5]], "character 6 has no score"),
        ([[0, 5, 0.5], [6, 9, 0.5]], "character 6 has no score, or has one in part"),
        ([[0, 5, 0.5], [6, 11, 0.5]], "reach to character 11, but the text has 10"),
    ],
)
def test_word_scores_must_hold_the_very_text(words: list[list[float]], message: str) -> None:
    made = pair("[PATIENT Odell] here", "Odell here")
    with pytest.raises(AlignmentError, match=message) as error:
        certainty_of_words([made], tally_pairs([made]), {"a": np.array(words)})
    assert "document a" in str(error.value)
    assert "Odell" not in str(error.value)


def test_a_document_without_word_scores_is_an_error() -> None:
    made = pair("[PATIENT Odell]", "Odell")
    with pytest.raises(CorpusError, match="document a has no word scores"):
        certainty_of_words([made], tally_pairs([made]), {"b": np.empty((0, 3))})


def test_word_scores_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    write_word_scores(path, [("a", [(0, 5, 0.25), (6, 9, 1.0)]), ("ñ", [])])
    assert json.loads(path.read_text("utf-8").splitlines()[0]) == {
        "id": "a",
        "words": [[0, 5, 0.25], [6, 9, 1.0]],
    }
    found = read_word_scores(path)
    assert list(found) == ["a", "ñ"]
    assert found["a"].tolist() == [[0, 5, 0.25], [6, 9, 1]]
    assert found["ñ"].shape == (0, 3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Zsofia", "line 2: not JSON"),
        ("[]", "line 2: an object with the document's id"),
        ('{"id": 7, "words": []}', "line 2: an object with the document's id"),
        ('{"id": "b"}', "line 2, document b: 'words' must be a list"),
        ('{"id": "b", "words": [[1, 2]]}', "line 2, document b: 'words' must be a list"),
        ('{"id": "b", "words": [["x", 2, 0.5]]}', "'words' must be a list"),
        ('{"id": "b", "words": [[1, 2, 0.5], [3]]}', "'words' must be a list"),
        (
            '{"id": "b", "words": [[1.5, 2, 0.5]]}',
            "document b: word 1 has an offset that is not a whole number",
        ),
        ('{"id": "b", "words": [[3, 3, 0.5]]}', "word 1 is empty, reversed or negative"),
        ('{"id": "b", "words": [[-1, 3, 0.5]]}', "word 1 is empty, reversed or negative"),
        ('{"id": "b", "words": [[0, 3, 1.5]]}', "word 1 has a probability outside"),
        ('{"id": "b", "words": [[0, 3, NaN]]}', "word 1 has a probability outside"),
        ('{"id": "b", "words": [[0, 3, 0.5], [2, 4, 0.5]]}', "word 2 overlaps the word before"),
        ('{"id": "a", "words": []}', "line 2: document a came before"),
    ],
)
def test_word_scores_that_are_wrong_are_named_by_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "words.jsonl"
    path.write_text('{"id": "a", "words": [[0, 5, 0.5]]}\n' + line + "\n", "utf-8")
    with pytest.raises(CorpusError) as error:
        read_word_scores(path)
    assert message in str(error.value)
    assert "Zsofia" not in str(error.value)


def test_an_empty_or_undecodable_file_of_word_scores_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    path.write_text("\n", "utf-8")
    with pytest.raises(CorpusError, match="holds no document"):
        read_word_scores(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CorpusError, match="not UTF-8"):
        read_word_scores(path)


def test_operating_points_need_scores_and_take_words_before_spans() -> None:
    bare = [pair("[AGE 82] well", "[AGE 82] well")]
    with pytest.raises(ConfigError, match="need scores"):
        find_operating_points(bare, tally_pairs(bare), None)
    made = [pair("[AGE 82] well", "[AGE@0.7 82] well", f"{number:03}") for number in range(60)]
    tally = tally_pairs(made)
    spans = find_operating_points(made, tally, None, TargetSettings(0.9))
    assert spans.origin == "spans"
    assert isinstance(spans.threshold, Guarantee)
    assert spans.threshold.chosen.threshold == pytest.approx(0.7, abs=0.02)
    assert spans.threshold.chosen.threshold <= 0.7
    scores = {f"{number:03}": np.array([[0, 2, 0.6], [3, 7, 0.1]]) for number in range(60)}
    words = find_operating_points(made, tally, scores, TargetSettings(0.9))
    assert words.origin == "words"
    assert words.calibration.n == 120
    assert isinstance(words.threshold, Guarantee)
    assert words.threshold.chosen.threshold <= 0.6
