"""Files, folders and standard input as a source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.files import MAX_FILE_BYTES, decode
from deidlab.corpus.formats import Format
from deidlab.corpus.raw import RawDocument
from deidlab.corpus.reading import read_corpus, read_raw
from deidlab.errors import CorpusError
from deidlab.execute import Executor, Task
from deidlab.pipeline.io.checking import check_files, check_stream
from deidlab.pipeline.io.counting import count_files
from deidlab.pipeline.io.notes import BEGINNING, Note, Start, cut_tasks, to_note, undone, with_patients
from deidlab.pipeline.io.pinning import pin_files
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file, or a folder with those below it; a pass goes on by looking which tasks are done."""

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

    def notes_again(self) -> Iterator[Note]:
        return self.notes()

    def tasks(
        self,
        execute: Executor,
        is_done: Callable[[int], bool],
        passed: Callable[[int], None],
        start: Start = BEGINNING,
        here: bool = False,
    ) -> Iterator[Task[Note]]:
        return undone(cut_tasks(self.notes()), is_done, passed)

    def start(self, partial: Partial, stage: str) -> Start:
        return BEGINNING

    def reach(self, partial: Partial, stage: str, task: int, notes: Sequence[Note]) -> None:
        """Nothing is to be noted down: the tasks that are done tell."""

    def pin(self, partial: Partial, role: str = "source") -> FileSource:
        pin_files(self.settings.path, self.format, partial, role)
        return self


class StreamSource(FileSource):
    """Standard input, which is read once. It is one patient: its notes are numbered, and masked together."""

    __slots__ = ()

    @property
    def files(self) -> Path | None:
        return None

    def check(self, kept: tuple[str, ...] = ()) -> None:
        check_stream(self.settings, self.format)

    def count(self) -> int | None:
        return None

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        return islice(self._read(), self.settings.limit)

    def _read(self) -> Iterator[Note]:
        if self.format.name == "txt":
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

    def pin(self, partial: Partial, role: str = "source") -> FileSource:
        return self
