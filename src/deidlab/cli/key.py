"""`deidlab key new FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import argument, takes_options
from deidlab.cli.options.output import QuietOption
from deidlab.cli.output import tell

key = app_of(
    "key",
    "The secret that decides surrogates and pseudonyms.",
    LazyCommand("deidlab.cli.key", "new", "Write a new secret: 32 random bytes that only you can read."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKeyOptions:
    path: Path = argument(metavar="FILE", help="Where to write it; an existing file is refused.")
    answer: QuietOption


@takes_options
def new(options: NewKeyOptions) -> None:
    """Write a new secret: 32 random bytes that only you can read.

    The same key gives the same surrogates, date shifts and pseudonyms, on any machine. Who has it and the
    masked notes can link them to known people, so keep it apart from them.

    Example: deidlab key new site.key
    """
    from deidlab.mask.keys import new_key

    path = options.path
    new_key(path)
    tell(f"wrote {path} (32 bytes, mode 0600); keep it apart from the masked notes", options.answer.quiet)
