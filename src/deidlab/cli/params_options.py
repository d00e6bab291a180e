"""The options of `deidlab params`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option
from deidlab.cli.options.output import AnswerOptions
from deidlab.errors import UnknownNameError

FORMATS = ("md", "json", "csv", "listing", "html")


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What is to fit in memory, and how it is computed."""

    GROUP: ClassVar[str] = "Memory"

    memory: str | None = option(None, help="What fits in this much, such as 32GB (10⁹ bytes) or 80GiB?")
    batch: int | None = option(None, min=1, help="How much memory does this batch of windows take?")
    length: int | None = option(None, help="Pieces in a window. [default: 512]")
    precision: str | None = option(
        None, help="fp32, bf16 (weights, too) or bf16-mixed (autocast over fp32 weights). [default: fp32]"
    )
    optimizer: str | None = option(None, help="adamw or sgd. [default: adamw]")
    attention: str | None = option(None, help="sdpa or eager. [default: what transformers picks]")

    def __post_init__(self) -> None:
        how = [each.name for each in fields(self)[2:] if getattr(self, each.name) is not None]
        if how and not self.are_given:
            given = ", ".join(f"--{name}" for name in how)
            raise typer.BadParameter(f"{given}: only with --memory or --batch")

    @property
    def are_given(self) -> bool:
        return self.memory is not None or self.batch is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamsOptions:
    """All that `params` takes: one answer at a time."""

    GROUP: ClassVar[str] = COMMON

    models: tuple[str, ...] = argument(
        (),
        metavar="MODEL",
        help="A known name (see --list), a folder or config.json, or a hub id such as owner/name.",
    )
    head: str | None = option(
        None,
        help="token (no pooler), sequence, mlm or none. [default: sequence; token with --memory]",
    )
    labels: int | None = option(None, help="How many labels the head tells apart. [default: 2]")
    format: str | None = option(None, "--format", "-f", help="md, json, csv, listing or html. [default: md]")
    explain: bool = option(False, help="Print the arithmetic, block by block.")
    everything: bool = option(
        False, "--all", help="Write a page for every known model, and their ranking, into --out."
    )
    study: bool = option(False, help="The study's Table 1 and its Appendices B to G.")
    list_names: bool = option(False, "--list", help="The known models, their sizes and other names.")
    out: Path | None = option(
        None, "--out", "-o", help="Write to this file instead of the terminal; with --all, a folder."
    )
    figure: Path | None = option(
        None, help="Draw where the parameters sit: .svg, .png or .pdf; one model or several."
    )
    memory: MemoryOptions
    answer: AnswerOptions

    @property
    def chosen(self) -> str | None:
        """The format that was asked for, in either way."""
        return "json" if self.answer.as_json else self.format

    def __post_init__(self) -> None:
        """One answer at a time; an option that would change nothing is wrong usage."""
        if self.answer.as_json and self.format not in (None, "json"):
            raise typer.BadParameter(f"--json and --format {self.format} ask for two answers")
        if self.format is not None and self.format not in FORMATS:
            raise UnknownNameError("format", self.format, FORMATS)
        answers = {"MODEL": bool(self.models), "--all": self.everything, "--study": self.study}
        given = [name for name, asked in {**answers, "--list": self.list_names}.items() if asked]
        if not given:
            raise typer.BadParameter("name a model, or ask for --all, --study or --list")
        if len(given) > 1:
            raise typer.BadParameter(f"{' and '.join(given)} ask for two answers: choose one")
        if self.memory.are_given and not self.models:
            raise typer.BadParameter(f"--memory and --batch need a MODEL, not {given[0]}")
        self._check_figure()

    def _check_figure(self) -> None:
        plans = self.memory.are_given
        if self.explain and (not self.models or plans or self.chosen is not None):
            raise typer.BadParameter("--explain prints text for a MODEL: leave --format and --memory away")
        if self.figure is None:
            return
        if self.everything or self.list_names or plans or self.explain:
            raise typer.BadParameter("--figure goes with MODEL or --study alone")
        if self.chosen is not None:
            raise typer.BadParameter("--figure writes a picture: leave --format away")
