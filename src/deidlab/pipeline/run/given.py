"""Spans that were given in, notes that carry them out: for a run that finds nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deidlab.errors import CorpusError
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.types import Span


def given_rows(spans: Source, seal: Seal) -> Iterator[tuple[bytes, bytes, tuple[Span, ...]]]:
    """What the state keeps of a corpus of spans.

    One of which no note can be read is an error; so is one without a single span, such as plain text: every
    note would be written as it is.
    """
    problem = "there is none"
    any_read = any_marked = False
    for note in spans.notes():
        problem = note.problem or problem
        if note.document is not None:
            any_read = True
            any_marked |= bool(note.document.spans)
            yield (
                seal.digest("document", note.document.id),
                seal.digest("text", note.document.text),
                note.document.spans,
            )
    if not any_read:
        raise CorpusError(
            f"{spans.settings.path}: no note of the corpus of spans can be read (--spans): {problem}"
        )
    if not any_marked:
        raise CorpusError(
            f"{spans.settings.path}: the corpus of spans marks nothing in any note (--spans), so all would "
            "be written as it is"
        )


def attach(partial: Partial, notes: Sequence[Note]) -> Sequence[Note]:
    """The notes with the spans that were given for them; without any, or for another text, a note fails."""
    return [_attach(note, partial) for note in notes]


def _attach(note: Note, partial: Partial) -> Note:
    if note.document is None:
        return note
    if note.document.container is not None:
        return replace(note, document=None, problem="--spans marks plain notes, and this one is a container")
    found = partial.state.given(partial.seal.digest("document", note.document.id))
    if found is None:
        return replace(note, document=None, problem="the corpus of spans does not hold it, or not readably")
    if found[0] != partial.seal.digest("text", note.document.text):
        return replace(note, document=None, problem="the corpus of spans holds another text for it")
    return replace(note, document=replace(note.document, spans=found[1]), given=True)
