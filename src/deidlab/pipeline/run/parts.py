"""What is done of notes in, part files out, and at the end the corpus made of them.

A task's notes go into one part, which gets its name only when it is whole: the name is the record that the
task is done. After a kill the parts that are there are kept, and each note is written exactly once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import CorpusError
from deidlab.files import appearing, open_private

_END = b'{"end": true}\n'


@dataclass(frozen=True, slots=True)
class PartNote:
    """A note as a line of a part, and its way back, sealed, where one was asked for."""

    line: bytes = field(repr=False)
    way_back: bytes = field(default=b"", repr=False)


class Parts:
    """The parts of one run, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        for rest in folder.glob("*.writing"):
            rest.unlink()

    def has(self, number: int) -> bool:
        return self._path(number).exists()

    def put(self, number: int, notes: Sequence[PartNote]) -> None:
        """Keep a task's notes; the ways back go first, so that no part is without its own."""
        if any(note.way_back for note in notes):
            frames = (len(note.way_back).to_bytes(4, "big") + note.way_back for note in notes)
            self._write(self._path(number).with_suffix(".map"), b"".join(frames))
        self._write(self._path(number), b"".join((*(note.line + b"\n" for note in notes), _END)))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Every note of every part, in order."""
        for path in sorted(self._folder.glob("*.part")):
            data = path.read_bytes()
            if not data.endswith(_END):
                raise CorpusError(f"{path}: is cut short; remove it and run again")
            for line in data[: -len(_END)].split(b"\n"):
                if line:
                    yield json.loads(line)

    def ways_back(self) -> Iterator[bytes]:
        """Every sealed way back, in order."""
        for path in sorted(self._folder.glob("*.map")):
            data = path.read_bytes()
            place = 0
            while place < len(data):
                size = int.from_bytes(data[place : place + 4], "big")
                yield data[place + 4 : place + 4 + size]
                place += 4 + size

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:09}.part"

    def _write(self, path: Path, data: bytes) -> None:
        partial = path.with_name(path.name + ".writing")
        with appearing(path, partial), os.fdopen(open_private(partial, "anew"), "wb") as stream:
            stream.write(data)
