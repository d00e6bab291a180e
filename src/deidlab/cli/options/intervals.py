"""How sure figures are: what is drawn again, how often, with which seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from deidlab.options import option

if TYPE_CHECKING:
    from deidlab.evaluate.resample import ResampleSettings


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    GROUP: ClassVar[str] = "Intervals"

    unit: str = option(
        "document",
        metavar="document|patient",
        help="What is resampled for intervals and comparisons, and what a threshold's promise is about.",
    )
    resamples: int = option(2000, help="Bootstrap resamples; 0 leaves intervals and p-values out.")
    seed: int = option(0, help="Seed of the resamples.")
    confidence: float = option(0.95, help="Confidence of intervals, bounds and the threshold's promise.")

    def settings(self) -> ResampleSettings:
        from deidlab.evaluate.resample import ResampleSettings

        return ResampleSettings(self.resamples, self.seed, self.confidence, self.unit)
