"""The options of `deidlab export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from deidlab.cli.options import COMMON, argument, option
from deidlab.cli.options.output import AnswerOptions
from deidlab.errors import UsageError


@dataclass(frozen=True, slots=True)
class MeasuringOptions:
    """The notes on which an export is compared with its run."""

    GROUP: ClassVar[str] = "Measuring"

    corpus: Path | None = option(
        None, metavar="NOTES", help="Notes with gold to measure on [default: the run's validation notes]."
    )
    format: str = option("", "--from", metavar="FORMAT", help="Format of the notes; recognised unless given.")
    map: str = option("", help="Map labels first: a known map's name, or a TOML file.")
    limit: int = option(0, min=0, metavar="N", help="Measure on the first N notes; 0 takes all.")
    int8_notes: Path | None = option(
        None,
        old=("--calibration",),
        metavar="NOTES",
        help="Notes from which int8 ranges are fixed beforehand (openvino); no gold needed.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """All that `export` takes."""

    GROUP: ClassVar[str] = COMMON

    run: Path = argument(metavar="RUN", help="The folder of a finished `deidlab train`.")
    out: Path = option(help="The folder to write.")
    target: str = option(
        "openvino",
        "--format",
        metavar="onnx|openvino",
        help="What the model is to run on; openvino is faster.",
    )
    int8: bool = option(False, help="Compute in 8 bits, if F1 stays within 0.2 points.")
    bf16: bool = option(False, help="Compute in 16 bits where the processor can (openvino).")
    force_int8: bool = option(False, help="Keep int8 even unmeasured, or whatever F1 it costs.")
    overwrite: bool = option(False, help="Replace an export that is there.")
    measuring: MeasuringOptions
    answer: AnswerOptions

    def __post_init__(self) -> None:
        if self.int8 and self.bf16:
            raise UsageError("--int8 and --bf16 exclude each other")

    @property
    def precision(self) -> str:
        return "int8" if self.int8 or self.force_int8 else "bf16" if self.bf16 else "fp32"
