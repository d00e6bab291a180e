"""`deidlab validate drift PROTOCOL OUT`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import typer

from deidlab.cli.options import COMMON, argument, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json
from deidlab.cli.validate.opening import open_run


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateDriftOptions:
    """All that `validate drift` takes."""

    GROUP: ClassVar[str] = COMMON

    protocol: Path = argument(metavar="PROTOCOL", help="The protocol of what was validated.")
    output: str = argument(metavar="OUT", help="Notes that were masked later: a file, folder or table's URL.")
    answer: AnswerOptions


@takes_options
def drift(options: ValidateDriftOptions) -> None:
    """Say whether later notes still look like those that were validated.

    Compared are the detector's certainty, what was replaced, and the words around it, by stratum, against
    what chance would bring. Status 3 says that there is something to read again.

    Example: deidlab validate drift protocol.json masked-in-march
    """
    from deidlab.cli.output import PARTLY_DONE
    from deidlab.report.tables import print_table
    from deidlab.report.validation.drift import drift_tables, measure_drift, say_drift
    from deidlab.report.validation.protocol import read_protocol

    found = measure_drift(read_protocol(options.protocol), open_run(options.output))
    if options.answer.as_json:
        print_json(found)
    else:
        for table in drift_tables(found):
            print_table(table)
        for line in say_drift(found):
            typer.echo(line)
    if found["read_again"]:
        raise typer.Exit(PARTLY_DONE)
