"""The options of `review` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Corpus = Annotated[
    Path,
    typer.Argument(metavar="CORPUS", help="The notes to review: a file, or a folder with its subfolders."),
]
Store = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Where decisions are kept (SQLite, mode 0600) [default: CORPUS.review]."
    ),
]
Detect = Annotated[
    bool | None,
    typer.Option(
        "--detect/--no-detect",
        help="Find PHI first, or review the spans that the corpus has "
        "[default: find it where the corpus has no span at all].",
    ),
]
Twice = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="The share of notes that two people review apart, to see how far they agree."
    ),
]
Compare = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOLDER|NAME=FOLDER",
        help="A retrained model: the page shows what it would change; 'rules' are rules alone. Repeatable.",
    ),
]
LoadOnly = Annotated[
    bool,
    typer.Option(
        "--load-only", help="Read the corpus, run the models, and stop: later the page is there at once."
    ),
]
Reviewer = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Who reviews, where there are no tokens [default: your login]."),
]
Export = Annotated[
    Path | None, typer.Option("--export", metavar="DST", help="Write the reviewed notes, and stop.")
]
To = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="Format of the export [default: by DST's name, else i2b2]."),
]
Part = Annotated[
    str, typer.Option(metavar="done|all", help="Export notes that are done, or all as they stand.")
]
By = Annotated[
    str, typer.Option(metavar="NAME", help="Export notes that two people reviewed as this one marked them.")
]
Agree = Annotated[bool, typer.Option("--agreement", help="Print how far the reviewers agree, and stop.")]
