"""A wanted recall becomes a threshold that holds it, or one line that says why not."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from deidlab.errors import ConfigError, CorpusError
from deidlab.evaluate.threshold import units_without_miss
from deidlab.mask.policy import read_policy
from deidlab.pipeline.calibrating import (
    Calibration,
    Calibrator,
    describe_detector,
    promise_recall,
    read_calibration,
    write_calibration,
)
from deidlab.pipeline.settings import Finding
from deidlab.types import Document, Span

RULES = Finding(None, "only")
WANTED = read_policy({"name": "wanted", "like": "i2b2", "recall": 0.9})


def calibrate(scores: list[list[tuple[str, float]]], path: Path) -> Path:
    """A calibration of units with these PHI words."""
    words = tuple((unit, label, score) for unit, row in enumerate(scores) for label, score in row)
    write_calibration(Calibration(describe_detector(RULES), "patient", len(scores), words), path)
    return path


def test_words_of_gold_are_kept_with_their_probability_and_nothing_else(tmp_path: Path) -> None:
    calibrator = Calibrator()
    for number in range(3):
        text = "Seen by Okonjo today"
        spans = (Span(8, 14, "DOCTOR"),)
        words = [(0, 4, 0.01), (5, 7, 0.02), (8, 14, 0.3 + number / 10), (15, 20, 0.0)]
        calibrator.add(Document(f"n{number}", f"p{number // 2}", text, spans), words)
    calibration = calibrator.finish(RULES)
    assert calibration.words == ((0, "DOCTOR", 0.3), (0, "DOCTOR", 0.4), (1, "DOCTOR", 0.5))
    assert (calibration.unit, calibration.n_notes) == ("patient", 3)
    write_calibration(calibration, tmp_path / "c.json")
    assert read_calibration(tmp_path / "c.json") == calibration
    assert not any(secret in (tmp_path / "c.json").read_text() for secret in ("Okonjo", "n0", "p0"))
    assert "0.3" not in repr(calibration)


def test_notes_without_annotations_calibrate_nothing() -> None:
    calibrator = Calibrator()
    calibrator.add(Document("n", text="Well."), [(0, 5, 0.1)])
    with pytest.raises(CorpusError, match="no annotations"):
        calibrator.finish(RULES)


def test_the_threshold_lies_where_the_words_do(tmp_path: Path) -> None:
    n = units_without_miss(0.9, 0.95)
    low = calibrate([[("DATE", 0.2), ("DOCTOR", 0.9)]] * n, tmp_path / "low.json")
    promise = promise_recall(WANTED, RULES, low)
    assert 0.1 < promise.threshold <= 0.2
    assert (promise.n_units, dict(promise.recalls)) == (n, {"all PHI": 0.9})
    high = calibrate([[("DATE", 0.99)]] * n, tmp_path / "high.json")
    # Never above the usual threshold: a recall can only ask for more.
    assert 0.499 < promise_recall(WANTED, RULES, high).threshold < 0.5


def test_one_label_s_wish_lowers_the_threshold_of_all(tmp_path: Path) -> None:
    path = calibrate([[("DATE", 0.9), ("DOCTOR", 0.1)]] * 200, tmp_path / "c.json")
    own = read_policy({"name": "own", "like": "i2b2", "types": {"DOCTOR": {"recall": 0.95}}})
    assert promise_recall(own, RULES, path).threshold <= 0.1
    dates = read_policy({"name": "own", "like": "i2b2", "types": {"DATE": {"recall": 0.95}}})
    assert promise_recall(dates, RULES, path).threshold > 0.4


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([[("DATE", 0.9)]] * 5, "needs at least 29 patients"),
        ([[("DATE", 0.0)]] * 100, "even at the lowest threshold"),
        ([[("DOCTOR", 0.9)]] * 100, "none of what the policy wants found: DATE"),
    ],
)
def test_what_cannot_be_promised_is_refused(
    words: list[list[tuple[str, float]]], reason: str, tmp_path: Path
) -> None:
    path = calibrate(words, tmp_path / "c.json")
    policy = read_policy({"name": "own", "like": "i2b2", "types": {"DATE": {"recall": 0.9}}})
    with pytest.raises(ConfigError, match=reason):
        promise_recall(policy, RULES, path)


def test_no_calibration_or_another_detector_s_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no calibration says which threshold"):
        promise_recall(WANTED, RULES, None)
    path = calibrate([[("DATE", 0.9)]] * 100, tmp_path / "c.json")
    with pytest.raises(ConfigError, match="another detector"):
        promise_recall(WANTED, dataclasses.replace(RULES, allow=tmp_path / "allow.txt"), path)
    (tmp_path / "d.json").write_text(json.dumps({"words": "none"}))
    with pytest.raises(ConfigError, match="not a calibration"):
        promise_recall(WANTED, RULES, tmp_path / "d.json")


def test_a_calibration_is_of_one_language_and_its_rules() -> None:
    usual = describe_detector(RULES)
    assert describe_detector(dataclasses.replace(RULES, language="en")) == usual
    others = ({"language": "es"}, {"without_rules": ("dates",)}, {"without_rules": ("dates", "ages")})
    told = [describe_detector(dataclasses.replace(RULES, **other)) for other in others]
    assert all(one != other for one in told for other in (usual, *told) if one is not other)
