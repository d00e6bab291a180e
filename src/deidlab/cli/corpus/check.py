"""`deidlab corpus check SRC`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    PatientColumn,
    Source,
    SplitOption,
    TextColumn,
    read_settings,
)
from deidlab.cli.output import AsJson, Quiet, print_json, tell, with_progress

if TYPE_CHECKING:
    from deidlab.corpus import ReadSettings
    from deidlab.corpus.check import CheckReport
    from deidlab.labels import LabelSet


def check(
    source: Source,
    from_: From = None,
    labels: Annotated[
        str,
        typer.Option(
            help="The label set that types must belong to; 'guess' takes the one that holds most of them."
        ),
    ] = "guess",
    split: SplitOption = None,
    likeness: Annotated[
        float,
        typer.Option(min=0.1, max=1.0, help="With --split: how alike two notes must be to be reported."),
    ] = 0.8,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Name every problem in a corpus, with file and offsets; exit 1 if there is any.

    Looked for: files that cannot be read, quoted text that is not at its offsets, spans that are empty or
    out of bounds, overlaps, unknown types, ids used twice; with --split also patients in two parts and
    notes nearly repeated across parts.
    """
    from deidlab.corpus.check import check_corpus
    from deidlab.corpus.reading import read_raw
    from deidlab.corpus.split import load_manifest

    settings = read_settings(encoding, text_column, id_column, patient_column)
    label_set = _find_labels(labels, source, from_, settings)
    part_of = load_manifest(split).part_of() if split else None
    raws = with_progress(read_raw(source, from_, settings), "notes", None, quiet or as_json)
    report = check_corpus(raws, label_set, part_of, likeness)
    if as_json:
        _print_answer(report)
    else:
        for problem in report.problems:
            typer.echo(f"{problem.kind}: {problem}")
        _tell_totals(report, quiet)
    if report.problems:
        raise typer.Exit(1)


def _find_labels(name: str, source: Path, from_: str | None, settings: ReadSettings) -> LabelSet:
    from deidlab.corpus.raw import RawDocument
    from deidlab.corpus.reading import read_raw
    from deidlab.labels import AUTO, guess_label_set, load_label_set

    if name not in ("guess", AUTO):
        return load_label_set(name)
    counts: Counter[str] = Counter()
    for raw in read_raw(source, from_, settings):
        if isinstance(raw, RawDocument):
            counts.update(a.label for a in raw.annotations if a.label)
    return guess_label_set(counts) if name == "guess" else load_label_set(AUTO, counts)


def _print_answer(report: CheckReport) -> None:
    answer = {
        "documents": report.documents,
        "spans": report.spans,
        "misfits": report.misfits,
        "labels": report.labels.name if report.labels else None,
        "skipped": dict(+report.skipped),
        "problems_by_kind": dict(Counter(problem.kind for problem in report.problems)),
        "problems": [asdict(problem) for problem in report.problems],
    }
    print_json(answer)


def _tell_totals(report: CheckReport, quiet: bool) -> None:
    name = report.labels.name if report.labels else "?"
    tell(
        f"{report.documents} documents, {report.spans} spans, {report.misfits} misfits, "
        f"{len(report.problems)} problems (label set: {name})",
        quiet,
    )
    for what, count in sorted((+report.skipped).items()):
        tell(f"skipped: {count} {what}", quiet)
