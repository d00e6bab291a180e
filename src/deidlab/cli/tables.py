"""`deidlab tables plan|mask`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import COMMON, argument, option, takes_options, without
from deidlab.cli.options.engine import WorkersOption
from deidlab.cli.options.masking import KeyOption
from deidlab.cli.options.output import OUTPUT, AnswerOptions, OverwriteOption
from deidlab.pipeline.settings import Finding

_HERE = "deidlab.cli.tables"

tables = app_of(
    "tables",
    "A whole database or folder of tables: plan what becomes of each column, then mask it.",
    LazyCommand(_HERE, "plan", "Propose a class for every column, and why, as a TOML to go through."),
    LazyCommand(_HERE, "mask", "Mask all tables of a plan: texts, dates, keys and the rest, joins kept."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What `tables plan` takes."""

    source: str = argument(
        metavar="SOURCE",
        help="A database (postgresql://HOST/DB, sqlite:///FILE; ?schema=NAME for one schema) or a folder of "
        "CSV, TSV or Parquet files.",
    )
    out: Path = option(Path("plan.toml"), "--out", "-o", metavar="PLAN.toml", help="The plan to write.")
    overwriting: OverwriteOption
    answer: AnswerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskTablesOptions:
    """What `tables mask` takes."""

    GROUP: ClassVar[str] = "Masking"

    plan: Path = argument(metavar="PLAN.toml", help="The plan, with every column classified.")
    out: str = option("", "--out", "-o", metavar="DST", help="A database's URL or a folder.", group=COMMON)
    source: str = option(
        "", "--source", metavar="SOURCE", help="Read from here [default: what the plan was made for]."
    )
    to: str | None = option(
        None, choices=("csv", "parquet"), help="Files of a folder [default: as the source's].", group=OUTPUT
    )
    policy: str = option(
        "i2b2",
        metavar="NAME|FILE",
        help="What is masked: safe-harbor, i2b2, limited-dataset, gdpr, phipa, or a TOML file of your own.",
        group=COMMON,
    )
    accept_derived_codes: bool = option(
        False,
        help="Take keyed codes with a policy that asks for codes which are not derived from the person.",
    )
    day_first: bool = option(False, help="Read 3/4/2064 as the third of April.")
    key: KeyOption
    finding: Annotated[Finding, without("labels", "known")]
    overwriting: OverwriteOption
    answer: AnswerOptions
    workers: WorkersOption


@takes_options
def plan(options: PlanOptions) -> None:
    """Read what tables there are, and write a plan that names every column with a proposed class and why.

    The schema is looked at (names, types, keys, the OMOP common data model) and the shapes of some values, by
    counts: no value is written or shown. What cannot be told is unclassified, and `tables mask` stops until
    you have decided.

    Example: deidlab tables plan sqlite:///clinic.db --out plan.toml
    """
    from deidlab.cli.tables_run import run_plan

    run_plan(options)


@takes_options
def mask(options: MaskTablesOptions) -> None:
    """Mask all tables of a plan in one run, into another database or folder.

    Dates of all tables move by the patient's offset, as those in the texts do; keys become keys of the same
    type, alike in all tables; texts are searched. All of it is written, or nothing. A run that was stopped
    goes on when the same command is given again with the same key file.

    Example: deidlab tables mask plan.toml --out sqlite:///shared.db --rules only --key-file site.key
    """
    from deidlab.cli.tables_run import run_mask

    run_mask(options)
