"""`deidlab study report STUDY`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.cli.study.options import default_folder

if TYPE_CHECKING:
    from deidlab.report.study.parts import StudyReport

Study = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY",
        help="The study's folder, or its TOML file: then the folder that `study run` gives it.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Where to write; `report` in the study's folder unless given."
    ),
]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="html, markdown, latex, csv, json or figures; several times, or with commas. All unless given.",
    ),
]
Unit = Annotated[
    str, typer.Option(help="What is drawn again for intervals and swapped for p: document or patient.")
]
Resamples = Annotated[int, typer.Option(help="How often; 0 leaves intervals and p out.")]
Confidence = Annotated[float, typer.Option(help="Of intervals and bounds.")]
Seed = Annotated[int, typer.Option(help="Of the resamples.")]

_PRINTED = ("table-4-selected", "table-5-test-intervals")


def report(
    study: Study,
    out: Out = None,
    formats: Formats = None,
    unit: Unit = "document",
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a study's tables and figures from its records: the corpus is not needed.

    A study that is still running gives the report that can be given, which says what is missing. With
    `--json` the report is printed for a program to read, and files are written only with `--out` or
    `--format`. docs/study-report.md says what each table holds.
    """
    from deidlab.evaluate.resample import ResampleSettings
    from deidlab.report.figures import check_figure
    from deidlab.report.study.files import check_formats, report_to_json, with_pictures, write_report
    from deidlab.report.study.report import build_report
    from deidlab.study.records import read_study

    wanted = check_formats(formats or ())
    writes = not as_json or out is not None or bool(formats)
    if writes and with_pictures(wanted):
        check_figure()
    settings = ResampleSettings(resamples, seed, confidence, unit)
    folder = default_folder(study) if study.suffix.lower() == ".toml" else study
    found = build_report(read_study(folder), settings)
    place = out or folder / "report"
    written = write_report(found, place, wanted) if writes else []
    if as_json:
        print_json(report_to_json(found))
    elif not quiet:
        _print(found)
    if written:
        tell(f"wrote {len(written)} files to {place}", quiet or as_json)


def _print(found: StudyReport) -> None:
    """The two tables that most readers want, and what is missing."""
    from deidlab.report.cells import to_table
    from deidlab.report.tables import print_table

    for table in found.tables:
        if table.key in _PRINTED:
            print_table(to_table(table))
    for line in found.missing:
        tell(f"missing: {line}")
