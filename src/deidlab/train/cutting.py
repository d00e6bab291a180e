"""Many notes in, all their windows out as `piece_corpus` cuts them, by as many processes as are wanted.

A large corpus takes a millisecond a note in one process: minutes in which a GPU would stand still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deidlab.encode.pieced import Cutting, PiecedCorpus, piece_corpus
from deidlab.errors import ConfigError
from deidlab.execute.local import run_tasks
from deidlab.execute.tasks import Failed, Task
from deidlab.labels import LabelSet
from deidlab.types import Document

CHUNK = 500
"""Notes that a process takes at a time."""
# With fewer notes to itself a process does less than it takes to start.
_WORTH = 2_500


@dataclass(frozen=True, slots=True)
class CutNotes:
    """How notes are cut; `all_pieces` and `as_gold` as in `piece_corpus`."""

    cutting: Cutting
    labels: LabelSet
    all_pieces: bool = False
    as_gold: bool = True

    def cut(self, documents: Sequence[Document]) -> PiecedCorpus:
        return piece_corpus(documents, self.cutting, self.labels, self.all_pieces, self.as_gold)

    def __call__(self) -> Callable[[Sequence[Sequence[Document]]], list[PiecedCorpus]]:
        """The work of a process, whose items are chunks of notes; whoever asks has the spans."""
        return lambda chunks: [replace(self.cut(chunk), spans=()) for chunk in chunks]


def piece_many(documents: Sequence[Document], how: CutNotes, n_processes: int = 1) -> PiecedCorpus:
    """The corpus as one process cuts it, note for note."""
    n_processes = min(n_processes, len(documents) // _WORTH)
    if n_processes < 2:
        return how.cut(documents)
    firsts = range(0, len(documents), CHUNK)
    tasks = (Task(number, (tuple(documents[at : at + CHUNK]),)) for number, at in enumerate(firsts))
    parts = []
    for done in run_tasks(tasks, how, n_processes):
        (part,) = done.results
        if isinstance(part, Failed):
            raise ConfigError(f"notes could not be cut into pieces: {part.reason}")
        parts.append(part)
    return replace(join(parts), spans=tuple(document.spans for document in documents))


def join(parts: Sequence[PiecedCorpus]) -> PiecedCorpus:
    """Corpora end to end as one."""
    before = np.cumsum([0, *(part.n_pieces for part in parts)])[:-1].tolist()
    starts = (part.starts[1:] + start for part, start in zip(parts, before, strict=True))
    return PiecedCorpus(
        ids=np.concatenate([part.ids for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        shapes=np.concatenate([part.shapes for part in parts]),
        starts=np.concatenate([[0], *starts]).astype(np.int64),
        deciding=np.concatenate([part.deciding + start for part, start in zip(parts, before, strict=True)]),
        words=tuple(words for part in parts for words in part.words),
        spans=tuple(spans for part in parts for spans in part.spans),
        n_misfits=sum(part.n_misfits for part in parts),
    )
