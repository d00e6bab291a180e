"""The options of `deidlab score`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from deidlab.cli.options import COMMON, argument, option
from deidlab.cli.options.intervals import IntervalOptions
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.options.reading import ReadingOptions, WordsOption


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """What counts."""

    GROUP: ClassVar[str] = "How to score"

    labels: str = option(
        "auto",
        metavar="SET",
        help="Score only this set's labels and list all of them, for instance hipaa-i2b2 or meaney-2022; "
        "auto takes the labels seen.",
    )
    by: str | None = option(
        None, metavar="FIELD", help="Break every figure down by a meta field, or by 'patient'."
    )
    missing: str = option(
        "error",
        metavar="error|skip|empty",
        help="A document on one side only: stop; leave it out; or score it as if the system found nothing.",
    )


@dataclass(frozen=True, slots=True)
class ThresholdOptions:
    """Certainties, and the threshold to choose by them."""

    GROUP: ClassVar[str] = "Scores and thresholds"

    scores: Path | None = option(
        None,
        metavar="FILE",
        help="Every word's PHI probability, as `deidlab detect --word-scores` writes it.",
    )
    threshold: float = option(
        0.0,
        min=0,
        max=1,
        help="Spans that score below this are candidates for the curves and no part of the system's answer.",
    )
    target_recall: float | None = option(
        None,
        help="Choose the threshold that holds this recall with --confidence, for notes such as these.",
    )


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files asked for."""

    GROUP: ClassVar[str] = "Files to write"

    leaks: Path | None = option(None, metavar="FILE.csv", help="Leaks and over-maskings, with their offsets.")
    confusion: Path | None = option(None, metavar="FILE.png", help="Picture of which types are confused.")
    chart: Path | None = option(None, metavar="FILE.png", help="Bar chart of F1 by type and system.")
    curves: Path | None = option(None, metavar="FILE.png", help="Precision–recall curves.")
    reliability: Path | None = option(
        None,
        old=("--calibration",),
        metavar="FILE.png",
        help="Reliability diagram: how often words are PHI, by how probable they were found.",
    )
    markdown: Path | None = option(None, metavar="FILE", help="Every table as Markdown.")
    csv: Path | None = option(None, metavar="FILE", help="Every count and ratio, one per row.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """All that `score` takes."""

    GROUP: ClassVar[str] = COMMON

    gold: Path = argument(metavar="GOLD", help="The corpus as people marked it: a file or a folder.")
    systems: tuple[Path, ...] = argument(
        metavar="SYSTEM…",
        help="The same documents as a system marked them; several are compared with the first.",
    )
    everything: bool = option(
        False,
        "--all",
        "-v",
        help="Print every table: averages, challenges' own measures, confusion, leaks.",
    )
    show_text: bool = option(False, help="Show the words of leaks and over-maskings. **They are PHI.**")
    answer: AnswerOptions
    reading: ReadingOptions
    system_format: str | None = option(
        None,
        "--system-from",
        metavar="FORMAT",
        help="Format of the systems' corpora, where it is not that of --from.",
        group=ReadingOptions.GROUP,
    )
    words: WordsOption
    counting: CountingOptions
    intervals: IntervalOptions
    operating: ThresholdOptions
    outputs: Outputs

    @property
    def wants_operating(self) -> bool:
        """Whether curves, reliability or a threshold are asked for."""
        found, files = self.operating, self.outputs
        return bool(found.scores or found.target_recall is not None or files.curves or files.reliability)
