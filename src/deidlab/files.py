"""Files that are there whole or not at all, and files for their owner alone: made here and nowhere else."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

Opening = Literal["new", "anew", "end"]
"""A file that is not there yet, one that is emptied, or one that is written on at its end."""

_FLAGS: dict[str, int] = {"new": os.O_EXCL, "anew": os.O_TRUNC, "end": os.O_APPEND}


@contextlib.contextmanager
def appearing(path: Path, partial: Path) -> Iterator[Path]:
    """A path to write to, which gets its real name only when all went well; else nothing of it stays."""
    # Made inside: an interrupt right after it is made leaves nothing behind either.
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_appearing(path: Path, data: bytes, partial: Path, lasting: bool = False) -> None:
    """The bytes under that name, all or none; if `lasting`, on the disk before they have it."""
    with appearing(path, partial), partial.open("wb") as stream:
        stream.write(data)
        stream.flush()
        if lasting:
            os.fsync(stream.fileno())


def open_private(path: Path, how: Opening) -> int:
    """The descriptor of a file that only its owner can read, to write to; raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | _FLAGS[how], 0o600)


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """Whatever file or folder this process makes meanwhile, temporary ones too, is for its owner alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
