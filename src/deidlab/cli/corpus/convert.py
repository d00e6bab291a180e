"""`deidlab corpus convert SRC DST --to FORMAT`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    KeepGoing,
    Overwrite,
    PatientColumn,
    Source,
    SplitOption,
    TextColumn,
    finish_reading,
    read_settings,
    show_progress,
)
from deidlab.cli.output import AsJson, Quiet, print_json, tell

if TYPE_CHECKING:
    from deidlab.types import Document


def convert(
    source: Source,
    destination: Annotated[
        Path, typer.Argument(metavar="DST", help="A folder, or a file where the format is one file.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="i2b2, i2b2-2006, brat, conll, conll-bilou, jsonl, inline, csv, parquet or txt.",
        ),
    ],
    from_: From = None,
    split: SplitOption = None,
    part: Annotated[str | None, typer.Option(help="With --split: write only this part.")] = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    keep_going: KeepGoing = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Turn a corpus of one format into another.

    Text is kept character for character and spans by their offsets. What the new format cannot hold
    (overlaps in inline tags, scores in CoNLL, spans in plain text) is counted and told.

    Example: deidlab corpus convert training-gold/ notes.jsonl --to jsonl
    """
    from deidlab.corpus import ReadReport, read_corpus, write_corpus
    from deidlab.corpus.files import refuse_overlap

    refuse_overlap([destination], [source], inside=True)
    settings = read_settings(encoding, text_column, id_column, patient_column)
    report = ReadReport()
    documents = show_progress(
        source, from_, read_corpus(source, from_, settings, report, keep_going), quiet or as_json
    )
    written: list[int] = [0, 0]
    losses = write_corpus(_counted(_of_part(documents, split, part), written), destination, to, overwrite)
    if as_json:
        answer = {
            "documents": written[0],
            "spans": written[1],
            "losses": dict(losses),
            "skipped": dict(+report.skipped),
        }
        print_json({**answer, "left_out": [str(bad) for bad in report.bad]})
    else:
        tell(f"wrote {written[0]} documents with {written[1]} spans to {destination}", quiet)
        for what, count in sorted(losses.items()):
            tell(f"not held by {to}: {what} ({count})", quiet)
    finish_reading(report, quiet or as_json)


def _of_part(documents: Iterator[Document], split: Path | None, part: str | None) -> Iterator[Document]:
    if split is None and part is None:
        yield from documents
        return
    if split is None or part is None:
        raise typer.BadParameter("--split and --part go together")
    from deidlab.corpus.split import load_manifest
    from deidlab.errors import UnknownNameError

    manifest = load_manifest(split)
    if part not in manifest.parts:
        raise UnknownNameError("part", part, manifest.parts)
    wanted = frozenset(manifest.parts[part])
    yield from (document for document in documents if document.id in wanted)


def _counted(documents: Iterator[Document], written: list[int]) -> Iterator[Document]:
    for document in documents:
        written[0] += 1
        written[1] += len(document.spans)
        yield document
