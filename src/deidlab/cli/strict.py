"""What a command refuses or tells before its options are read, as their declarations say.

Some options can be given once: of most the last one counts, as everywhere on a command line, but these name a
column of the notes, stand beside others that can be repeated (`--keep-column`), and whoever gives two expects
both to be read. A spelling of before is taken, and told of.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand

from deidlab.cli.output import tell


class StrictCommand(TyperCommand):
    """A command that heeds what `takes_options` found declared."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        said = [self._renew(each) for each in args[:end]]
        counts = Counter(each.partition("=")[0] for each in said)
        for option in getattr(self.callback, "once", ()):
            if counts[option] > 1:
                raise typer.BadParameter(f"{option} is given {counts[option]} times, and can be given once")
        return super().parse_args(ctx, [*said, *args[end:]])

    def _renew(self, said: str) -> str:
        """The option as it is called now."""
        name, equals, value = said.partition("=")
        new = getattr(self.callback, "old_names", {}).get(name)
        if new is None:
            return said
        tell(f"{name} is now called {new}; the old name goes away in a later release")
        return f"{new}{equals}{value}"
