"""What goes wrong with the machine while a command runs: a full disk, a kill, an interrupt, a quota."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

CALLS = ("open", "replace", "mkdir", "rename")


@contextlib.contextmanager
def breaking(nth: int, what: Callable[[], object]) -> Iterator[None]:
    """Do that at the nth call that would change the disk."""
    count = 0

    def spoil(whole: Callable[..., Any], is_change: Callable[..., bool]) -> Callable[..., Any]:
        def spoilt(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            if is_change(*arguments, **options):
                count += 1
                if count == nth:
                    what()
            return whole(*arguments, **options)

        return spoilt

    kept = builtins.open, io.open, {name: getattr(os, name) for name in CALLS}
    try:
        builtins.open = io.open = spoil(kept[0], _writes)  # type: ignore[assignment]
        for name in CALLS[1:]:
            setattr(os, name, spoil(kept[2][name], lambda *_, **__: True))
        yield
    finally:
        builtins.open, io.open = kept[:2]  # type: ignore[assignment]
        for name, whole in kept[2].items():
            setattr(os, name, whole)


def _writes(file: Any, mode: str = "r", *_: Any, **__: Any) -> bool:
    return not isinstance(file, int) and any(letter in mode for letter in "wax+")


def disk_full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupt() -> None:
    raise KeyboardInterrupt


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextlib.contextmanager
def no_file_larger(n_bytes: int) -> Iterator[None]:
    """A quota: what would grow a file past that fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def little_memory(n_bytes: int = 2**30) -> Iterator[None]:
    """So much more than is held now, and then no more."""
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (held + n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


TROUBLES = ("full disk", "full disk", "interrupt", "killed", "killed", "quota")


def trouble(name: str, nth: int, random: Random) -> contextlib.AbstractContextManager[object]:
    """The trouble of that name, at the nth change of the disk."""
    if name == "quota":
        return no_file_larger(random.choice((4096, 16384, 65536)))
    return breaking(nth, disk_full if name == "full disk" else interrupt)
