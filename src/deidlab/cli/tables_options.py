"""The options of `deidlab tables plan` and `tables mask`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab.cli.options import COMMON, argument, option, without
from deidlab.cli.options.engine import WorkersOption
from deidlab.cli.options.masking import CrosswalkOption
from deidlab.cli.options.output import OUTPUT, AnswerOptions, OverwriteOption
from deidlab.mask.settings import MaskSettings
from deidlab.pipeline.settings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesPlanOptions:
    """What `tables plan` takes."""

    source: str = argument(
        metavar="SOURCE",
        help="A database (postgresql://HOST/DB, sqlite:///FILE, duckdb:///FILE; ?schema=NAME for one schema) "
        "or a folder of CSV, TSV or Parquet files.",
    )
    out: Path = option(Path("plan.toml"), "--out", "-o", metavar="PLAN.toml", help="The plan to write.")
    overwriting: OverwriteOption
    answer: AnswerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesMaskOptions:
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
    how: Annotated[MaskSettings, without("style", "redact_mark")]
    key: CrosswalkOption
    finding: Annotated[Finding, without("labels", "known")]
    overwriting: OverwriteOption
    answer: AnswerOptions
    workers: WorkersOption
