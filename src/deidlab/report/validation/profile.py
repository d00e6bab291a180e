"""Notes as they were counted in, what they look like out; and whether later notes still look like that.

A profile is counts alone: of certainties, of the types replaced, of notes by length, and of notes that have
a word of each of a few hundred buckets. How far two profiles are apart is the Jensen–Shannon divergence; how
far they would be by chance, random halves of the validated notes say, with a patient's notes kept together.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deidlab.report.validation.strata import BUCKETS, OTHER, Seen

Floats = npt.NDArray[np.float64]
KINDS = ("certainty", "labels", "words", "length")
_BINS = 20
_HALVES = 40
# Differences that matter to nobody, however sure they are, and how far beyond chance one must be.
_SLIGHT, _TIMES, _FEWEST = 0.003, 1.25, 20


class Drift(NamedTuple):
    """How far later notes of a stratum are from the validated ones, in bits; `chance` brings so much."""

    stratum: str
    kind: str
    notes: int
    distance: float
    chance: float

    @property
    def drifted(self) -> bool:
        return self.distance > max(self.chance, _SLIGHT)


def build_profile(seen: Iterable[Seen], strata: Mapping[str, str]) -> dict[str, Any]:
    """The profile of each stratum; `strata` says under which name each is read."""
    groups: dict[str, list[Seen]] = defaultdict(list)
    for each in seen:
        groups[strata.get(each.stratum, OTHER)].append(each)
    return {name: _profile(group) for name, group in sorted(groups.items())}


def _profile(group: Sequence[Seen]) -> dict[str, Any]:
    counts = _count(group)
    return {
        "notes": len(group),
        **{kind: counts[kind] for kind in KINDS},
        "halves": {kind: round(value, 8) for kind, value in _halves(group).items()},
    }


def _count(group: Iterable[Seen]) -> dict[str, dict[str, int]]:
    bins: Counter[int] = Counter()
    labels: Counter[str] = Counter()
    words: Counter[int] = Counter()
    length: Counter[int] = Counter()
    for each in group:
        bins.update(min(int(score * _BINS), _BINS - 1) for score in each.scores)
        labels.update(each.labels)
        words.update(each.words)
        # Bins that double: a note of 300 words is like one of 400, and not like one of 40.
        length[each.n_words.bit_length()] += 1
    return {
        "certainty": {str(key): bins[key] for key in sorted(bins)},
        "labels": dict(sorted(labels.items())),
        "words": {str(key): words[key] for key in sorted(words)},
        "length": {str(key): length[key] for key in sorted(length)},
    }


def _halves(group: Sequence[Seen]) -> dict[str, float]:
    """How far random halves are apart at most, patients kept whole; nothing can be said of too few."""
    patients: dict[str, list[Seen]] = defaultdict(list)
    for each in group:
        patients[each.patient].append(each)
    names = sorted(patients)
    if len(names) < _FEWEST:
        return {}
    chooser, most = random.Random(len(names)), dict.fromkeys(KINDS, 0.0)
    each_patient = {name: _count(patients[name]) for name in names}
    rows = {kind: _matrix([each_patient[name][kind] for name in names], kind) for kind in KINDS}
    for _ in range(_HALVES):
        order = np.array(chooser.sample(range(len(names)), len(names)))
        half = len(names) // 2
        for kind, matrix in rows.items():
            apart = divergence(matrix[order[:half]].sum(0), matrix[order[half:]].sum(0))
            most[kind] = max(most[kind], apart)
    return most


def _matrix(counts: Sequence[Mapping[str, int]], kind: str) -> Floats:
    keys = sorted({key for each in counts for key in each})
    if kind == "words":
        keys = [str(bucket) for bucket in range(BUCKETS)]
    return np.array([[each.get(key, 0) for key in keys] for each in counts], np.float64)


def divergence(one: Floats, other: Floats) -> float:
    """Jensen and Shannon's divergence of two counts, in bits; of two that are empty, 0."""
    if not one.sum() or not other.sum():
        return 0.0 if one.sum() == other.sum() else 1.0
    p, q = one / one.sum(), other / other.sum()
    middle = (p + q) / 2
    return float((_relative(p, middle) + _relative(q, middle)) / 2)


def _relative(p: Floats, q: Floats) -> float:
    some = p > 0
    return float((p[some] * np.log2(p[some] / q[some])).sum())


def compare_profiles(validated: Mapping[str, Any], later: Mapping[str, Any]) -> list[Drift]:
    """Every stratum that later notes have, and each thing in which it is compared."""
    return [
        _compare(name, kind, validated[name], now)
        for name, now in later.items()
        if name in validated
        for kind in KINDS
        if kind in validated[name]["halves"]
    ]


def _compare(name: str, kind: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Drift:
    one, other = _matrix([before[kind], now[kind]], kind)
    # Halves differ as samples of half the notes do; by chance, divergence goes with 1/n of each side.
    scale = before["notes"] / 4 * (1 / before["notes"] + 1 / now["notes"])
    chance = _TIMES * before["halves"][kind] * scale
    return Drift(name, kind, now["notes"], round(divergence(one, other), 6), round(chance, 6))
