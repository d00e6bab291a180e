"""A figure and where it may lie: the value alone, which needs nothing to be imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and where it may lie; None where it has nothing to divide by, or was not resampled."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Intervals:
    """Of each headline figure, and of each scored type's word-level F1."""

    headline: Mapping[str, Interval]
    type_f1: Mapping[str, Interval]
    n_units: int
