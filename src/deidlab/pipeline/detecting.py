"""The detecting journey: a corpus in, the same corpus with what was found marked in it; ids stay."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from deidlab.corpus import recognise_format, write_corpus
from deidlab.corpus.files import complete_file, private_files, refuse_existing, refuse_overlap, same_name
from deidlab.corpus.formats import ALIASES, FORMATS, Format, find_format
from deidlab.errors import CorpusError
from deidlab.execute import Executor, Failed, Local, Task
from deidlab.pipeline.calibrating import Calibrator, write_calibration
from deidlab.pipeline.io.notes import STDIN, Note, without_id
from deidlab.pipeline.io.pinning import pin_files
from deidlab.pipeline.io.tasks import note_numbers, read_again, read_tasks
from deidlab.pipeline.run.identity import describe_detecting
from deidlab.pipeline.run.partial import Partial, open_partial
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.work import MaskedNote, Unread, check_holds
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document, Span

if TYPE_CHECKING:
    from deidlab.detect import Detection

Writer = Callable[[Iterable[Document], Format], Counter[str] | None]
"""Takes the marked documents; gives what the format could not hold, where it can tell."""


@dataclass(frozen=True, slots=True)
class DetectJob:
    """What to mark, and where to write it.

    `word_scores` is a file for every word's PHI probability; `calibration` one for how these compare with the
    source's own annotations.
    """

    source: SourceSettings
    destination: Path
    finding: Finding
    to: str | None = None
    word_scores: Path | None = None
    workers: int = 1
    overwrite: bool = False
    calibration: Path | None = None
    execute: Executor | None = None

    @property
    def executor(self) -> Executor:
        """Whoever was handed in, or this machine's processes."""
        return self.execute or Local(self.workers)

    @property
    def wants_words(self) -> bool:
        return self.word_scores is not None or self.calibration is not None


@dataclass(slots=True)
class DetectOutcome:
    """What was found, filled as notes pass; `failed` has the number and the reason of notes left out."""

    n_notes: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: list[tuple[int, str]] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)


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
    """What a worker does: notes in, what is found in them out."""

    finding: Finding
    with_words: bool

    def __call__(self) -> Callable[[Sequence[Note]], list[Found | Unread]]:
        detector = self.finding.load()

        def mark(notes: Sequence[Note]) -> list[Found | Unread]:
            documents = [note.document for note in notes if note.document]
            found = iter(detector.detect(documents, with_words=self.with_words))
            return [
                Unread(note.problem) if note.document is None else _to_found(note.document, next(found))
                for note in notes
            ]

        return mark


def _to_found(document: Document, found: Detection) -> Found:
    return Found(found.spans, found.words, _digest(document))


def choose_format(source: SourceSettings, destination: Path, to: str | None) -> str:
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
        # The notes themselves are in it.
        with private_files():
            return write_corpus(documents, job.destination, format.name, job.overwrite, same_name)

    return write


def detect_corpus(job: DetectJob, write: Writer, watch: Callable[[str, int], None]) -> DetectOutcome:
    """Mark a corpus and write it, all of it or nothing; a note that fails is left out and listed.

    What is found is kept beside the output until that is whole, so that the same command goes on where a kill
    stopped it. A stream cannot be read or written twice, and is marked as it passes by.
    """
    outcome = DetectOutcome()
    format = find_format(choose_format(job.source, job.destination, job.to))
    if STDIN in (job.source.path, job.destination):
        with _scores_file(job) as scores:
            documents = mark_notes(job, format, outcome, scores, watch)
            outcome.losses = write(documents, format) or Counter()
        return outcome
    inside = format.write is not None and job.destination.is_dir()
    final = job.destination / f"corpus{format.suffixes[0]}" if inside else job.destination
    for path in (final, job.word_scores, job.calibration):
        if path is not None:
            refuse_existing(path, job.overwrite)
    finding = job.finding
    inputs = (job.source.path, finding.known, finding.allow, finding.deny)
    refuse_overlap((final, job.word_scores, job.calibration), inputs)
    with open_partial(job.destination, describe_detecting(job, format.name), True, job.overwrite) as partial:
        pin_files(job.source, partial, Seal(b"detect"))
        find_all(job, partial, watch)
        with _scores_file(job) as scores:
            documents = _documents(job, format, outcome, scores, _kept_notes(job, partial))
            outcome.losses = write(_watched(documents, watch), format) or Counter()
    return outcome


@contextlib.contextmanager
def _scores_file(job: DetectJob) -> Iterator[IO[str] | None]:
    if job.word_scores is None:
        yield None
        return
    with (
        complete_file(job.word_scores, job.overwrite) as path,
        path.open("w", encoding="utf-8") as scores,
    ):
        yield scores


def find_all(job: DetectJob, partial: Partial, watch: Callable[[str, int], None]) -> None:
    """What is found in every note, into parts: offsets and certainties, no text."""
    under_way: dict[int, Sequence[int]] = {}

    def tasks() -> Iterator[Task[Note]]:
        for task in read_tasks(job.source, job.executor, partial.parts.has, lambda n: watch("finding", n)):
            under_way[task.number] = note_numbers(task)
            yield task

    for completion in job.executor(tasks(), MarkPhi(pin_finding(job.finding), job.wants_words)):
        numbers = under_way.pop(completion.number)
        lines = [_to_line(*each) for each in zip(numbers, completion.results, strict=True)]
        partial.parts.put(completion.number, [MaskedNote(line) for line in lines])
        partial.state.put_task(completion.number, (), ())
        watch("finding", len(numbers))


def _to_line(number: int, found: Found | Unread | Failed) -> bytes:
    row: dict[str, Any] = {"number": number}
    if isinstance(found, Failed):
        row["failed"] = found.reason
    elif isinstance(found, Found):
        row["text"] = found.text
        row["spans"] = [[s.start, s.end, s.label, s.score, s.source] for s in found.spans]
        row["words"] = [[start, end, float(score)] for start, end, score in found.words]
    return json.dumps(row, ensure_ascii=False).encode()


def _digest(document: Document) -> str:
    return hashlib.sha256(document.text.encode()).hexdigest()


def _kept_notes(job: DetectJob, partial: Partial) -> Iterator[tuple[Note, Found | Failed]]:
    """The source once more, each note with what was found in it."""
    rows = partial.parts.lines()
    changed = CorpusError(f"{job.source.path}: changed while it was read; start again with --overwrite")
    for note in read_again(job.source):
        row = next(rows, {})
        text = None if note.document is None else _digest(note.document)
        if row.get("number") != note.number or ("failed" not in row and row.get("text") != text):
            raise changed
        if note.document is None:
            yield note, Failed(note.problem)
        elif "failed" in row:
            yield note, Failed(row["failed"])
        else:
            yield note, Found(tuple(Span(*cells) for cells in row["spans"]), row["words"])
    if next(rows, None) is not None:
        raise changed


def mark_notes(
    job: DetectJob,
    format: Format,
    outcome: DetectOutcome,
    scores: IO[str] | None,
    watch: Callable[[str, int], None],
) -> Iterator[Document]:
    """Every note of a stream with its spans, in order."""
    under_way: dict[int, Sequence[Note]] = {}

    def tasks() -> Iterator[Task[Note]]:
        # A note is written as it was read, so it must be here.
        for task in read_tasks(job.source, job.executor, lambda number: False, lambda n: None, here=True):
            under_way[task.number] = task.items
            yield task

    def pairs() -> Iterator[tuple[Note, Found | Failed]]:
        for completion in job.executor(tasks(), MarkPhi(pin_finding(job.finding), job.wants_words)):
            for note, answer in zip(under_way.pop(completion.number), completion.results, strict=True):
                yield note, Failed(answer.problem) if isinstance(answer, Unread) else answer
                watch("finding", 1)

    return _documents(job, format, outcome, scores, pairs())


def _documents(
    job: DetectJob,
    format: Format,
    outcome: DetectOutcome,
    scores: IO[str] | None,
    pairs: Iterable[tuple[Note, Found | Failed]],
) -> Iterator[Document]:
    """The notes with their spans, counted on their way; those that failed, or do not fit, are listed."""
    calibrator = None if job.calibration is None else Calibrator()
    for note, found in pairs:
        if isinstance(found, Failed) or note.document is None:
            reason = found.reason if isinstance(found, Failed) else note.problem
            outcome.failed.append((note.number, without_id(reason, note.name)))
            continue
        marked = replace(note.document, spans=found.spans)
        try:
            check_holds(marked, format)
            if calibrator is not None:
                calibrator.add(note.document, found.words)
        except CorpusError as error:
            outcome.failed.append((note.number, without_id(str(error), note.document.id)))
            continue
        outcome.n_notes += 1
        outcome.found.update((span.label, span.source) for span in found.spans)
        if scores is not None:
            words = [[start, end, float(score)] for start, end, score in found.words]
            scores.write(json.dumps({"id": note.document.id, "words": words}, ensure_ascii=False) + "\n")
        yield marked
    if calibrator is not None and job.calibration is not None:
        write_calibration(calibrator.finish(job.finding), job.calibration, job.overwrite)


def _watched(documents: Iterable[Document], watch: Callable[[str, int], None]) -> Iterator[Document]:
    for document in documents:
        yield document
        watch("writing", 1)
