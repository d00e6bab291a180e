"""Where each command stands, in; a command line that loads a command when it is called, out.

`deidlab --help` shows the one line that stands here, so that it loads none of them; a test compares that line
with the first of the command's own help.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from deidlab.cli.strict import StrictCommand


class LazyCommand(TyperCommand):
    """A command of which only the name and one line are known before it is called.

    In its module something has the command's name, or is called `there`: a function, or a Typer app of more
    commands.
    """

    def __init__(
        self, module: str, name: str, summary: str, panel: str | None = None, there: str = ""
    ) -> None:
        super().__init__(name, help=summary, rich_markup_mode="markdown", rich_help_panel=panel)
        self._module, self._there = module, there or name

    def load(self) -> Any:
        """The command itself."""
        found = getattr(import_module(self._module), self._there)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
            alone.command(self.name, cls=StrictCommand)(found)
            found = alone
        command: Any = typer.main.get_command(found)
        command.name = self.name
        return command

    def make_context(self, *arguments: Any, **given: Any) -> Any:
        """Whoever asks for a context is going to run the command, or to complete or describe its options."""
        return self.load().make_context(*arguments, **given)


def app_of(
    name: str, help: str, *commands: LazyCommand, add_completion: bool = False, **more: Any
) -> typer.Typer:
    """A Typer app of these commands."""

    class Group(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            for each in commands:
                self.add_command(each)

    app = typer.Typer(
        name=name,
        help=help,
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        add_completion=add_completion,
        **more,
    )
    app.callback()(lambda: None)  # without one Typer takes an app for a single command
    return app


def loaded(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command below this one under its whole name, such as 'corpus check', loaded."""
    whole = command.load() if isinstance(command, LazyCommand) else command
    below = getattr(whole, "commands", None)
    if below is None:
        yield name, whole
        return
    for each, sub in below.items():
        yield from loaded(sub, f"{name} {each}".strip())
