"""The options of `deidlab export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished `deidlab train`.")]
Out = Annotated[Path, typer.Option(help="The folder to write.")]
Format = Annotated[
    str, typer.Option(metavar="onnx|openvino", help="What the model is to run on; openvino is faster.")
]
Int8 = Annotated[
    bool, typer.Option("--int8", help="Weights and most sums in 8 bits, if F1 stays within 0.2 points.")
]
Bf16 = Annotated[
    bool, typer.Option("--bf16", help="Sums in 16 bits where the processor has them (openvino).")
]
Corpus = Annotated[
    Path | None,
    typer.Option(
        metavar="NOTES", help="Notes with gold to measure on [default: the run's validation notes]."
    ),
]
Calibration = Annotated[
    Path | None,
    typer.Option(metavar="NOTES", help="Notes to fix int8 ranges on beforehand (openvino); no gold needed."),
]
From = Annotated[
    str, typer.Option("--from", metavar="FORMAT", help="Format of the notes; recognised unless given.")
]
Map = Annotated[str, typer.Option(help="Map labels first: a known map's name, or a TOML file.")]
Limit = Annotated[int, typer.Option(min=0, help="Measure on the first so many notes; 0: on all.")]
ForceInt8 = Annotated[bool, typer.Option("--force-int8", help="Keep int8 unmeasured, or whatever it costs.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an export that is there.")]
