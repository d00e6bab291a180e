"""What a worker does where PHI is found: notes in; what is found in each out, or why it could not be read.

Small classes that travel to a worker process and load there what they need; those that hold the secret do
not show it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from deidlab.errors import CorpusError
from deidlab.mask import Masker, MaskSettings, pack_facts
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.run.coding import coded_facts
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.sharing import shareable
from deidlab.pipeline.run.state import Row
from deidlab.pipeline.settings import Finding
from deidlab.types import Document, Span

if TYPE_CHECKING:
    from deidlab.detect import Detection, Detector

Answer = TypeVar("Answer")
BANDS = 10


@dataclass(frozen=True, slots=True)
class Unread:
    """In place of what was found: why the note could not be read."""

    problem: str


@dataclass(frozen=True, slots=True)
class FindPhi:
    """What is PHI, and what its patient's other notes must know of it; no finding where spans are given."""

    finding: Finding | None
    settings: MaskSettings = field(repr=False)

    def __call__(self) -> Callable[[Sequence[Note]], list[Row | Unread]]:
        seal, masker = Seal(self.settings.key), Masker(self.settings)
        detector = None if self.finding is None else load_finding(self.finding)

        def to_row(note: Note, own: Detection | None) -> Row:
            return row_of(note, seal, masker, own)

        return lambda notes: search(notes, detector, to_row)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one note: spans, and start, end and PHI probability of its words where asked for.

    `text` is the digest of the text that it was found in.
    """

    spans: tuple[Span, ...]
    words: Sequence[Sequence[float]] = field(default=(), repr=False)
    text: str = ""


@dataclass(frozen=True, slots=True)
class MarkPhi:
    """What is PHI, for notes that are written as they are with it marked."""

    finding: Finding
    with_words: bool

    def __call__(self) -> Callable[[Sequence[Note]], list[Found | Unread]]:
        detector = load_finding(self.finding)
        return lambda notes: search(notes, detector, _to_found, self.with_words)


def search(
    notes: Sequence[Note],
    detector: Detector | None,
    answer: Callable[[Note, Detection | None], Answer],
    with_words: bool = False,
) -> list[Answer | Unread]:
    """An answer for each note that could be read."""
    readable = [note for note in notes if note.document]
    found = (answer(note, own) for note, own in detect(readable, detector, with_words))
    return [next(found) if note.document else Unread(note.problem) for note in notes]


def detect(
    notes: Sequence[Note], detector: Detector | None, with_words: bool = False
) -> list[tuple[Note, Detection | None]]:
    """Each note with what was found in it; None where people's spans stand in it already."""
    unread = [_document(note) for note in notes if not note.given]
    if unread and detector is None:
        raise CorpusError("the note has no spans given, and there is nothing to find them with")
    found = iter(detector.detect(unread, with_words=with_words) if detector and unread else ())
    return [(note, None if note.given else next(found)) for note in notes]


def _to_found(note: Note, detection: Detection | None) -> Found:
    assert detection is not None
    return Found(detection.spans, detection.words, digest_text(_document(note)))


def digest_text(document: Document) -> str:
    return hashlib.sha256(document.text.encode()).hexdigest()


def row_of(note: Note, seal: Seal, masker: Masker, detection: Detection | None) -> Row:
    document = _document(note)
    own = shareable(document.spans, masker.settings.policy)
    spans = own if detection is None else detection.spans
    marked = replace(document, spans=spans)
    return Row(
        note.number,
        seal.digest("document", document.id),
        seal.close(document.id.encode()),
        seal.digest("patient", document.patient),
        seal.digest("text", document.text),
        marked.spans,
        pack_facts((*masker.facts(marked), *coded_facts(masker, marked))),
        {
            "characters": len(document.text),
            "annotated": bool(document.spans),
            "has_patient": document.patient != document.id,
            "weak": _weak(detection),
        },
    )


def _weak(detection: Detection | None) -> dict[str, int]:
    """Candidates outside every span, by label and tenth of certainty: what a stricter threshold would add."""
    if detection is None:
        return {}
    counts: Counter[str] = Counter()
    seen: set[tuple[int, int]] = set()
    ordered = sorted(detection.candidates, key=lambda s: (s.start, -(s.score or 0.0), s.end))
    spans, index = detection.spans, 0
    for span in ordered:
        while index < len(spans) and spans[index].end <= span.start:
            index += 1
        hidden = index < len(spans) and spans[index].start < span.end
        if not hidden and (span.start, span.end) not in seen:
            seen.add((span.start, span.end))
            band = min(int((1.0 if span.score is None else span.score) * BANDS), BANDS - 1)
            counts[f"{span.label} {band}"] += 1
    return dict(counts)


def _document(note: Note) -> Document:
    assert note.document is not None
    return note.document
