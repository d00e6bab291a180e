"""Two reviewers' layers of a note in, one set of marks for a third look out.

What both marked alike is accepted; what only one marked, or both differently, waits to be decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deidlab.errors import CorpusError
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Mark, first_marks
from deidlab.web.store_notes import finished_layers
from deidlab.web.store_rows import NoteState


def merge_layers(store: ReviewStore, number: int, version: int, reviewer: str) -> NoteState:
    """Bring the finished layers of a note together in the shared one, where they can be settled."""
    names = finished_layers(store, number)
    if len(names) < 2:
        raise CorpusError("two reviewers have to finish this note before it can be settled")
    layers = [store.read_note(number, name).marks for name in names]
    return store.replace_marks(number, version, merge_marks(layers, names), reviewer)


def merge_marks(layers: Sequence[Sequence[Mark]], names: Sequence[str]) -> list[Mark]:
    votes: dict[tuple[int, int, str], list[str]] = {}
    for name, marks in zip(names, layers, strict=True):
        for mark in marks:
            if mark.is_phi:
                votes.setdefault((mark.start, mark.end, mark.label), []).append(name)
    # Half a vote is half certain: such marks come first among what is to be decided.
    spans = [
        Mark(0, *key, len(who) / len(names), "review:" + "+".join(who), "found").to_span()
        for key, who in votes.items()
    ]
    agreed = {key for key, who in votes.items() if len(who) == len(names)}
    return [
        replace(mark, status="accepted", reviewer="+".join(names), score=None)
        if (mark.start, mark.end, mark.label) in agreed and mark.status == "found"
        else mark
        for mark in first_marks(spans)
    ]
