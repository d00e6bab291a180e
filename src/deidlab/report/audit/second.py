"""A masked corpus in, what another detector still finds in it out: counts and places, no text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Protocol

from deidlab.report.audit.record import NoteFacts, RunRecord
from deidlab.types import Document, Span

# A detector that masked with rules is asked again for all that it was not certain of.
STRICT = 0.05
_BATCH = 32
_N_SHOWN = 50


class Finder(Protocol):
    """As much of a detector as is needed here."""

    def detect(self, documents: list[Document], with_words: bool = True) -> Any: ...


def choose_second(settings: dict[str, Any], second: str | None) -> tuple[str | None, str, float | None, str]:
    """Model, rules and threshold of the second detector, and what the report says of it."""
    if second is not None:
        return second, "off", None, "another model"
    if settings["rules"] == "off" or settings["found_by"] == "given spans":
        return None, "only", None, "the rules, which had no part in the run"
    said = (
        f"the same rules at a threshold of {STRICT}: stricter, not independent (--second MODEL names another)"
    )
    return None, "only", STRICT, said


def find_again(record: RunRecord, detector: Finder, said: str) -> dict[str, Any]:
    """What the detector finds in masked notes outside every replacement."""
    counts: Counter[str] = Counter()
    notes: list[dict[str, Any]] = []
    n_notes = 0
    documents = record.documents()
    while batch := list(islice(documents, _BATCH)):
        found = detector.detect([document for document, _ in batch], with_words=False)
        for (_, facts), detection in zip(batch, found, strict=True):
            rest = list(spans_outside(detection.spans, facts))
            counts.update(span.label for span in rest)
            n_notes += bool(rest)
            if rest:
                places = [[span.start, span.end, span.label, span.score] for span in rest[:20]]
                notes.append({"document": facts.document, "found": len(rest), "places": places})
        notes = sorted(notes, key=lambda note: (-note["found"], note["document"]))[:_N_SHOWN]
    return {
        "detector": said,
        "found": sum(counts.values()),
        "in_notes": n_notes,
        "by_label": dict(sorted(counts.items())),
        "notes": notes,
    }


def spans_outside(spans: Iterable[Span], facts: NoteFacts) -> Iterator[Span]:
    """The spans of a masked note, in order, that touch nothing which was put there by the run."""
    index, places = 0, facts.places
    for span in spans:
        while index < len(places) and places[index][1] <= span.start:
            index += 1
        if index == len(places) or places[index][0] >= span.end:
            yield span
