"""Areas under curves: those of ranks, with intervals, and nothing where there is nothing to tell apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deidlab.evaluate.areas import area_interval, area_of, weighted_areas
from deidlab.evaluate.resample import ResampleSettings


def test_the_area_is_that_of_ranks() -> None:
    from sklearn.metrics import roc_auc_score

    draw = np.random.default_rng(5)
    scores = draw.integers(0, 8, 60).astype(float)
    of_kind = draw.integers(0, 2, 60)
    assert area_of(of_kind, scores) == pytest.approx(roc_auc_score(of_kind, scores))
    weights = draw.integers(0, 3, (4, 60)).astype(float)
    ours = weighted_areas(of_kind, np.sort(scores), weights)
    assert ours == pytest.approx(
        [roc_auc_score(of_kind, np.sort(scores), sample_weight=row) for row in weights]
    )


def test_the_interval_holds_the_area_and_narrows_with_more() -> None:
    draw = np.random.default_rng(7)
    widths = []
    for n in (30, 1000):
        of_kind = np.arange(n) % 2
        found = area_interval(of_kind, draw.normal(of_kind * 0.5), ResampleSettings(500))
        assert found.value is not None and found.low is not None and found.high is not None
        assert 0 < found.low < found.value < found.high < 1
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2


def test_one_kind_alone_has_no_area() -> None:
    assert math.isnan(area_of(np.ones(3, int), np.arange(3.0)))
    assert area_interval(np.ones(3, int), np.arange(3.0), ResampleSettings(10)).value is None
    assert area_interval(np.zeros(0, int), np.zeros(0), ResampleSettings(10)).value is None
