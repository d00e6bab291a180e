"""A source in; what tells later whether it is still the same out, for the state of a run.

A run that goes on takes what is done for done. That holds only for the source that it began with: one that
grew, shrank or changed since is refused. Of files their names and sizes are kept, and a digest of all that
they hold where that is read in seconds; of larger sources the times of their last change stand for it. A
table is told by its number of rows and first key, and rows that are done are read once more and compared with
the digests that the state has of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.database_cells import key_to_json
from deidlab.corpus.database_reading import measure_rows
from deidlab.corpus.files import SIDECAR, list_files
from deidlab.corpus.formats import find_format, recognise_format
from deidlab.errors import ConfigError
from deidlab.inputfile import open_input
from deidlab.pipeline.io.notes import STDIN, Note, Start, read_notes
from deidlab.pipeline.io.tables import reached
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import SourceSettings

if TYPE_CHECKING:
    from deidlab.pipeline.masking import MaskJob

# What is hashed in a few seconds; beyond it a stat a file is all that a start may cost.
MAX_BYTES, MAX_FILES = 1 << 30, 100_000
_BLOCK = 1 << 20
_ROWS = 512


@dataclass(frozen=True, slots=True)
class Pin:
    """Keyed digests of names and sizes, of times, and of the content (empty where that was not read)."""

    shape: str
    times: str
    content: str = ""


def pin_job(job: MaskJob, partial: Partial) -> None:
    """What notes and spans come from, as it was when the run began; raises where it is not so any more."""
    seal = Seal(job.settings.key)
    pin_files(job.source, partial, seal)
    if job.spans is not None:
        pin_files(job.spans, partial, seal, "spans")
    pin_rows(job.source, partial, seal)
    check_rows_done(job.source, partial, seal, reached(job.source, partial, seal, "find"))


def pin_files(source: SourceSettings, partial: Partial, seal: Seal, what: str = "source") -> None:
    """Note down what the source is like when a run begins; when it goes on, raise unless it is still so."""
    if not _has_files(source):
        return
    name = f"pin {what}"
    kept = partial.state.setting(name)
    if kept is None:
        pin = _look(source, seal)
        partial.state.put_setting(name, json.dumps(astuple(pin)))
    else:
        _compare(Pin(*json.loads(kept)), source, seal)


def pin_rows(source: SourceSettings, partial: Partial, seal: Seal) -> None:
    """The same for a table, as far as its last key of when the run began."""
    if source.table is None:
        return
    n_rows, first = measure_rows(source.table, source.reading)
    told = seal.digest("rows", json.dumps([n_rows, first and key_to_json(first)])).hex()
    kept = partial.state.setting("pin rows")
    if kept is None:
        partial.state.put_setting("pin rows", told)
    elif kept != told:
        raise _changed(source, "rows were added or removed")


def check_rows_done(source: SourceSettings, partial: Partial, seal: Seal, start: Start) -> None:
    """Raise where a row that an earlier process was through with is not as it was."""
    if source.table is None or start.key is None:
        return
    notes = read_notes(replace(source, table=replace(source.table, last=start.key)))
    n_rows = 0
    while batch := list(islice(notes, _ROWS)):
        n_rows += len(batch)
        _compare_rows(source, partial, seal, batch)
    if n_rows != start.note - 1:
        raise _changed(source, "rows were added or removed")


def _compare_rows(source: SourceSettings, partial: Partial, seal: Seal, notes: Sequence[Note]) -> None:
    kept = partial.state.digests([note.number for note in notes])
    for note in notes:
        digests = kept.get(note.number)
        if digests is None:
            continue  # it failed, and is listed
        document = note.document
        if document is None or digests != (
            seal.digest("document", document.id),
            seal.digest("patient", document.patient),
            seal.digest("text", document.text),
        ):
            raise _changed(source, "rows changed")


def _has_files(source: SourceSettings) -> bool:
    """Whether there is something to look at twice: not for standard input, a pipe or a table."""
    path = source.path
    return source.table is None and path != STDIN and (path.is_dir() or path.is_file())


def _compare(kept: Pin, source: SourceSettings, seal: Seal) -> None:
    if not _has_files(source):
        raise _changed(source, "it is not there any more")
    now = _look(source, seal, content=False)
    if now.shape != kept.shape:
        raise _changed(source, "files were added, removed or changed in size")
    if kept.content:
        if _look(source, seal).content != kept.content:
            raise _changed(source, "its content changed")
    elif now.times != kept.times:
        raise _changed(source, "it was written to, and is too large to tell whether it changed")


def _changed(source: SourceSettings, how: str) -> ConfigError:
    return ConfigError(
        f"{source.table or source.path}: is not the source that this run began with ({how}); put it back to "
        "go on, or begin anew with --overwrite"
    )


def _look(source: SourceSettings, seal: Seal, content: bool = True) -> Pin:
    shape, times = hashlib.sha256(), hashlib.sha256()
    n_bytes = n_files = 0
    for path, name in _files(source):
        size, written = _size_and_time(path)
        shape.update(name + b"\0%d\n" % size)
        times.update(b"%d\n" % written)
        n_bytes += max(0, size)
        n_files += 1
    told = ""
    if content and n_bytes <= MAX_BYTES and n_files <= MAX_FILES:
        told = seal.digest("content", _hash_content(source)).hex()
    return Pin(seal.digest("shape", shape.digest()).hex(), seal.digest("times", times.digest()).hex(), told)


def _size_and_time(path: Path) -> tuple[int, int]:
    """What tells a file from a later one; a link to nowhere has neither, and its reader will tell of it."""
    try:
        facts = path.stat()
    except OSError:
        return -1, 0
    return facts.st_size, facts.st_mtime_ns


def _hash_content(source: SourceSettings) -> bytes:
    digest = hashlib.sha256()
    for path, _ in _files(source):
        # What cannot be read, such as a pipe, its reader will tell of.
        with contextlib.suppress(OSError), open_input(path) as stream:
            for block in iter(lambda: stream.read(_BLOCK), b""):
                digest.update(block)
        digest.update(b"\0")
    return digest.digest()


def _files(source: SourceSettings) -> Iterator[tuple[Path, bytes]]:
    """Every file that a note or what belongs to it may stand in, and its name below the source."""
    format = find_format(source.format) if source.format else recognise_format(source.path)
    if source.path.is_dir():
        for path in list_files(source.path, (*format.suffixes, SIDECAR)):
            yield path, os.fsencode(path.relative_to(source.path))
        return
    yield source.path, b""
    stem = next((s for s in format.suffixes if source.path.name.endswith(s)), source.path.suffix)
    for suffix in (".txt", ".ann", SIDECAR):
        beside = source.path.with_name(source.path.name.removesuffix(stem) + suffix)
        if beside != source.path and beside.is_file():
            yield beside, suffix.encode()
