"""The options of `deidlab mask`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab.cli.options import COMMON, argument, option, without
from deidlab.cli.options.databases import FromTableOptions, ToTableOptions
from deidlab.cli.options.engine import EngineOptions
from deidlab.cli.options.masking import MaskingOptions
from deidlab.cli.options.output import OUTPUT, AnswerOptions, OverwriteOption
from deidlab.cli.options.planning import PlanOptions
from deidlab.cli.options.reading import NoteOptions
from deidlab.pipeline.settings import Finding, Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskOptions:
    """All that `mask` takes."""

    GROUP: ClassVar[str] = "Masking"

    source: str = argument(
        metavar="SRC",
        help="A file, a folder read with its subfolders, - for standard input, or a database's table: "
        "postgresql://HOST/DB?table=NAME, sqlite:///FILE?table=NAME.",
    )
    out: str = option(
        "",
        "--out",
        "-o",
        metavar="DST",
        help="The file, folder or database's table to write, or - for standard output.",
        group=COMMON,
    )
    dry_run: bool = option(
        False,
        help="Write nothing; count what would be masked, and what a stricter threshold would add.",
        group=COMMON,
    )
    masking: MaskingOptions
    finding: Annotated[Finding, without("labels")]
    calibration: Path | None = option(
        None,
        metavar="FILE",
        help="How sure the detector is of real PHI (`detect --write-calibration`), for a policy that wants a "
        "recall [default: calibration.json in the model's folder].",
        group=Finding.GROUP,
    )
    spans: Path | None = option(
        None,
        metavar="CORPUS",
        help="Mask these annotations (of the same notes, by id), and look for nothing else.",
    )
    validated: Path | None = option(
        None,
        metavar="PROTOCOL",
        help="Say whether the notes still look like those that were validated (`deidlab validate plan`).",
        group=OUTPUT,
    )
    keep_map: Path | None = option(
        None,
        metavar="FILE",
        help="Write what `deidlab restore` needs to undo the masking, encrypted with a passphrase.",
    )
    reading: NoteOptions
    from_table: FromTableOptions
    writing: Writing
    to_table: ToTableOptions
    failures: Path | None = option(
        None,
        metavar="FILE",
        help="List failed notes with their real ids and files (for you alone: mode 0600).",
        group=OUTPUT,
    )
    operator: str = option(
        "",
        metavar="NAME",
        envvar="DEIDLAB_OPERATOR",
        help="Who runs this, for the record [default: the account's name].",
        group=OUTPUT,
    )
    overwriting: OverwriteOption
    answer: AnswerOptions
    engine: EngineOptions
    planning: PlanOptions
