"""What the corpus commands share: the options that say how to read, and reading with a bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.output import tell, with_progress

if TYPE_CHECKING:
    from deidlab.corpus import ReadReport, ReadSettings
    from deidlab.types import Document

PARTLY_DONE = 3

Source = Annotated[
    Path, typer.Argument(metavar="SRC", help="A file, or a folder that is read with its subfolders.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="i2b2, i2b2-2006, n2c2-2016, physionet, brat, conll, jsonl, inline, csv, parquet or txt; "
        "recognised from the files where not given.",
    ),
]
Encoding = Annotated[str, typer.Option(help="Encoding of text files; XML says its own.")]
TextColumn = Annotated[str, typer.Option(help="Tables: the column that holds the note.")]
IdColumn = Annotated[str | None, typer.Option(help="Tables: the column of ids [default: id, if there].")]
PatientColumn = Annotated[
    str | None, typer.Option(help="Tables: the column of patients [default: patient, if there].")
]
KeepGoing = Annotated[
    bool,
    typer.Option("--keep-going", help="Leave out documents that cannot be read, list them, and exit with 3."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there under that name.")]
WordsOption = Annotated[
    str,
    typer.Option(
        "--words",
        metavar="runs|whitespace",
        help="How to cut words: runs of letters, of digits, single symbols; or at white space, as in 2022.",
    ),
]
SplitOption = Annotated[
    Path | None, typer.Option("--split", metavar="MANIFEST", help="A manifest that `corpus split` wrote.")
]


def read_settings(
    encoding: str, text_column: str, id_column: str | None, patient_column: str | None
) -> ReadSettings:
    from deidlab.corpus import ReadSettings

    return ReadSettings(encoding, text_column, id_column, patient_column)


def show_progress(
    source: Path, format: str | None, documents: Iterable[Document], quiet: bool
) -> Iterator[Document]:
    """The documents, with a bar that knows the total where files tell it."""
    return with_progress(documents, "notes", _count_files(source, format), quiet)


def _count_files(source: Path, format: str | None) -> int | None:
    from deidlab.corpus.formats import find_format, recognise_format
    from deidlab.corpus.reading import count_files

    chosen = find_format(format) if format else recognise_format(source)
    return count_files(source, chosen) if chosen.is_note_a_file else None


def tell_skipped(report: ReadReport, quiet: bool) -> None:
    """What the reader left out on purpose."""
    for what, count in sorted((+report.skipped).items()):
        tell(f"skipped: {count} {what}", quiet)


def finish_reading(report: ReadReport, quiet: bool) -> None:
    """Tell what was left out; documents that could not be read end the command with 3."""
    tell_skipped(report, quiet)
    for bad in report.bad:
        tell(f"left out: {bad}")
    if report.bad:
        tell(f"{len(report.bad)} documents left out")
        raise typer.Exit(PARTLY_DONE)
