"""The options of `deidlab params`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL",
        help="A known name (see --list), a folder or config.json, or a hub id such as owner/name.",
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        "--head", help="token (no pooler), sequence, mlm or none. [default: sequence; token with --memory]"
    ),
]
Labels = Annotated[
    int | None, typer.Option("--labels", help="Labels that the head tells apart. [default: 2]")
]
Format = Annotated[
    str | None, typer.Option("--format", "-f", help="md, json, csv, listing or html. [default: md]")
]
Explain = Annotated[bool, typer.Option("--explain", help="Print the arithmetic, block by block.")]
Everything = Annotated[
    bool, typer.Option("--all", help="A page for every known model, and their rank, into --out.")
]
Study = Annotated[bool, typer.Option("--study", help="The study's Table 1 and its Appendices B to G.")]
ListNames = Annotated[bool, typer.Option("--list", help="The known models, their sizes and other names.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write to this file instead of the terminal; with --all, a folder."),
]
Figure = Annotated[
    Path | None,
    typer.Option("--figure", help="Draw where the parameters sit: .svg, .png or .pdf; one model or several."),
]
Memory = Annotated[
    str | None, typer.Option("--memory", help="What fits in this much, such as 32GB (10⁹ bytes) or 80GiB?")
]
Batch = Annotated[
    int | None, typer.Option("--batch", min=1, help="The memory that this batch of windows takes.")
]
Length = Annotated[int | None, typer.Option("--length", help="Pieces in a window. [default: 512]")]
PrecisionName = Annotated[
    str | None,
    typer.Option(
        "--precision",
        help="fp32, bf16 (weights, too) or bf16-mixed (autocast over fp32 weights). [default: fp32]",
    ),
]
Optimizer = Annotated[str | None, typer.Option("--optimizer", help="adamw or sgd. [default: adamw]")]
Attention = Annotated[
    str | None, typer.Option("--attention", help="sdpa or eager. [default: what transformers picks]")
]
