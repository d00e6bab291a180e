"""The options that the study commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deidlab.study.spec import StudySpec

Study = Annotated[
    Path,
    typer.Argument(metavar="STUDY.toml", help="The study's file; studies/ has some.", show_default=False),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="The study's folder; named after the file unless given.")
]
Corpus = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        metavar="[NAME=]PATH",
        help="Where notes are: PATH for a corpus to split, or train=, validation=, test= for parts of their "
        "own, or the name of a [[cross]] corpus. As often as needed.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a value of the file: make.notes=40, settings.epochs=2, models.NAME.model=FOLDER.",
    ),
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Price = Annotated[float | None, typer.Option(help="What an hour of one GPU costs; goes over the file's.")]


def open_spec(
    study: Path, sets: list[str] | None, corpora: list[str] | None, price: float | None
) -> StudySpec:
    """The study with what the command line changes of it."""
    from deidlab.study.reading import read_spec
    from deidlab.study.spec import with_price

    return with_price(read_spec(study, sets or (), corpora or ()), price)


def default_folder(study: Path) -> Path:
    return Path(f"{study.stem}-study")
