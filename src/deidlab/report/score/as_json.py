"""Scores in, the answer of `deidlab score --json` out, under the keys that docs/scoring.md lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from deidlab.evaluate.calibration import Calibration
from deidlab.evaluate.curves import Curve, thin_curve
from deidlab.evaluate.measures import shown_measures
from deidlab.evaluate.privacy import Privacy, Share, Slip
from deidlab.evaluate.score import Comparison, Figures, ScoreSettings, SystemScore
from deidlab.evaluate.scores import LevelScores
from deidlab.evaluate.threshold import ASSUMPTIONS, Guarantee, Refusal
from deidlab.types import Counts

Answer = dict[str, Any]


def score_to_json(score: SystemScore, settings: ScoreSettings) -> Answer:
    """One system's figures."""
    answer: Answer = {"system": score.name, **_figures(score.figures)}
    answer["words"]["style"] = score.tally.style
    if settings.by is not None:
        groups = {value: _figures(figures) for value, figures in score.groups.items()}
        answer["by"] = {"field": settings.by, "groups": groups}
    return answer


def settings_to_json(settings: ScoreSettings) -> Answer:
    return {
        "words": settings.style,
        "labels": "auto" if settings.label_set is None else settings.label_set.name,
        "resamples": settings.resample.n_resamples,
        "seed": settings.resample.seed,
        "confidence": settings.resample.confidence,
        "unit": settings.resample.unit,
    }


def comparisons_to_json(comparisons: Sequence[Comparison]) -> list[Answer]:
    return [
        {
            "first": comparison.first,
            "second": comparison.second,
            "figures": {name: asdict(gap) for name, gap in comparison.differences.items()},
        }
        for comparison in comparisons
    ]


def operating_to_json(origin: str, curves: Sequence[Curve], calibration: Calibration) -> Answer:
    return {
        "scores_on": origin,
        "curves": [
            {
                "name": curve.name,
                "gold": curve.n_gold,
                "average_precision": curve.average_precision,
                "threshold": curve.threshold.tolist(),
                "precision": curve.precision.tolist(),
                "recall": curve.recall.tolist(),
            }
            for curve in map(thin_curve, curves)
        ],
        "calibration": {
            "n": calibration.n,
            "expected_calibration_error": calibration.expected_error,
            "largest_calibration_error": calibration.largest_error,
            "brier": calibration.brier,
            "bins": [asdict(part) for part in calibration.bins],
        },
    }


def threshold_to_json(found: Guarantee | Refusal) -> Answer:
    if isinstance(found, Refusal):
        return {"granted": False, **asdict(found)}
    return {"granted": True, **asdict(found), "assumptions": list(ASSUMPTIONS)}


def slips_to_json(slips: Sequence[Slip], texts: Mapping[str, str] | None) -> list[Answer]:
    """Leaks and over-maskings; the text only where `texts` is given."""
    rows = [asdict(slip) for slip in slips]
    if texts is not None:
        for row in rows:
            row["text"] = texts[row["document"]][row["start"] : row["end"]]
    return rows


def _figures(figures: Figures) -> Answer:
    summary, intervals = figures.summary, figures.intervals
    measured: Answer = {"words": {"n": summary.sizes["words"], "accuracy": summary.accuracy}}
    for measure in shown_measures():
        found = summary.by_measure[measure.key]
        value = _counts(found) if isinstance(found, Counts) else _level(found)
        place = measured.setdefault(measure.group, {})
        place.update({measure.name: value} if measure.name else value)
    return {
        "documents": summary.n_documents,
        "patients": summary.n_patients,
        **measured,
        "absent_types": list(summary.absent),
        "i2b2_2014": summary.i2b2_2014,
        **summary.official,
        "privacy": _privacy(figures.privacy),
        "headline": {name: asdict(value) for name, value in intervals.headline.items()},
        "type_f1": {label: asdict(value) for label, value in intervals.type_f1.items()},
        "units": intervals.n_units,
        "confusion": {
            "gold": figures.confusion.gold,
            "system": figures.confusion.system,
            "words": figures.confusion.cells.tolist(),
        },
        "sizes": dict(summary.sizes),
    }


def _level(level: LevelScores) -> Answer:
    return {
        "micro": _counts(level.micro),
        "macro": asdict(level.macro),
        "weighted": asdict(level.weighted),
        "by_type": {label: _counts(counts) for label, counts in level.by_type.items()},
    }


def _counts(counts: Counts) -> Answer:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**ratios, "tp": counts.tp, "fp": counts.fp, "fn": counts.fn}


def _privacy(privacy: Privacy) -> Answer:
    answer = asdict(privacy)
    answer["leaking_documents"] = _share(privacy.leaking_documents)
    answer["leaking_patients"] = _share(privacy.leaking_patients)
    answer["by_type"] = {
        label: {"words": leaks.words, "leaked": leaks.leaked, "recall": leaks.recall}
        for label, leaks in privacy.by_type.items()
    }
    return answer


def _share(share: Share) -> Answer:
    return {"n": share.n, "of": share.of, "share": share.share, "upper": share.upper}
