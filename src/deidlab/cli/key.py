"""`deidlab key new|public FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import argument, takes_options
from deidlab.cli.options.output import QuietOption
from deidlab.cli.output import tell

key = app_of(
    "key",
    "The secret that decides surrogates and pseudonyms.",
    LazyCommand("deidlab.cli.key", "new", "Write a new secret: 32 random bytes that only you can read."),
    LazyCommand("deidlab.cli.key", "public", "Print the key by which others check what a key file signed."),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKeyOptions:
    path: Path = argument(metavar="FILE", help="A key file that signs dossiers.")


@takes_options
def public(options: PublicKeyOptions) -> None:
    """Print the key by which others check what a key file signed.

    It is no secret: give it, by a way that they trust, to whoever verifies a dossier (`--trust`).

    Example: deidlab key public signing.key
    """
    from deidlab.report.dossier.signing import read_signer

    signer = read_signer(options.path)
    if signer.warning:
        tell(f"warning: {signer.warning}")
    typer.echo(signer.public)
