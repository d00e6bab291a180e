"""One system's scores, on its spans or on every word, in; its curves, its calibration and a threshold out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deidlab.errors import ConfigError
from deidlab.evaluate.calibration import Calibration, calibrate_spans, calibrate_words
from deidlab.evaluate.certainty import certainty_of_spans, certainty_of_words
from deidlab.evaluate.curves import Curve, span_curves, word_curves
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.tally import Tally
from deidlab.evaluate.threshold import Guarantee, Refusal, choose_threshold, unit_rows
from deidlab.evaluate.wordscores import WordScores


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """The recall to hold, how surely, and over which units."""

    recall: float
    confidence: float = 0.95
    unit: str = "document"


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """`origin` is 'words' where every word has a probability, 'spans' where only the spans do."""

    origin: str
    curves: tuple[Curve, ...]
    calibration: Calibration
    threshold: Guarantee | Refusal | None


def has_scores(pairs: Iterable[Pair]) -> bool:
    """Whether any span of the system carries a score."""
    return any(span.score is not None for pair in pairs for span in pair.system.spans)


def find_operating_points(
    pairs: Sequence[Pair], tally: Tally, scores: WordScores | None, target: TargetSettings | None = None
) -> OperatingPoints:
    """From word scores where given, else from the spans' own."""
    if scores is None and not has_scores(pairs):
        raise ConfigError(
            "curves, calibration and thresholds need scores: on the system's spans (JSONL), or every word's "
            "with --scores FILE"
        )
    certainty = None
    if scores is not None:
        certainty = certainty_of_words(pairs, tally, scores)
        curves, calibration = word_curves(tally, certainty), calibrate_words(certainty)
    else:
        curves, calibration = span_curves(tally), calibrate_spans(tally)
    threshold = None
    if target is not None:
        certainty = certainty or certainty_of_spans(pairs, tally)
        units = unit_rows(tally, target.unit)
        threshold = choose_threshold(certainty, units, target.unit, target.recall, target.confidence)
    return OperatingPoints("spans" if scores is None else "words", tuple(curves), calibration, threshold)
