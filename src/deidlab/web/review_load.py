"""A corpus in, a review begun or continued: each note in the store with its first marks.

Notes that are there already stay as they are, with all that was decided. A corpus with spans is reviewed as
it is marked; in one without, a detector marks first, and what it nearly found stays beside as hints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deidlab.detect.answers import DEFAULT_THRESHOLD
from deidlab.detect.resolve import resolve
from deidlab.errors import CorpusError
from deidlab.execute import Failed, Task, run_tasks
from deidlab.pipeline.io.notes import Note, cut_tasks
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Mark, first_marks
from deidlab.web.store_notes import fix_label_order

if TYPE_CHECKING:
    from deidlab.detect import Detection

LEAST_HINT = 0.2
Watch = Callable[[str, int], None]
Entry = tuple[Document, list[Mark], bool]


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """What to review. `detect` None means: only where the corpus has no span at all.

    `twice` is the share of notes that two reviewers mark apart from each other.
    """

    source: SourceSettings
    finding: Finding
    detect: bool | None = None
    twice: float = 0.0
    workers: int = 1


@dataclass(slots=True)
class LoadReport:
    """What was loaded; `failed` has the place and the reason of notes that are left out."""

    n_new: int = 0
    detected: bool = False
    n_overlaps: int = 0
    failed: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FindMarks:
    """What a worker does: documents in, first marks out."""

    finding: Finding

    def __call__(self) -> Callable[[Sequence[Document]], list[list[Mark]]]:
        detector = load_finding(self.finding)
        asked = self.finding.threshold
        threshold = DEFAULT_THRESHOLD if asked is None else asked

        def find(documents: Sequence[Document]) -> list[list[Mark]]:
            found = detector.detect(documents, with_words=False)
            return [marks_of(note, one, threshold) for note, one in zip(documents, found, strict=True)]

        return find


def marks_of(document: Document, detection: Detection, threshold: float) -> list[Mark]:
    """What was found, and as hints what fell below the threshold and stands in the free."""
    spans = detection.spans
    weak = [
        span
        for span in detection.candidates
        if LEAST_HINT <= (1.0 if span.score is None else span.score) < threshold
        and not any(span.start < other.end and other.start < span.end for other in spans)
    ]
    return first_marks(spans, resolve(document.text, weak, 0.0))


def load_review(store: ReviewStore, settings: LoadSettings, watch: Watch) -> LoadReport:
    """Bring the corpus into the store; what is there already stays as it is."""
    report = LoadReport()
    report.detected = settings.detect if settings.detect is not None else not has_spans(settings.source)
    report.n_new = store.add_notes(_entries(settings, report, store.note_ids(), watch))
    if report.n_new:
        fix_label_order(store)
    if not store.note_ids():
        raise CorpusError("there is no note to review")
    return report


def has_spans(source: SourceSettings) -> bool:
    """Whether any note of the corpus is marked."""
    return any(note.document is not None and note.document.spans for note in open_source(source).notes())


def _entries(
    settings: LoadSettings, report: LoadReport, known: frozenset[str], watch: Watch
) -> Iterator[Entry]:
    for task in _marked_tasks(settings, report, known):
        for document, marks in task:
            report.n_overlaps += 0 if report.detected else sum(mark.status == "hint" for mark in marks)
            yield document, marks, falls_below(document.id, settings.twice)
        watch("reading", len(task))


def _marked_tasks(
    settings: LoadSettings, report: LoadReport, known: frozenset[str]
) -> Iterator[list[tuple[Document, list[Mark]]]]:
    under_way: dict[int, list[tuple[int, Document]]] = {}

    def tasks() -> Iterator[Task[Document]]:
        for task in cut_tasks(open_source(settings.source).notes()):
            under_way[task.number] = _readable(task.items, report)
            # A note that is under review already is only compared with what the store has.
            fresh = tuple(document for _, document in under_way[task.number] if document.id not in known)
            yield Task(task.number, fresh)

    if not report.detected:
        for task in tasks():
            yield [(document, first_marks(document.spans)) for _, document in under_way.pop(task.number)]
        return
    for completion in run_tasks(tasks(), FindMarks(settings.finding), settings.workers):
        documents = under_way.pop(completion.number)
        results = iter(completion.results)
        marked = []
        for number, document in documents:
            marks = [] if document.id in known else next(results)
            if isinstance(marks, Failed):
                report.failed.append((number, marks.reason))
            else:
                marked.append((document, marks))
        yield marked


def _readable(notes: Sequence[Note], report: LoadReport) -> list[tuple[int, Document]]:
    report.failed += [(note.number, note.problem) for note in notes if note.document is None]
    return [(note.number, note.document) for note in notes if note.document is not None]


def falls_below(id: str, share: float) -> bool:
    """Whether a note is among a share of all, by its id alone: the same on every machine."""
    digest = hashlib.sha256(f"review twice {id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
