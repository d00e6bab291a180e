"""What other machines found in, how much of it this one finds otherwise out.

The same model rounds otherwise on another kind of processor or on a GPU, and a span near the threshold may
then come or go. Where workers computed on other kinds than this machine's, the first notes are searched again
here: as many as a few seconds allow, so that a short run is not mostly this.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from deidlab.execute.places import describe_processor
from deidlab.execute.tasks import Failed, attempt
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.run.find import FindPhi
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.state import Row, spans_from_json
from deidlab.types import Span

N_NOTES = 256
_AT_ONCE = 16
_SECONDS = 4.0
"""Past so many no further few are begun."""


def compare_devices(job: MaskJob, source: Source, partial: Partial) -> dict[str, Any] | None:
    """Notes and spans compared, and the share that differs; None where all was found as it would be here."""
    places = job.executor.describe().get("processors", [])
    same = job.finding.device == "cpu" and set(places) <= {describe_processor()}
    if same or job.spans is not None or job.finding.rules == "only":
        return None
    find = FindPhi(replace(job.finding, device="cpu"), job.settings)()
    notes = (note for note in islice(source.notes_again(), N_NOTES) if note.document)
    n_notes = n_spans = n_differ = 0
    for some in _for_a_while(notes):
        there = partial.state.settled([note.number for note in some])
        for row, kept in zip(attempt(find, some), there, strict=True):
            if isinstance(row, Failed) or not isinstance(row, Row) or kept is None:
                continue
            n_notes += 1
            every, differ = count_differences(row.spans, spans_from_json(kept.spans))
            n_spans, n_differ = n_spans + every, n_differ + differ
    share = n_differ / n_spans if n_spans else 0.0
    return {"notes": n_notes, "spans": n_spans, "differ": n_differ, "share": round(share, 6)}


def _for_a_while(notes: Iterator[Note]) -> Iterator[list[Note]]:
    """A few notes at a time, until there are no more or time is up."""
    began = time.monotonic()
    while some := list(islice(notes, _AT_ONCE)):
        yield some
        if time.monotonic() - began > _SECONDS:
            return


def count_differences(one: Sequence[Span], other: Sequence[Span]) -> tuple[int, int]:
    """How many spans either has, and how many of these only one has, with these offsets and this label."""
    first, second = ({(s.start, s.end, s.label) for s in spans} for spans in (one, other))
    return len(first | second), len(first ^ second)
