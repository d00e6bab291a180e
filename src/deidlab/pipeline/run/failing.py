"""A note that cannot be masked in, its line in the list of failures out: a pseudonym, and its id sealed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from deidlab.execute import Failed
from deidlab.mask import Masker
from deidlab.pipeline.io.notes import Note, without_id
from deidlab.pipeline.run.find import Unread
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import Failure, Row

NEW = "it was not there when the run began: the source changed meanwhile"
GONE = "it is not there any more: the source changed meanwhile"


@dataclass(frozen=True, slots=True)
class Failures:
    """How a run lists its failures: by pseudonyms, unless ids are kept."""

    masker: Masker = field(repr=False)
    seal: Seal = field(repr=False)
    ids_kept: bool

    def of(self, note: Note, stage: str, reason: str) -> Failure:
        name = note.document.id if note.document else note.name
        shown = name if self.ids_kept else self.masker.pseudonym("document", name or note.place)
        sealed = self.seal.close(json.dumps([name, note.place]).encode())
        return Failure(note.number, shown, stage, without_id(reason, name), sealed)

    def of_finding(self, note: Note, result: Failed | Unread) -> Failure:
        """For what came in place of a note's spans."""
        if isinstance(result, Unread):
            return self.of(note, "read", result.problem)
        return self.of(note, "find", result.reason)

    def of_twice(self, notes: Sequence[Note], row: Row) -> Failure:
        """For a row whose id another note had before."""
        note = next(note for note in notes if note.number == row.number)
        return self.of(note, "read", "a second note of this id")

    def of_gone(self, number: int, sealed: bytes) -> Failure:
        """For a note that the first pass read and the second did not meet."""
        return self.of(Note(number, None, GONE, self.seal.open(sealed).decode()), "mask", GONE)
