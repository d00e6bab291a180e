"""A path in, its bytes out: of a regular file, or a link to one, and no more of them than a limit.

A pipe among the notes would be waited on for ever, and a device such as /dev/zero has no end. What is refused
here is an OSError with a plain `strerror`, so that it is told like a file that is not there.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from io import BufferedReader
from pathlib import Path

MAX_BYTES = 128 * 1024 * 1024
_PIECE = 1 << 16

# Streams that whoever started this process opened for it, such as `< notes` or a shell's `<(…)`.
_HANDED_IN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_input(path: Path) -> BufferedReader:
    """The file, open for reading from its start."""
    return open(_descriptor(path), "rb")


def read_input(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The whole file; one that is larger than the limit, or grows past it, is refused."""
    descriptor = _descriptor(path)
    try:
        size = os.fstat(descriptor).st_size
        pieces: list[bytes] = []
        left = limit + 1
        while left > 0 and size <= limit:
            # One more byte than there should be, so that the common case takes two calls.
            piece = os.read(descriptor, min(left, max(size + 1, _PIECE)))
            if not piece:
                return pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces.append(piece)
            left -= len(piece)
    finally:
        os.close(descriptor)
    raise OSError(errno.EFBIG, f"more than {limit >> 20} MiB is too much to read at once", str(path))


def digest_input(path: Path | str) -> str:
    """The SHA-256 of the whole file, however large."""
    whole = hashlib.sha256()
    descriptor = _descriptor(path)
    try:
        # Most are small, and a run's record has a thousand of them: no more is set up than is read.
        while piece := os.read(descriptor, _PIECE):
            whole.update(piece)
    finally:
        os.close(descriptor)
    return whole.hexdigest()


def require_regular(path: Path | str) -> None:
    """Raise unless the path is a regular file, for libraries that open it themselves."""
    _refuse_others(os.stat(path).st_mode, path)  # noqa: PTH116 (called once a note)


def _descriptor(path: Path | str) -> int:
    name = os.fspath(path)
    if name.startswith(_HANDED_IN):
        return os.open(name, os.O_RDONLY)
    # Looked at before it is opened: to open the reading end of a pipe would wake whoever writes to it.
    require_regular(path)
    descriptor = os.open(name, os.O_RDONLY | _NO_WAITING)
    try:
        _refuse_others(os.fstat(descriptor).st_mode, path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _refuse_others(mode: int, path: Path | str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file, but a pipe, a socket or a device", str(path))
