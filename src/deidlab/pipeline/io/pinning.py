"""A source in; what tells later whether it is still the same out, for the state of a run.

A run that goes on takes what is done for done. That holds only for the source that it began with: one that
grew, shrank or changed since is refused. Of files their names and sizes are kept, and a digest of all that
they hold where that is read in seconds; of larger sources the times of their last change stand for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.files import SIDECAR, list_files
from deidlab.corpus.format import Format
from deidlab.errors import ConfigError
from deidlab.inputfile import open_input

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial
    from deidlab.pipeline.run.sealing import Seal

# What is hashed in a few seconds; beyond it a stat a file is all that a start may cost.
MAX_BYTES, MAX_FILES = 1 << 30, 100_000
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Pin:
    """Keyed digests of names and sizes, of times, and of the content (empty where that was not read)."""

    shape: str
    times: str
    content: str = ""


def pin_files(source: Path, format: Format, partial: Partial, role: str) -> None:
    """Note down what the source is like when a run begins; when it goes on, raise unless it is still so."""
    if not (source.is_dir() or source.is_file()):
        return  # a pipe cannot be looked at twice
    looking, name = Looking(source, format, partial.seal), f"pin {role}"
    kept = partial.state.setting(name)
    if kept is None:
        partial.state.put_setting(name, json.dumps(astuple(looking.look())))
    else:
        _compare(Pin(*json.loads(kept)), looking)


def pinned_files(partial: Partial, role: str) -> dict[str, str]:
    """What was noted down of the source; of one whose content was not read, the times of its last change."""
    kept = partial.state.setting(f"pin {role}")
    found = {} if kept is None else asdict(Pin(*json.loads(kept)))
    return {
        name: told for name, told in found.items() if name != ("times" if found["content"] else "content")
    }


def _compare(kept: Pin, looking: Looking) -> None:
    now = looking.look(content=False)
    if now.shape != kept.shape:
        raise changed(looking.source, "files were added, removed or changed in size")
    if kept.content:
        if looking.look().content != kept.content:
            raise changed(looking.source, "its content changed")
    elif now.times != kept.times:
        raise changed(looking.source, "it was written to, and is too large to tell whether it changed")


def changed(place: object, how: str) -> ConfigError:
    """The refusal to go on with another source."""
    return ConfigError(
        f"{place}: is not the source that this run began with ({how}); put it back to "
        "go on, or begin anew with --overwrite"
    )


@dataclass(frozen=True, slots=True)
class Looking:
    """The files of a source, to be told from others."""

    source: Path
    format: Format
    seal: Seal

    def look(self, content: bool = True) -> Pin:
        shape, times = hashlib.sha256(), hashlib.sha256()
        n_bytes = n_files = 0
        for path, name in self._files():
            size, written = _size_and_time(path)
            shape.update(name + b"\0%d\n" % size)
            times.update(b"%d\n" % written)
            n_bytes += max(0, size)
            n_files += 1
        told = ""
        if content and n_bytes <= MAX_BYTES and n_files <= MAX_FILES:
            told = self.seal.digest("content", self._hash_content()).hex()
        return Pin(
            self.seal.digest("shape", shape.digest()).hex(),
            self.seal.digest("times", times.digest()).hex(),
            told,
        )

    def _hash_content(self) -> bytes:
        digest = hashlib.sha256()
        for path, _ in self._files():
            # What cannot be read, such as a pipe, its reader will tell of.
            with contextlib.suppress(OSError), open_input(path) as stream:
                for block in iter(lambda: stream.read(_BLOCK), b""):
                    digest.update(block)
            digest.update(b"\0")
        return digest.digest()

    def _files(self) -> Iterator[tuple[Path, bytes]]:
        """Every file that a note or what belongs to it may stand in, and its name below the source."""
        source, suffixes = self.source, self.format.all_suffixes
        if source.is_dir():
            for path in list_files(source, (*suffixes, SIDECAR)):
                yield path, os.fsencode(path.relative_to(source))
            return
        yield source, b""
        stem = next((s for s in suffixes if source.name.endswith(s)), source.suffix)
        for suffix in (*suffixes, SIDECAR):
            beside = source.with_name(source.name.removesuffix(stem) + suffix)
            if beside != source and beside.is_file():
                yield beside, suffix.encode()


def _size_and_time(path: Path) -> tuple[int, int]:
    """What tells a file from a later one; a link to nowhere has neither, and its reader will tell of it."""
    try:
        facts = path.stat()
    except OSError:
        return -1, 0
    return facts.st_size, facts.st_mtime_ns
