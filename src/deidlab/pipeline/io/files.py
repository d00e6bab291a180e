"""Files, folders and standard input as a source."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.files import MAX_FILE_BYTES, decode
from deidlab.corpus.format import Format
from deidlab.corpus.raw import RawDocument
from deidlab.corpus.reading import count_files, read_corpus, read_raw
from deidlab.errors import CorpusError
from deidlab.pipeline.io.checking import check_files, check_stream
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import BEGINNING, Note, Start, to_note, with_patients
from deidlab.pipeline.io.pinning import pin_files, pinned_files
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial


@dataclass(frozen=True, slots=True)
class FileSource(Source):
    """A file, or a folder with those below it."""

    settings: SourceSettings
    format: Format

    @property
    def files(self) -> Path | None:
        return self.settings.path

    def check(self, kept: tuple[str, ...] = ()) -> None:
        check_files(self.settings, self.format, kept)

    def count(self) -> int | None:
        return count_files(self.settings.path, self.format)

    def documents(self) -> Iterator[Document]:
        return read_corpus(self.settings.path, self.format.name, self.settings.reading)

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        raws = read_raw(self.settings.path, self.format.name, self.settings.reading)
        notes = (to_note(number, raw) for number, raw in enumerate(raws, start=1))
        return islice(with_patients(notes, self.settings.patient_from), self.settings.limit)

    def pin(self, partial: Partial, role: str = "source") -> FileSource:
        pin_files(self.settings.path, self.format, partial, role)
        return self

    def pinned(self, partial: Partial, role: str = "source") -> dict[str, str]:
        return {"format": self.format.name, **pinned_files(partial, role)}


@dataclass(frozen=True, slots=True)
class StreamSource(Source):
    """Standard input, which is read once. It is one patient: its notes are numbered, and masked together."""

    settings: SourceSettings
    format: Format

    def check(self, kept: tuple[str, ...] = ()) -> None:
        check_stream(self.settings, self.format)

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        return islice(self._read(), self.settings.limit)

    def documents(self) -> Iterator[Document]:
        raise CorpusError("standard input is read note by note: name a file")

    def _read(self) -> Iterator[Note]:
        if self.format.is_plain:
            data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
            if len(data) > MAX_FILE_BYTES:
                raise CorpusError("stdin: more than 128 MiB is too much for one note")
            text = decode(data, Path("stdin"), self.settings.reading.encoding)
            yield to_note(1, RawDocument(Path("stdin"), "stdin", text))
            return
        raws = read_raw(Path("/dev/stdin"), self.format.name, self.settings.reading)
        for number, raw in enumerate(raws, start=1):
            note = to_note(number, raw)
            document = note.document and replace(note.document, patient="stdin")
            yield replace(note, document=document)
