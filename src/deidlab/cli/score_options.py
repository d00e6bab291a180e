"""The options of `deidlab score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_FILES, _DETAIL, _THRESHOLD = "Files to write", "How to score", "Scores and thresholds"
_FORMAT_HELP = "recognised from the files where not given"

Gold = Annotated[
    Path, typer.Argument(metavar="GOLD", help="The corpus as people marked it: a file or a folder.")
]
Systems = Annotated[
    list[Path],
    typer.Argument(
        metavar="SYSTEM…", help="The same documents as a system marked them; several are compared."
    ),
]
From = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help=f"Format of all corpora; {_FORMAT_HELP}.")
]
SystemFrom = Annotated[
    str | None,
    typer.Option("--system-from", metavar="FORMAT", help=f"Format of the systems' corpora; {_FORMAT_HELP}."),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="FIELD", help="Break every figure down by a meta field, or by 'patient'.",
        rich_help_panel=_DETAIL,
    ),
]  # fmt: skip
Words = Annotated[
    str,
    typer.Option(
        "--words", metavar="runs|whitespace", rich_help_panel=_DETAIL,
        help="How to cut words: runs of letters, of digits, single symbols; or at white space, as in 2022.",
    ),
]  # fmt: skip
Labels = Annotated[
    str,
    typer.Option(
        "--labels", metavar="SET", rich_help_panel=_DETAIL,
        help="Score only this set's labels and list all of them, for instance hipaa-i2b2 or meaney-2022; "
        "auto takes the labels seen.",
    ),
]  # fmt: skip
Unit = Annotated[
    str,
    typer.Option(
        "--unit", metavar="document|patient", rich_help_panel=_DETAIL,
        help="What intervals, comparisons and the threshold's promise are about.",
    ),
]  # fmt: skip
Resamples = Annotated[
    int,
    typer.Option("--resamples", help="Bootstrap resamples; 0 leaves intervals out.", rich_help_panel=_DETAIL),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the resamples.", rich_help_panel=_DETAIL)]
Confidence = Annotated[
    float,
    typer.Option(
        "--confidence", help="Of intervals, bounds and the threshold's promise.", rich_help_panel=_DETAIL
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing", metavar="error|skip|empty", rich_help_panel=_DETAIL,
        help="A document on one side only: stop; leave it out; or score it as if the system found nothing.",
    ),
]  # fmt: skip
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        "-v",
        help="Print every table: averages, challenges' own measures, confusion, leaks.",
    ),
]
ShowText = Annotated[
    bool,
    typer.Option("--show-text", help="Show the words of leaks and over-maskings. **They are PHI.**"),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        "--scores", metavar="FILE", rich_help_panel=_THRESHOLD,
        help="Every word's PHI probability, as `deidlab detect --word-scores` writes it.",
    ),
]  # fmt: skip
Threshold = Annotated[
    float,
    typer.Option(
        "--threshold", min=0, max=1, rich_help_panel=_THRESHOLD,
        help="Spans that score below this are candidates for the curves and no part of the system's answer.",
    ),
]  # fmt: skip
TargetRecall = Annotated[
    float | None,
    typer.Option(
        "--target-recall", rich_help_panel=_THRESHOLD,
        help="Choose the threshold that holds this recall with --confidence, on these calibration documents.",
    ),
]  # fmt: skip
Leaks = Annotated[
    Path | None,
    typer.Option(
        "--leaks", metavar="FILE.csv", help="Leaks and over-maskings by offset.", rich_help_panel=_FILES
    ),
]
ConfusionFile = Annotated[
    Path | None,
    typer.Option(
        "--confusion", metavar="FILE.png", help="Types confused, a picture.", rich_help_panel=_FILES
    ),
]
Chart = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE.png", help="F1 by type and system, bars.", rich_help_panel=_FILES),
]
CurvesFile = Annotated[
    Path | None,
    typer.Option("--curves", metavar="FILE.png", help="Precision–recall curves.", rich_help_panel=_FILES),
]
CalibrationFile = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="FILE.png", help="Reliability diagram.", rich_help_panel=_FILES),
]
Markdown = Annotated[
    Path | None,
    typer.Option("--markdown", metavar="FILE", help="Every table as Markdown.", rich_help_panel=_FILES),
]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Every count and ratio, one a row.", rich_help_panel=_FILES),
]
