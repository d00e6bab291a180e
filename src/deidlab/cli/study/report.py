"""`deidlab study report STUDY`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.intervals import IntervalOptions
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json, tell
from deidlab.cli.study.options import default_folder

if TYPE_CHECKING:
    from deidlab.report.study.parts import StudyReport

_PRINTED = ("table-4-selected", "table-5-test-intervals")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """All that `study report` takes."""

    GROUP: ClassVar[str] = COMMON

    study: Path = argument(
        metavar="STUDY",
        help="The study's folder, or its TOML file: then the folder that `study run` gives it.",
        show_default=False,
    )
    out: Path | None = option(
        None,
        "--out",
        "-o",
        metavar="DIR",
        help="Where to write; `report` in the study's folder unless given.",
    )
    formats: tuple[str, ...] = option(
        (),
        "--format",
        "-f",
        metavar="NAME",
        help="html, markdown, latex, csv, json or figures; several times, or with commas. All unless given.",
    )
    intervals: IntervalOptions
    answer: AnswerOptions

    @property
    def folder(self) -> Path:
        """Where the study is kept."""
        return default_folder(self.study) if self.study.suffix.lower() == ".toml" else self.study


@takes_options
def report(options: ReportOptions) -> None:
    """Write a study's tables and figures from its records: the corpus is not needed.

    A study that is still running gives the report that can be given, which says what is missing. With
    `--json` the report is printed for a program to read, and files are written only with `--out` or
    `--format`. docs/study-report.md says what each table holds.

    Example: deidlab study report study-study --format html,csv
    """
    from deidlab.report.figures import check_figure
    from deidlab.report.study.files import check_formats, report_to_json, with_pictures, write_report
    from deidlab.report.study.report import build_report
    from deidlab.study.records import read_study

    wanted, answer = check_formats(options.formats), options.answer
    writes = not answer.as_json or options.out is not None or bool(options.formats)
    if writes and with_pictures(wanted):
        check_figure()
    found = build_report(read_study(options.folder), options.intervals.settings())
    place = options.out or options.folder / "report"
    written = write_report(found, place, wanted) if writes else []
    if answer.as_json:
        print_json(report_to_json(found))
    elif not answer.quiet:
        _print(found)
    if written:
        tell(f"wrote {len(written)} files to {place}", answer.silent)


def _print(found: StudyReport) -> None:
    """The two tables that most readers want, and what is missing."""
    from deidlab.report.tables import print_table

    for table in found.tables:
        if table.key in _PRINTED:
            print_table(table)
    for line in found.missing:
        tell(f"missing: {line}")
