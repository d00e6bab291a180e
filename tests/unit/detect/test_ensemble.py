"""Union, vote and mean of several detectors."""

from __future__ import annotations

import pytest

from deidlab.detect.ensemble import combine
from deidlab.errors import UnknownNameError
from deidlab.types import Span

A = [Span(0, 4, "PATIENT", 0.9, "a"), Span(10, 14, "DATE", 0.8, "a")]
B = [Span(2, 6, "DOCTOR", 0.5, "b")]
C = [Span(2, 4, "DOCTOR", 0.7, "c")]


def test_union_keeps_everything() -> None:
    assert combine([A, B, C]) == [*A, *B, *C]


def test_vote_needs_more_than_half() -> None:
    assert combine([A, B, C], "vote") == [Span(2, 4, "PATIENT", 0.9, "vote")]


def test_mean_counts_silence_as_zero() -> None:
    scores = [(span.start, span.end, round(span.score or 0, 3)) for span in combine([A, B], "mean")]
    assert scores == [(0, 2, 0.45), (2, 4, 0.7), (4, 6, 0.25), (10, 14, 0.4)]


def test_one_detector_is_left_as_it_is() -> None:
    assert combine([A], "mean") == A


def test_an_unknown_way_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="ensemble"):
        combine([A], "average")
