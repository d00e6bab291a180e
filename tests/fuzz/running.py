"""A command in, what it did out: its status, its streams, and every file that it left. No command may hang.

Commands run in this process, with its standard streams turned into files. A command that is to be killed runs in a
fork of it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from deidlab.cli.app import run
from tests.fuzz.machine import little_memory

LIMIT_SECONDS = 20.0
HUNG, KILLED, LOST = -1, -9, 120
_PLACES = (
    (re.compile(r"tmp/"), "temp"),
    (re.compile(r"(.*/)?\.[^/]*\.deidlab-run(\.lock)?(/|$)"), "run folder"),
    (re.compile(r"(.*/)?[^/]*\.deidlab/"), "record"),
    (re.compile(r"(.*/)?\.[^/]*partial-"), "temp"),
    (re.compile(r"out/(audit|sheet)"), "audit"),
    (re.compile(r"out/failures"), "failures"),
    (re.compile(r"out/access"), "log"),
    (re.compile(r"out/run\.map"), "map"),
    (re.compile(r"out/restored"), "restored"),
    (re.compile(r"out/(marked|words)"), "marked notes"),
    (re.compile(r"out/table"), "table"),
    (re.compile(r"out/"), "output"),
)


class HangError(BaseException):
    """The time is up; no `except Exception` keeps it."""


@dataclass
class Outcome:
    """What one command did."""

    status: int
    out: bytes = field(repr=False)
    err: bytes = field(repr=False)


@dataclass(frozen=True)
class Room:
    """A case's folders: the source, what belongs to its owner alone, and all that a command may write."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("in", "private", "out", "tmp", "streams"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    @property
    def source(self) -> Path:
        return self.folder / "in"

    @property
    def private(self) -> Path:
        return self.folder / "private"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def left(self) -> Iterator[tuple[str, str, bytes]]:
        """(place, name, data) of every file that commands left."""
        for top in (self.folder / "out", self.folder / "tmp"):
            for path in sorted(top.rglob("*")):
                name = path.relative_to(self.folder).as_posix()
                place = next(place for pattern, place in _PLACES if pattern.match(name))
                yield place, name, read_left(path)

    def source_state(self) -> dict[str, bytes | None]:
        """What the source looks like, to see that nobody changed it."""
        inside = self.folder / "in"
        return {
            path.relative_to(inside).as_posix().encode("utf-8", "surrogateescape").hex(): _plain_data(path)
            for path in inside.rglob("*")
        }


def _plain_data(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def read_left(path: Path) -> bytes:
    """All that a file says; what Parquet packs is unpacked."""
    if not path.is_file() or path.is_symlink():
        return b""
    data = path.read_bytes()
    if data[:4] != b"PAR1":
        return data
    import pyarrow.parquet as pq

    with contextlib.suppress(Exception):
        table = pq.read_table(path)
        data += str((table.schema.names, table.to_pylist())).encode("utf-8", "replace")
    return data


@contextlib.contextmanager
def time_limit(seconds: float = LIMIT_SECONDS) -> Iterator[None]:
    """Whatever runs longer ends with a HangError."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, stop)
    # Again every second: what swallows the first one does not get away.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# As Python opens them at its start.
_WAYS = ((0, "rb", "strict"), (1, "wb", "strict"), (2, "wb", "backslashreplace"))


def _text_stream(number: int, way: str, errors: str) -> io.TextIOWrapper:
    stream = os.fdopen(number, way, closefd=False)
    return io.TextIOWrapper(stream, "utf-8", errors, newline="\n", write_through=number == 2)


@contextlib.contextmanager
def _streams(room: Room, stdin: bytes, stdout: str | None) -> Iterator[tuple[Path, Path]]:
    """Standard streams as files, for Python and for libraries alike."""
    out, err, given = (room.folder / "streams" / name for name in ("out", "err", "in"))
    given.write_bytes(stdin)
    saved = [os.dup(number) for number in range(3)]
    kept = sys.stdin, sys.stdout, sys.stderr
    modes = (
        (given, os.O_RDONLY),
        (stdout or out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    )
    for number, (path, mode) in enumerate(modes):
        opened = os.open(path, mode, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (_text_stream(*each) for each in _WAYS)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        for number, old in enumerate(saved):
            os.dup2(old, number)
            os.close(old)


def run_command(
    room: Room,
    arguments: Sequence[object],
    stdin: bytes = b"",
    stdout: str | None = None,
    fault: contextlib.AbstractContextManager[object] | None = None,
    seconds: float = LIMIT_SECONDS,
) -> Outcome:
    """The command line in this process; `stdout` names a device to print to, `fault` breaks the machine meanwhile."""
    with _streams(room, stdin, stdout) as (out, err), _own_temp(room):
        status = _guarded([str(each) for each in arguments], fault or contextlib.nullcontext(), seconds)
    return Outcome(status, out.read_bytes() if out.exists() else b"", err.read_bytes())


def _guarded(arguments: list[str], fault: contextlib.AbstractContextManager[object], seconds: float) -> int:
    try:
        with time_limit(seconds), little_memory(), fault:
            status = run(arguments)
    except HangError:
        return HUNG
    try:
        sys.stdout.flush()
    except OSError:
        # A command that says all is well and then loses its answer leaves so.
        return status or LOST
    return status


@contextlib.contextmanager
def _own_temp(room: Room) -> Iterator[None]:
    before = tempfile.tempdir
    tempfile.tempdir = str(room.folder / "tmp")
    os.environ["TMPDIR"] = tempfile.tempdir
    try:
        yield
    finally:
        tempfile.tempdir = before
        os.environ.pop("TMPDIR", None)


def run_and_die(
    room: Room, arguments: Sequence[object], fault: contextlib.AbstractContextManager[object]
) -> Outcome:
    """The same in a fork, which the fault kills; the streams are what it had said by then."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            status = run_command(room, arguments, fault=fault).status
        finally:
            os._exit(status & 0xFF)
    _, how = os.waitpid(process, 0)
    streams = [(room.folder / "streams" / name) for name in ("out", "err")]
    said = [path.read_bytes() if path.exists() else b"" for path in streams]
    return Outcome(os.waitstatus_to_exitcode(how), *said)


@contextlib.contextmanager
def fresh_room(base: Path, name: str) -> Iterator[Room]:
    """A room that is gone afterwards."""
    folder = base / name
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield Room(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
