"""The detecting journey: a corpus in, the same corpus with what was found marked in it; ids stay."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial as bind
from pathlib import Path
from typing import IO, Any

from deidlab.corpus.files import complete_file, refuse_existing, refuse_overlap, same_name
from deidlab.corpus.format import Format
from deidlab.corpus.formats import find_format, format_to_write, refuse_misnamed
from deidlab.corpus.writing import Rendered, render_note, write_rendered
from deidlab.errors import CorpusError
from deidlab.execute import Failed
from deidlab.files import private_files
from deidlab.pipeline.calibrating import Calibrator, write_calibration
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import Note, without_id
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.jobs import DetectJob
from deidlab.pipeline.run.find import Found, Unread, digest_text
from deidlab.pipeline.run.identity import describe_detecting
from deidlab.pipeline.run.one_pass import OnePass, Watch
from deidlab.pipeline.run.partial import Partial, open_partial
from deidlab.pipeline.run.parts import PartNote
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import STDIN, SourceSettings
from deidlab.types import rows_to_spans, spans_to_rows

# What notes of a stream are written as, and those of plain text.
_ROWS, _BESIDE_TEXT = "jsonl", "brat"

Writer = Callable[[Iterable[Rendered], Format], None]
"""Takes the marked notes as the format writes them."""


@dataclass(slots=True)
class DetectOutcome:
    """What was found, filled as notes pass; `failed` has the number and the reason of notes left out."""

    n_notes: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: list[tuple[int, str]] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)


def choose_format(source: SourceSettings, destination: Path, to: str | None) -> str:
    """The format asked for, that of the new name, or the source's own; plain text becomes brat."""
    chosen = format_to_write(destination, to, _usual_format(source))
    if destination != STDIN:
        refuse_misnamed(destination, chosen)
    return chosen.name


def _usual_format(source: SourceSettings) -> str:
    """The source's own, or one that holds spans where that does not."""
    if source.path == STDIN:
        return source.format or _ROWS
    own = open_source(source).format
    return own.name if own is not None and own.can_write and not own.is_plain else _BESIDE_TEXT


def write_files(job: DetectJob) -> Writer:
    """Notes into the files that the job names."""

    def write(notes: Iterable[Rendered], format: Format) -> None:
        # The notes themselves are in it.
        with private_files():
            write_rendered(notes, job.destination, format, job.overwrite, same_name)

    return write


def detect_corpus(job: DetectJob, write: Writer, watch: Watch) -> DetectOutcome:
    """Mark a corpus and write it, all of it or nothing; a note that fails is left out and listed.

    What is found is kept beside the output until that is whole, so that the same command goes on where a kill
    stopped it. A stream cannot be read or written twice, and is marked as it passes by.
    """
    marked = _Marked(job, find_format(choose_format(job.source, job.destination, job.to)))
    source, outcome = open_source(job.source), marked.outcome
    if STDIN in (job.source.path, job.destination):
        with _scores_file(job) as scores:
            write(marked.render(mark_notes(job, source, watch), scores), marked.format)
        # Whoever reads a stream is not told what it does not hold.
        if job.destination == STDIN:
            outcome.losses.clear()
        return outcome
    _check_places(job, source, marked.format)
    identity = describe_detecting(job, marked.format.name)
    with open_partial(job.destination, identity, Seal(b"detect"), True, job.overwrite) as partial:
        source = source.pin(partial)
        find_all(job, source, partial, watch)
        with _scores_file(job) as scores:
            notes = marked.render(_kept_notes(source, partial), scores)
            write(_watched(notes, watch), marked.format)
    return outcome


def _check_places(job: DetectJob, source: Source, format: Format) -> None:
    """Raise where writing would replace what is there, or touch what is read."""
    final = job.destination if format.is_note_a_file else format.place_of_one(job.destination)
    outputs, finding = (final, job.word_scores, job.calibration), job.finding
    for path in outputs:
        if path is not None:
            refuse_existing(path, job.overwrite)
    refuse_overlap(outputs, (source.files, finding.known, finding.allow, finding.deny))


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


def find_all(job: DetectJob, source: Source, partial: Partial, watch: Watch) -> None:
    """What is found in every note, into parts: offsets and certainties, no text."""
    passed, is_done = bind(watch, "finding"), partial.parts.has
    for done in OnePass(source, job.executor, passed, partial, is_done=is_done).run(job.work()):
        lines = [_to_line(*each) for each in zip(done.numbers, done.results, strict=True)]
        partial.parts.put(done.number, [PartNote(line) for line in lines])
        partial.state.put_task(done.number, (), ())


def _to_line(number: int, found: Found | Unread | Failed) -> bytes:
    row: dict[str, Any] = {"number": number}
    if isinstance(found, Failed):
        row["failed"] = found.reason
    elif isinstance(found, Found):
        row["text"] = found.text
        row["spans"] = spans_to_rows(found.spans)
        row["words"] = [[start, end, float(score)] for start, end, score in found.words]
    return json.dumps(row, ensure_ascii=False).encode()


def _kept_notes(source: Source, partial: Partial) -> Iterator[tuple[Note, Found | Failed]]:
    """The source once more, each note with what was found in it."""
    rows = partial.parts.lines()
    changed = CorpusError(f"{source.settings.path}: changed while it was read; start again with --overwrite")
    for note in source.notes_again():
        row = next(rows, {})
        text = None if note.document is None else digest_text(note.document)
        if row.get("number") != note.number or ("failed" not in row and row.get("text") != text):
            raise changed
        if note.document is None:
            yield note, Failed(note.problem)
        elif "failed" in row:
            yield note, Failed(row["failed"])
        else:
            yield note, Found(rows_to_spans(row["spans"]), row["words"])
    if next(rows, None) is not None:
        raise changed


def mark_notes(job: DetectJob, source: Source, watch: Watch) -> Iterator[tuple[Note, Found | Failed]]:
    """Every note of a stream with what is found in it, in order."""
    # A note is written as it was read, so it must be here.
    for done in OnePass(source, job.executor, bind(watch, "finding"), here=True).run(job.work()):
        for note, answer in zip(done.notes, done.results, strict=True):
            yield note, Failed(answer.problem) if isinstance(answer, Unread) else answer


@dataclass(frozen=True, slots=True)
class _Marked:
    """Notes on their way to the output, with what was found in them."""

    job: DetectJob
    format: Format
    outcome: DetectOutcome = field(default_factory=DetectOutcome)

    def render(
        self, pairs: Iterable[tuple[Note, Found | Failed]], scores: IO[str] | None
    ) -> Iterator[Rendered]:
        """The notes with their spans, counted; those that failed, or do not fit, are listed."""
        job = self.job
        calibrator = None if job.calibration is None else Calibrator()
        for note, found in pairs:
            try:
                rendered = self._render_note(note, found, scores, calibrator)
            except CorpusError as error:
                self.outcome.failed.append((note.number, without_id(str(error), note.name)))
            else:
                yield rendered
        if calibrator is not None and job.calibration is not None:
            write_calibration(calibrator.finish(job.finding), job.calibration, job.overwrite)

    def _render_note(
        self, note: Note, found: Found | Failed, scores: IO[str] | None, calibrator: Calibrator | None
    ) -> Rendered:
        if isinstance(found, Failed) or note.document is None:
            raise CorpusError(found.reason if isinstance(found, Failed) else note.problem)
        losses: Counter[str] = Counter()
        rendered = render_note(replace(note.document, spans=found.spans), self.format, losses)
        if calibrator is not None:
            calibrator.add(note.document, found.words)
        self.outcome.n_notes += 1
        self.outcome.losses += losses
        self.outcome.found.update((span.label, span.source) for span in found.spans)
        if scores is not None:
            words = [[start, end, float(score)] for start, end, score in found.words]
            scores.write(json.dumps({"id": note.document.id, "words": words}, ensure_ascii=False) + "\n")
        return rendered


def _watched(notes: Iterable[Rendered], watch: Watch) -> Iterator[Rendered]:
    for note in notes:
        yield note
        watch("writing", 1)
