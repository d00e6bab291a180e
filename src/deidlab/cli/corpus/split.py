"""`deidlab corpus split SRC --out MANIFEST`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    KeepGoing,
    Overwrite,
    PatientColumn,
    Source,
    TextColumn,
    finish_reading,
    read_settings,
    show_progress,
)
from deidlab.cli.output import AsJson, Quiet, print_json, tell


def split(
    source: Source,
    out: Annotated[
        Path, typer.Option("--out", metavar="MANIFEST", help="Where to write the manifest (JSON).")
    ],
    from_: From = None,
    ratios: Annotated[
        str, typer.Option(help="Shares of the parts, by documents; named like train=80:dev=20 if you wish.")
    ] = "50:10:40",
    seed: Annotated[int, typer.Option(help="Another seed, another split.")] = 0,
    by: Annotated[
        str, typer.Option(metavar="patient|document", help="Keep a patient's notes together, or not.")
    ] = "patient",
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    keep_going: KeepGoing = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Deal a corpus out into parts, the same on every machine and whatever the order of files.

    The manifest lists the documents of each part; `stats`, `check`, `convert` and training read it.
    """
    from deidlab.corpus import ReadReport, read_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.split import read_ratios, save_manifest, split_corpus

    refuse_overlap([out], [source], inside=True)
    shares = read_ratios(ratios)
    settings = read_settings(encoding, text_column, id_column, patient_column)
    report = ReadReport()
    documents = read_corpus(source, from_, settings, report, keep_going)
    manifest = split_corpus(show_progress(source, from_, documents, quiet or as_json), shares, seed, by)
    save_manifest(manifest, out, overwrite)
    sizes = {part: len(ids) for part, ids in manifest.parts.items()}
    if as_json:
        print_json({"seed": seed, "by": by, "corpus_digest": manifest.digest, "parts": sizes})
    for part, size in sizes.items():
        tell(f"{part}: {size} documents ({size / max(1, report.documents):.1%})", quiet or as_json)
    finish_reading(report, quiet or as_json)
