"""A corpus in, numbered notes out, in the order that every machine agrees on, and cut into tasks.

A note that cannot be read keeps its number and says why, so that it is listed and never written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from deidlab.corpus.database_reading import read_rows
from deidlab.corpus.database_url import Key
from deidlab.corpus.files import MAX_FILE_BYTES, decode
from deidlab.corpus.patients import compile_pattern, find_patient
from deidlab.corpus.raw import BadDocument, RawDocument, build_document
from deidlab.corpus.reading import read_raw
from deidlab.errors import CorpusError
from deidlab.execute import Task
from deidlab.execute.tasks import describe
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

STDIN = Path("-")
# A task is worth its way to a worker, and small enough that a kill loses little.
_NOTES_A_TASK = 64
_CHARACTERS_A_TASK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Note:
    """One note of a source and its place in it, from 1; without a document, `problem` says why.

    `given` tells that people's spans stand in the document, so that nothing is to be found. `key` is that of
    a database's row, from which reading can go on.
    """

    number: int
    document: Document | None
    problem: str = ""
    name: str = field(default="", repr=False)
    place: str = field(default="", repr=False)
    given: bool = False
    key: Key | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Start:
    """Where reading begins: with which task and note, after which row of a table."""

    task: int = 0
    note: int = 1
    key: Key | None = field(default=None, repr=False)


def read_notes(source: SourceSettings, start: Start = Start()) -> Iterator[Note]:  # noqa: B008 (it is frozen)
    """Every note, readable or not."""
    return islice(_read_all(source, start), source.limit)


def _read_all(source: SourceSettings, start: Start) -> Iterator[Note]:
    if source.path == STDIN:
        yield from _read_stdin(source)
        return
    pattern = None if source.patient_from is None else compile_pattern(source.patient_from)
    rows: Iterable[tuple[Key | None, RawDocument | BadDocument]]
    if source.table is not None:
        rows = read_rows(source.table, source.reading, start.key, start.note)
    else:
        rows = ((None, raw) for raw in read_raw(source.path, source.format, source.reading))
    for number, (key, raw) in enumerate(rows, start=start.note):
        note = to_note(number, raw, key)
        yield with_patient(note, pattern) if pattern and note.document else note


def to_note(number: int, raw: RawDocument | BadDocument, key: Key | None = None) -> Note:
    place = str(raw.path)
    if isinstance(raw, BadDocument):
        # A line that says no id is known by its place.
        name = raw.id or f"{raw.path.name} {number}"
        return Note(number, None, _nameless(raw.reason, raw.path, raw.id), name, place, key=key)
    try:
        return Note(number, build_document(raw), "", raw.id, place, key=key)
    except Exception as error:
        return Note(number, None, _nameless(describe(error), raw.path, raw.id), raw.id, place, key=key)


def _nameless(reason: str, path: Path, name: str) -> str:
    """The reason without the file's name or the note's id: people name files after patients."""
    reason = without_id(reason.removeprefix(f"{path}: "), name)
    return reason.replace(str(path), "the file").replace(path.name, "the file")


def without_id(reason: str, name: str) -> str:
    """The reason without the note's id: it may be a name."""
    return reason.replace(f"document {name}", "the document") if name else reason


def with_patient(note: Note, pattern: re.Pattern[str]) -> Note:
    assert note.document is not None
    patient = find_patient(pattern, note.document.id)
    if patient is None:
        return replace(note, document=None, problem="--patient-from finds no patient in its id")
    return replace(note, document=replace(note.document, patient=patient))


def _read_stdin(source: SourceSettings) -> Iterator[Note]:
    """Standard input is one patient: its notes are numbered, and masked together."""
    if source.format in (None, "txt", "text"):
        data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise CorpusError("stdin: more than 128 MiB is too much for one note")
        text = decode(data, Path("stdin"), source.reading.encoding)
        yield to_note(1, RawDocument(Path("stdin"), "stdin", text))
        return
    raws = read_raw(Path("/dev/stdin"), source.format, source.reading)
    for number, raw in enumerate(raws, start=1):
        note = to_note(number, raw)
        document = note.document and replace(note.document, patient="stdin")
        yield replace(note, document=document)


def cut_tasks(notes: Iterable[Note], first: int = 0) -> Iterator[Task[Note]]:
    """The notes in handfuls, numbered from the first; where they are cut depends on the notes alone."""
    held: list[Note] = []
    size, number = 0, first
    for note in notes:
        held.append(note)
        size += len(note.document.text) if note.document else 0
        if len(held) == _NOTES_A_TASK or size >= _CHARACTERS_A_TASK:
            yield Task(number, tuple(held))
            number, size, held = number + 1, 0, []
    if held:
        yield Task(number, tuple(held))
