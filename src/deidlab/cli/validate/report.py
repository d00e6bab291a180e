"""`deidlab validate report PROTOCOL`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.output import check_report, print_json, tell_written, write_report
from deidlab.cli.review import check_extra
from deidlab.cli.validate.opening import open_existing_store, usual_store


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateReportOptions:
    """All that `validate report` takes."""

    GROUP: ClassVar[str] = COMMON

    protocol: Path = argument(metavar="PROTOCOL", help="What `deidlab validate plan` wrote.")
    report: Path | None = option(
        None, metavar="FILE", help="The page to write (.html, with its .json beside it), or only .json."
    )
    store: Path | None = option(
        None, metavar="FILE", help="Where verdicts were kept [default: PROTOCOL.review]."
    )
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def report(options: ValidateReportOptions) -> None:
    """Say what the reading shows: bounds by stratum and overall, what leaked, agreement.

    It can be asked at any time. Once somebody has looked before all was read, the bound that holds at every
    look counts, and it is the one that is given.

    Example: deidlab validate report protocol.json --report validation.html
    """
    check_extra()
    from deidlab.report.validation.page import result_to_html
    from deidlab.report.validation.protocol import read_protocol
    from deidlab.report.validation.result import assess
    from deidlab.web.reading_store import note_look, open_reading, read_looks, read_verdicts

    protocol = read_protocol(options.protocol)
    _check_place(options)
    store = open_existing_store(usual_store(options.protocol, options.store))
    open_reading(store, protocol)
    looks = read_looks(store)
    result = assess(protocol, read_verdicts(store), looks)
    if result["counted"]:
        note_look(store, looks, result["counted"])
    store.close()
    if options.answer.as_json:
        print_json(result)
    else:
        _show(result)
    if options.report is not None:
        written = write_report(result, options.report, result_to_html, options.overwriting.overwrite)
        tell_written(written, options.answer.silent)


def _check_place(options: ValidateReportOptions) -> None:
    from deidlab.corpus.files import refuse_overlap

    if options.report is not None:
        paths = check_report(options.report, options.overwriting.overwrite)
        refuse_overlap(paths, (options.protocol, usual_store(options.protocol, options.store)))


def _show(result: dict[str, Any]) -> None:
    from deidlab.report.tables import print_table
    from deidlab.report.validation.tables import result_tables, say_result

    for table in result_tables(result):
        print_table(table)
    for line in say_result(result):
        typer.echo(line)
