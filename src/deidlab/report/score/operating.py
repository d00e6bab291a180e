"""Curves, calibration and a threshold in, their tables out."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.evaluate.calibration import Calibration
from deidlab.evaluate.curves import Curve
from deidlab.evaluate.threshold import ASSUMPTIONS, Effect, Guarantee
from deidlab.report.score.cells import counted, number
from deidlab.report.tables import Table

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
                str(curve.n_gold),
                number(curve.average_precision),
                number(float(curve.recall[-1]) if len(f1) else 0.0),
                number(None if best is None else float(f1[best])),
                number(None if best is None else float(curve.threshold[best])),
            )
        )
    columns = ("type", "gold", "average precision", "highest recall", "best F1", "at threshold")
    lowest = min((float(curve.threshold[-1]) for curve in curves if len(curve.threshold)), default=None)
    note = f"{_MEANING[origin]} Candidates reach down to a score of {number(lowest)}."
    return Table("Precision–recall curves", columns, tuple(rows), note=note)


def calibration_table(calibration: Calibration) -> Table:
    """The bins of the reliability diagram."""
    rows = tuple(
        (f"{part.low:.1f}–{part.high:.1f}", str(part.n), number(part.mean_score), number(part.share_right))
        for part in calibration.bins
    )
    note = (
        f"Expected calibration error {number(calibration.expected_error)}, largest "
        f"{number(calibration.largest_error)}, Brier score {number(calibration.brier)}, over "
        f"{counted(calibration.n, calibration.what.removesuffix('s'))}."
    )
    return Table("Calibration", ("score", "n", "mean score", "share right"), rows, note=note)


def threshold_table(found: Guarantee) -> Table:
    """The chosen threshold beside the usual one, with the promise and what it rests on."""

    def row(name: str, effect: Effect) -> tuple[str, ...]:
        values = (effect.threshold, effect.unit_recall, effect.recall, effect.precision)
        return (name, *(number(value) for value in values), str(effect.masked_words))

    price = ""
    if found.usual.precision is not None and found.chosen.precision is not None:
        lost = found.usual.precision - found.chosen.precision
        price = f" Its price in precision, against {found.usual.threshold:g}: {lost:+.4f}."
    note = (
        f"With confidence {found.confidence:g}, the expected recall of a new {found.unit} is at least "
        f"{found.target_recall:g} (the data certify {found.certified_recall:.4f}; p = {found.p_value:.4g}, "
        f"{counted(found.n_units, found.unit)} with PHI).{price} This holds if {'; '.join(ASSUMPTIONS)}."
    )
    columns = (
        "threshold",
        "value",
        f"recall a {found.unit}",
        "word recall",
        "word precision",
        "words masked",
    )
    return Table(
        f"A threshold for a recall of {found.target_recall:g}",
        columns,
        (row("chosen", found.chosen), row("usual", found.usual)),
        note=note,
    )
