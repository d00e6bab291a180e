"""A review in, documents out as any program of the house reads them, or as one file to download."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from deidlab.corpus import write_corpus
from deidlab.corpus.formats import find_format
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.types import Document
from deidlab.web.store import ReviewStore
from deidlab.web.store_notes import as_document
from deidlab.web.store_rows import read_state
from deidlab.web.store_schema import SHARED

DownloadFormat = Literal["i2b2", "brat", "jsonl"]
DOWNLOAD_FORMATS: tuple[DownloadFormat, ...] = get_args(DownloadFormat)
Part = Literal["done", "all"]
_ZIP = "application/zip"
PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(slots=True)
class ExportReport:
    """What was exported, filled as documents pass; `not_done` and `not_settled` were left out."""

    n_notes: int = 0
    n_spans: int = 0
    not_done: int = 0
    not_settled: int = 0
    losses: Counter[str] = field(default_factory=Counter)


def export_documents(
    store: ReviewStore, part: str = "done", reviewer: str = "", report: ExportReport | None = None
) -> Iterator[Document]:
    """The notes that are done, or all as they stand now, with their PHI as spans.

    Notes that are reviewed twice come from the shared layer, once they are settled; with `reviewer`, as that
    reviewer finished them.
    """
    if part not in PARTS:
        raise UnknownNameError("part to export", part, PARTS)
    report = report if report is not None else ExportReport()
    with store.reading() as db:
        notes = db.execute("SELECT number, twice FROM note ORDER BY number").fetchall()
        for number, twice in notes:
            state = read_state(db, number, reviewer if twice and reviewer else SHARED)
            if part == "done" and not state.done:
                if twice:
                    report.not_settled += 1
                else:
                    report.not_done += 1
                continue
            report.n_notes += 1
            report.n_spans += sum(mark.is_phi for mark in state.marks)
            yield as_document(state)
    if not report.n_notes:
        # Raised before anything gets its name: an empty export would look like a success.
        raise CorpusError("no note is done yet, so nothing was written; --part all takes notes as they stand")


def export_review(
    store: ReviewStore, destination: Path, format: str, part: str, reviewer: str = "", overwrite: bool = False
) -> ExportReport:
    """Write the reviewed corpus, in any format that holds spans."""
    report = ExportReport()
    documents = export_documents(store, part, reviewer, report)
    report.losses = write_corpus(documents, destination, find_format(format).name, overwrite)
    return report


@contextlib.contextmanager
def private_folder(store: ReviewStore) -> Iterator[Path]:
    """A folder beside the store that only its owner can enter, and that is gone afterwards."""
    folder = store.path.parent / f".export-{secrets.token_hex(8)}"
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def media_type(format: DownloadFormat) -> str:
    """What a browser is told of a download."""
    chosen = find_format(format)
    return _ZIP if chosen.is_note_a_file else chosen.media_type


def make_download(store: ReviewStore, folder: Path, format: DownloadFormat, part: str) -> Path:
    """One file for a browser: JSON lines, or a ZIP of the files of another format."""
    chosen = find_format(format)
    if not chosen.is_note_a_file:
        one_file = folder / f"reviewed{chosen.suffixes[0]}"
        export_review(store, one_file, format, part)
        return one_file
    files = folder / "reviewed"
    files.mkdir()
    export_review(store, files, format, part, overwrite=True)
    archive = folder / f"reviewed-{format}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for path in sorted(files.iterdir()):
            pack.write(path, path.name)
    return archive
