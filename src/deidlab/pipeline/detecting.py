"""The detecting journey: a corpus in, the same corpus with what was found marked in it; ids stay."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from deidlab.corpus import recognise_format, write_corpus
from deidlab.corpus.files import complete_file
from deidlab.corpus.formats import ALIASES, FORMATS, Format, find_format
from deidlab.errors import CorpusError
from deidlab.execute import Failed, Task, run_tasks
from deidlab.pipeline.settings import Finding, Source
from deidlab.pipeline.source import STDIN, Note, cut_tasks, read_notes
from deidlab.pipeline.work import check_holds
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.detect import Detection

Writer = Callable[[Iterable[Document], Format], Counter[str] | None]
"""Takes the marked documents; gives what the format could not hold, where it can tell."""


@dataclass(frozen=True, slots=True)
class DetectJob:
    """What to mark, and where to write it; `word_scores` is a file for every word's PHI probability."""

    source: Source
    destination: Path
    finding: Finding
    to: str | None = None
    word_scores: Path | None = None
    workers: int = 1
    overwrite: bool = False


@dataclass(slots=True)
class DetectOutcome:
    """What was found, filled as notes pass; `failed` has the number and the reason of notes left out."""

    n_notes: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: list[tuple[int, str]] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class MarkPhi:
    """What a worker does: notes in, detections out."""

    finding: Finding
    with_words: bool

    def __call__(self) -> Callable[[Sequence[Note]], list[Detection]]:
        detector = self.finding.load()

        def mark(notes: Sequence[Note]) -> list[Detection]:
            documents = [note.document for note in notes if note.document]
            return detector.detect(documents, with_words=self.with_words)

        return mark


def choose_format(source: Source, destination: Path, to: str | None) -> str:
    """The format asked for, that of the new name, or the source's own; plain text becomes brat."""
    if to is not None:
        return find_format(to).name
    for each in FORMATS.values():
        if each.write is not None and destination.name.endswith(each.suffixes):
            return each.name
    if source.path == STDIN:
        return ALIASES.get(source.format or "jsonl", source.format or "jsonl")
    own = find_format(source.format) if source.format else recognise_format(source.path)
    return own.name if own.can_write and own.name != "txt" else "brat"


def write_files(job: DetectJob) -> Writer:
    """Documents into the files that the job names."""

    def write(documents: Iterable[Document], format: Format) -> Counter[str]:
        return write_corpus(documents, job.destination, format.name, job.overwrite)

    return write


def detect_corpus(job: DetectJob, write: Writer, watch: Callable[[str, int], None]) -> DetectOutcome:
    """Mark a corpus and write it, all of it or nothing; a note that fails is left out and listed."""
    outcome = DetectOutcome()
    format = find_format(choose_format(job.source, job.destination, job.to))
    with contextlib.ExitStack() as stack:
        scores = None
        if job.word_scores is not None:
            path = stack.enter_context(complete_file(job.word_scores, job.overwrite))
            scores = stack.enter_context(path.open("w", encoding="utf-8"))
        documents = mark_notes(job, format, outcome, scores, watch)
        outcome.losses = write(documents, format) or Counter()
    return outcome


def mark_notes(
    job: DetectJob,
    format: Format,
    outcome: DetectOutcome,
    scores: IO[str] | None,
    watch: Callable[[str, int], None],
) -> Iterator[Document]:
    """Every note with its spans, in order."""
    under_way: dict[int, tuple[Note, ...]] = {}

    def tasks() -> Iterator[Task[Note]]:
        for task in cut_tasks(read_notes(job.source)):
            outcome.failed += [(note.number, note.problem) for note in task.items if not note.document]
            under_way[task.number] = tuple(note for note in task.items if note.document)
            yield Task(task.number, under_way[task.number])

    for completion in run_tasks(tasks(), MarkPhi(job.finding, scores is not None), job.workers):
        notes = under_way.pop(completion.number)
        for note, result in zip(notes, completion.results, strict=True):
            assert note.document is not None
            if isinstance(result, Failed):
                outcome.failed.append((note.number, result.reason))
                continue
            marked = replace(note.document, spans=result.spans)
            try:
                check_holds(marked, format)
            except CorpusError as error:
                outcome.failed.append((note.number, str(error)))
                continue
            outcome.n_notes += 1
            outcome.found.update((span.label, span.source) for span in result.spans)
            if scores is not None:
                words = [[start, end, float(score)] for start, end, score in result.words]
                scores.write(json.dumps({"id": note.document.id, "words": words}, ensure_ascii=False) + "\n")
            yield marked
        watch("finding", len(notes))
