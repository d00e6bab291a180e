"""`deidlab tables plan|mask`."""

from __future__ import annotations

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import takes_options
from deidlab.cli.tables_options import TablesMaskOptions, TablesPlanOptions

_HERE = "deidlab.cli.tables"

tables = app_of(
    "tables",
    "A whole database or folder of tables: plan what becomes of each column, then mask it.",
    LazyCommand(
        _HERE,
        "plan",
        "Write a plan of what tables there are, with a proposed class for every column, and why.",
    ),
    LazyCommand(_HERE, "mask", "Mask all tables of a plan in one run, into another database or folder."),
)


@takes_options
def plan(options: TablesPlanOptions) -> None:
    """Write a plan of what tables there are, with a proposed class for every column, and why.

    The schema is looked at (names, types, keys, the OMOP common data model) and the shapes of some values, by
    counts: no value is written or shown. What cannot be told is unclassified, and `tables mask` stops until
    you have decided.

    Example: deidlab tables plan sqlite:///clinic.db --out plan.toml
    """
    from deidlab.cli.tables_run import run_plan

    run_plan(options)


@takes_options
def mask(options: TablesMaskOptions) -> None:
    """Mask all tables of a plan in one run, into another database or folder.

    Dates of all tables move by the patient's offset, as those in the texts do; keys become keys of the same
    type, alike in all tables; texts are searched. All of it is written, or nothing. A run that was stopped
    goes on when the same command is given again with the same key file.

    Example: deidlab tables mask plan.toml --out sqlite:///shared.db --rules only --key-file site.key
    """
    from deidlab.cli.tables_run import run_mask

    run_mask(options)
