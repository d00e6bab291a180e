"""Curves, calibration and a threshold in, their tables out."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.evaluate.calibration import Calibration
from deidlab.evaluate.curves import Curve
from deidlab.evaluate.threshold import ASSUMPTIONS, Guarantee
from deidlab.report.tables import Table, columns_of, counted, show_value

_MEANING = {
    "spans": "Entity level, strict; the score is the span's own.",
    "words": "Words, PHI or not. A word's probability names no type: precision is the same for all types.",
}


def curve_table(origin: str, curves: Sequence[Curve]) -> Table:
    """Average precision, and the best recall and F1 on each curve."""
    rows = []
    for curve in curves:
        both = curve.precision + curve.recall
        f1 = 2 * curve.precision * curve.recall / both.clip(min=1e-12)
        best = int(f1.argmax()) if len(f1) else None
        rows.append(
            (
                curve.name,
                curve.n_gold,
                curve.average_precision,
                float(curve.recall[-1]) if len(f1) else 0.0,
                None if best is None else float(f1[best]),
                None if best is None else float(curve.threshold[best]),
            )
        )
    columns = columns_of(
        ("type", "type", "text"), ("gold", "gold", "plain"), ("average_precision", "average precision"),
        ("highest_recall", "highest recall"), ("best_f1", "best F1"), ("threshold", "at threshold"),
    )  # fmt: skip
    lowest = min((float(curve.threshold[-1]) for curve in curves if len(curve.threshold)), default=None)
    note = f"{_MEANING[origin]} Candidates reach down to a score of {_number(lowest)}."
    return Table("Precision–recall curves", columns, tuple(rows), note)


def calibration_table(calibration: Calibration) -> Table:
    """The bins of the reliability diagram."""
    rows = tuple(
        (f"{part.low:.1f}–{part.high:.1f}", part.n, part.mean_score, part.share_right)
        for part in calibration.bins
    )
    note = (
        f"Expected calibration error {_number(calibration.expected_error)}, largest "
        f"{_number(calibration.largest_error)}, Brier score {_number(calibration.brier)}, over "
        f"{counted(calibration.n, calibration.what.removesuffix('s'))}."
    )
    columns = columns_of(
        ("score", "score", "text"), ("n", "n", "plain"), ("mean_score", "mean score"),
        ("share_right", "share right")
    )  # fmt: skip
    return Table("Calibration", columns, rows, note)


def _number(value: float | None) -> str:
    return show_value(value, "ratio")


def threshold_table(found: Guarantee) -> Table:
    """The chosen threshold beside the usual one, with the promise and what it rests on."""

    rows = tuple(
        (name, each.threshold, each.unit_recall, each.recall, each.precision, each.masked_words)
        for name, each in (("chosen", found.chosen), ("usual", found.usual))
    )
    price = ""
    if found.usual.precision is not None and found.chosen.precision is not None:
        lost = found.usual.precision - found.chosen.precision
        price = f" Its price in precision, against {found.usual.threshold:g}: {lost:+.4f}."
    note = (
        f"With confidence {found.confidence:g}, the expected recall of a new {found.unit} is at least "
        f"{found.target_recall:g} (the data certify {found.certified_recall:.4f}; p = {found.p_value:.4g}, "
        f"{counted(found.n_units, found.unit)} with PHI).{price} This holds if {'; '.join(ASSUMPTIONS)}."
    )
    columns = columns_of(
        ("threshold", "threshold", "text"), ("value", "value"), ("unit_recall", f"recall a {found.unit}"),
        ("recall", "word recall"), ("precision", "word precision"), ("masked_words", "words masked", "plain"),
    )  # fmt: skip
    return Table(f"A threshold for a recall of {found.target_recall:g}", columns, rows, note)
