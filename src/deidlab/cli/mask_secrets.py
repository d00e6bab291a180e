"""Secrets: from a file, the environment or a prompt; never from the command line, which others see."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from deidlab.cli.output import tell
from deidlab.errors import ConfigError

PASSPHRASE, PASSPHRASE_FILE = "DEIDLAB_MAP_PASSPHRASE", "DEIDLAB_MAP_PASSPHRASE_FILE"


def find_key(path: Path | None, quiet: bool) -> tuple[bytes, bool]:
    """The secret, and whether a run with it can be repeated."""
    from deidlab.mask.keys import random_key, read_key

    if path is None:
        tell("no key file: the key is random and gone afterwards, so this run cannot be repeated", quiet)
        return random_key(), False
    read = read_key(path)
    if read.warning:
        # Told even to those who asked for quiet: a secret is at stake.
        tell(f"warning: {read.warning}")
    return read.key, True


def find_passphrase(confirm: bool) -> str:
    """The passphrase of a map; `confirm` asks for it twice where it is typed."""
    if spoken := os.environ.get(PASSPHRASE):
        return spoken
    if named := os.environ.get(PASSPHRASE_FILE):
        try:
            return Path(named).read_text("utf-8").rstrip("\r\n")
        except OSError as error:
            raise ConfigError(f"{named}: {error.strerror or 'cannot be read'}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"{named}: a passphrase must be UTF-8") from None
    if not sys.stdin.isatty():
        raise ConfigError(f"the map needs a passphrase: set {PASSPHRASE_FILE} (a file) or {PASSPHRASE}")
    import typer

    return str(typer.prompt("Passphrase of the map", hide_input=True, confirmation_prompt=confirm, err=True))
