"""What the corpus commands share: reading with a bar, and what is said of what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options.reading import CorpusOptions
from deidlab.cli.output import PARTLY_DONE, tell, with_progress

if TYPE_CHECKING:
    from deidlab.corpus import ReadReport
    from deidlab.types import Document


def read_documents(
    options: CorpusOptions, report: ReadReport, keep_going: bool, silent: bool
) -> Iterator[Document]:
    """The documents that the options name, with a bar; what is left out is in the report."""
    from deidlab.corpus import read_corpus

    documents = read_corpus(options.source, options.format, options.files, report, keep_going)
    return show_progress(options.source, options.format, documents, silent)


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
