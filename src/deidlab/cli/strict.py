"""A command that takes some options once: a second one is refused, instead of replacing the first unseen.

Of most options the last one counts, as everywhere on a command line. These name a column of the notes, stand
beside others that can be repeated (`--keep-column`), and whoever gives two expects both to be read.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand

_ONCE = ("--text-column", "--id-column", "--patient-column")


class StrictCommand(TyperCommand):
    """A command that refuses such an option's second time."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        said = args[: args.index("--")] if "--" in args else args
        counts = Counter(each.partition("=")[0] for each in said)
        for option in _ONCE:
            if counts[option] > 1:
                raise typer.BadParameter(f"{option} is given {counts[option]} times, and can be given once")
        return super().parse_args(ctx, args)
