"""Every error that DeidLab raises on purpose.

    DeidError
    ├── CorpusError          a file or a document cannot be read or written as asked
    │   ├── AlignmentError   annotations and text disagree
    │   └── MissingColumnError a column that was asked for is not there
    ├── ConfigError          a setting is missing, unknown or impossible
    │   ├── UsageError       the command was given wrongly
    │   └── UnknownNameError a name is not among the known ones; the nearest are offered
    ├── ModelError           a model cannot be built, loaded or run
    ├── MissingExtraError    an optional part is not installed; the message has the command
    └── NoSpaceError         a disk is full

A message says what is wrong, where, and what to do next. It never quotes note text: messages
travel to terminals, logs and tickets where notes must not go.
"""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_FEW = 12


class DeidError(Exception):
    """The root: catch this to catch everything DeidLab raises on purpose."""


class CorpusError(DeidError):
    """A file or a document cannot be read or written as asked."""


class AlignmentError(CorpusError):
    """Annotations and text disagree: offsets out of bounds, or a quoted text that is not there."""


class MissingColumnError(CorpusError):
    """A column that was asked for is not there."""


class ConfigError(DeidError):
    """A setting is missing, unknown or impossible."""


class UsageError(ConfigError):
    """The command was given wrongly: what it is to do can be told, without looking at a note, to be wrong."""


class UnknownNameError(ConfigError):
    """A name is not among the known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        choices = sorted(known)
        near = difflib.get_close_matches(name.lower(), choices, n=3, cutoff=0.5)
        all_known = f"known: {', '.join(choices)}"
        hint = f"did you mean {' or '.join(near)}?" if near else all_known
        if near and len(choices) <= _FEW:
            hint += f" ({all_known})"
        super().__init__(f"unknown {kind} '{name}'; {hint}")
        self.kind, self.name, self.nearest = kind, name, tuple(near)


class ModelError(DeidError):
    """A model cannot be built, loaded or run."""


class MissingExtraError(DeidError):
    """An optional part of DeidLab is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        # Imported here: it reads what is installed, which costs every start and is said rarely.
        from deidlab.extras import install_line

        super().__init__(f"{what} needs the '{extra}' extra: {install_line(extra)}")
        self.extra = extra


@contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Around an import of what an extra brings: where it is missing, the error has the line that gets it."""
    try:
        yield
    except ImportError:
        raise MissingExtraError(what, extra) from None


class NoSpaceError(DeidError):
    """A disk is full."""


def is_full(error: BaseException) -> bool:
    """Whether an error says that a disk is full, or what one may use of it."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    # SQLite has an exception of its own, which is not looked for by its type: few here need that library.
    # A limit on the size of files reaches it as an error of writing.
    return getattr(error, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_WRITE")


def describe(error: BaseException) -> str:
    """Why, without a word of the data: our own messages hold none, of others only kind and place are told."""
    if isinstance(error, DeidError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = ""
    if frame is not None:
        name = os.path.basename(frame.tb_frame.f_code.co_filename)  # noqa: PTH119
        place = f" at {name}:{frame.tb_lineno}"
    return f"internal error ({type(error).__name__}{place})"
