"""A dataclass is taken apart into options, and put together again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
import typer
from typer.testing import CliRunner

from deidlab.cli.options import option, takes_options
from deidlab.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    GROUP: ClassVar[str] = "Limits"

    timeout: float = option(60.0, help="Seconds that a request may take.", min=0.1)
    style: str = option("tag", help="How.", choices=("tag", "redact"))
    columns: tuple[str, ...] = option((), "--keep-column", help="Which stay.")
    format: str | None = option(None, "--from", "-f", help="Format.", group="Reading")
    fast: bool = option(False, "--fast", help="Hurry.")


@dataclass(frozen=True, slots=True)
class Wanted:
    wanted: int = option(help="One that must be given.")


def _app() -> tuple[typer.Typer, list[object]]:
    app, got = typer.Typer(), list[object]()

    @app.command()
    @takes_options
    def serve(limits: Limits, port: Annotated[int, typer.Argument()] = 8000, more: bool = False) -> None:
        """Serve."""
        got.extend((port, limits, more))

    return app, got


def test_defaults_are_those_of_the_fields() -> None:
    app, got = _app()
    assert CliRunner().invoke(app, []).exit_code == 0
    assert got == [8000, Limits(), False]


def test_given_values_come_in_the_dataclass() -> None:
    app, got = _app()
    line = "7 --timeout 5 --keep-column a --keep-column b -f jsonl --fast --style redact --more"
    assert CliRunner().invoke(app, line.split()).exit_code == 0
    assert got == [7, Limits(5.0, "redact", ("a", "b"), "jsonl", True), True]


def test_an_unknown_choice_and_a_bound_are_usage_errors() -> None:
    app, _ = _app()
    told = CliRunner().invoke(app, ["--style", "blot"])
    assert isinstance(told.exception, UsageError)
    assert str(told.exception) == "--style: unknown value 'blot'; known: tag, redact"
    assert CliRunner().invoke(app, ["--timeout", "0"]).exit_code == 2


def test_help_shows_groups_choices_and_defaults() -> None:
    shown = CliRunner().invoke(_app()[0], ["--help"]).output
    assert all(
        word in shown for word in ("Limits", "Reading", "tag|redact", "60.0", "--keep-column", "Hurry")
    )


def test_a_field_without_default_must_be_given() -> None:
    app, got = typer.Typer(), list[Wanted]()

    @app.command()
    @takes_options
    def run(wanted: Wanted) -> None:
        got.append(wanted)

    assert CliRunner().invoke(app, []).exit_code == 2
    assert CliRunner().invoke(app, ["--wanted", "3"]).exit_code == 0
    assert got == [Wanted(3)]


def test_one_name_in_two_groups_is_refused() -> None:
    def run(one: Limits, other: Limits) -> None: ...

    with pytest.raises(TypeError, match="timeout"):
        takes_options(run)
