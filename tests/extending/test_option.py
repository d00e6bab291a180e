"""An option is a field: a toy one has its help, its group, its choices, and its place in the identity of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import typer
from typer.testing import CliRunner

from deidlab.cli.options import option, takes_options
from deidlab.options import left_out
from deidlab.pipeline.run.identity import tell_apart


@dataclass(frozen=True, slots=True)
class ToySettings:
    GROUP: ClassVar[str] = "Toys"

    colour: str = option("red", help="What colour the toy has.", choices=("red", "blue"))
    workers: int = option(1, help="How many make it.", metadata=left_out("the toy is the same"))


@takes_options
def make(settings: ToySettings) -> None:
    """Make a toy."""
    typer.echo(f"a {settings.colour} toy")


def _run(*arguments: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(make)
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "100", "NO_COLOR": "1"})
    return done.exit_code, done.output


def test_it_is_taken_and_helped_with() -> None:
    assert _run("--colour", "blue") == (0, "a blue toy\n")
    status, page = _run("--help")
    assert status == 0
    assert "Toys" in page and "What colour the toy has." in page


def test_what_is_no_choice_is_refused() -> None:
    assert _run("--colour", "green")[0] != 0


def test_it_tells_runs_apart_unless_it_says_why_not() -> None:
    usual = tell_apart(ToySettings())
    assert tell_apart(ToySettings(colour="blue")) != usual
    assert tell_apart(ToySettings(workers=8)) == usual
