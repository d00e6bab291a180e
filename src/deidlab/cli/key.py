"""`deidlab key new FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.output import Quiet, tell

key = app_of(
    "key",
    "The secret that decides surrogates and pseudonyms.",
    LazyCommand("deidlab.cli.key", "new", "Write a new secret: 32 random bytes that only you can read."),
)


def new(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to write it; an existing file is refused.")
    ],
    quiet: Quiet = False,
) -> None:
    """Write a new secret: 32 random bytes that only you can read.

    The same key gives the same surrogates, date shifts and pseudonyms, on any machine. Who has it and the
    masked notes can link them to known people, so keep it apart from them.
    """
    from deidlab.mask.keys import new_key

    new_key(path)
    tell(f"wrote {path} (32 bytes, mode 0600); keep it apart from the masked notes", quiet)
