"""A note that cannot be masked in, its line in the list of failures out: a pseudonym, and its id sealed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from deidlab.execute import Failed
from deidlab.mask import Masker
from deidlab.pipeline.io.notes import Note, without_id
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import Failure, Row
from deidlab.pipeline.run.work import Unread

if TYPE_CHECKING:
    from deidlab.pipeline.masking import MaskJob

NEW = "it was not there when the run began: the source changed meanwhile"
GONE = "it is not there any more: the source changed meanwhile"


def note_failure(job: MaskJob, seal: Seal, note: Note, stage: str, reason: str) -> Failure:
    name = note.document.id if note.document else note.name
    shown = name if job.writing.ids_kept else Masker(job.settings).pseudonym("document", name or note.place)
    sealed = seal.close(json.dumps([name, note.place]).encode())
    return Failure(note.number, shown, stage, without_id(reason, name), sealed)


def result_failure(job: MaskJob, seal: Seal, note: Note, result: Failed | Unread) -> Failure:
    """For what came in place of a note's spans."""
    if isinstance(result, Unread):
        return note_failure(job, seal, note, "read", result.problem)
    return note_failure(job, seal, note, "find", result.reason)


def fail_twice(job: MaskJob, seal: Seal, notes: Sequence[Note]) -> Callable[[Row], Failure]:
    """What becomes of a row whose id another note had before."""

    def fail(row: Row) -> Failure:
        note = next(note for note in notes if note.number == row.number)
        return note_failure(job, seal, note, "read", "a second note of this id")

    return fail


def fail_gone(job: MaskJob, partial: Partial, seal: Seal, n_read: int) -> None:
    """List the notes that the first pass read and the second, with so many notes, did not meet."""
    beyond = partial.state.beyond(n_read)
    gone = [Note(number, None, GONE, seal.open(sealed).decode()) for number, sealed in beyond]
    partial.state.put_failures([note_failure(job, seal, note, "mask", GONE) for note in gone])
