"""What a source gives out: numbered notes, in the order that every machine agrees on, and cut into tasks.

A note that cannot be read keeps its number and says why, so that it is listed and never written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.patients import compile_pattern, find_patient
from deidlab.corpus.raw import BadDocument, RawDocument, build_document
from deidlab.execute import Task
from deidlab.execute.tasks import FarItems, describe
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.corpus.database_url import Key

# A task is worth its way to a worker, and small enough that a kill loses little.
NOTES_A_TASK = 64
_CHARACTERS_A_TASK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Note:
    """One note of a source and its place in it, from 1; without a document, `problem` says why.

    `given` tells that people's spans stand in the document, so that nothing is to be found. `key` is that of
    a database's row, from which reading can go on. `removed` counts what the reader left out, by kinds that
    show nothing of the note.
    """

    number: int
    document: Document | None
    problem: str = ""
    name: str = field(default="", repr=False)
    place: str = field(default="", repr=False)
    given: bool = False
    key: Key | None = field(default=None, repr=False)
    removed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """Where reading begins: with which task and note, after which row of a table."""

    task: int = 0
    note: int = 1
    key: Key | None = field(default=None, repr=False)


BEGINNING = Start()


def to_note(number: int, raw: RawDocument | BadDocument, key: Key | None = None) -> Note:
    place = str(raw.path)
    if isinstance(raw, BadDocument):
        # A line that says no id is known by its place.
        name = raw.id or f"{raw.path.name} {number}"
        return Note(number, None, _nameless(raw.reason, raw.path, raw.id), name, place, key=key)
    try:
        return Note(number, build_document(raw), "", raw.id, place, key=key, removed=raw.skipped)
    except Exception as error:
        return Note(number, None, _nameless(describe(error), raw.path, raw.id), raw.id, place, key=key)


def _nameless(reason: str, path: Path, name: str) -> str:
    """The reason without the file's name or the note's id: people name files after patients."""
    reason = without_id(reason.removeprefix(f"{path}: "), name)
    return reason.replace(str(path), "the file").replace(path.name, "the file")


def without_id(reason: str, name: str) -> str:
    """The reason without the note's id: it may be a name."""
    return reason.replace(f"document {name}", "the document") if name else reason


def with_patients(notes: Iterable[Note], patient_from: str | None) -> Iterator[Note]:
    """The notes with the patients that a pattern finds in their ids, where there is one."""
    pattern = None if patient_from is None else compile_pattern(patient_from)
    for note in notes:
        yield _with_patient(note, pattern) if pattern and note.document else note


def _with_patient(note: Note, pattern: re.Pattern[str]) -> Note:
    assert note.document is not None
    patient = find_patient(pattern, note.document.id)
    if patient is None:
        return replace(note, document=None, problem="--patient-from finds no patient in its id")
    return replace(note, document=replace(note.document, patient=patient))


def cut_tasks(notes: Iterable[Note], first: int = 0, most: int = NOTES_A_TASK) -> Iterator[Task[Note]]:
    """The notes in handfuls, numbered from the first; where they are cut depends on the notes alone."""
    held: list[Note] = []
    size, number = 0, first
    for note in notes:
        held.append(note)
        size += len(note.document.text) if note.document else 0
        if len(held) == most or size >= _CHARACTERS_A_TASK:
            yield Task(number, tuple(held))
            number, size, held = number + 1, 0, []
    if held:
        yield Task(number, tuple(held))


def note_numbers(task: Task[Note]) -> Sequence[int]:
    """The notes' places in the source, without fetching any: a far task is numbered by its first note."""
    if isinstance(task.items, FarItems):
        return range(task.number + 1, task.number + 1 + len(task.items))
    return [note.number for note in task.items]
