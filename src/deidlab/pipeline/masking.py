"""The masking journey: a corpus in, the same corpus masked out.

    source -> find (workers) -> state -> settle patients -> source again -> mask (workers) -> parts -> output

Two passes, since numbered tags and collisions are settled once a patient over all its notes. Between them
the state holds offsets and keyed digests. What a kill leaves is gone on with; each note is written once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from deidlab.corpus.files import refuse_existing
from deidlab.corpus.formats import Format, find_format, recognise_format
from deidlab.errors import CorpusError
from deidlab.execute import Failed, Task, run_tasks
from deidlab.mask import Masker, MaskSettings, PatientState, unpack_facts
from deidlab.pipeline.identity import describe_job, describe_settings
from deidlab.pipeline.output import choose_destination, is_one_note_file, put_in_place, write_output
from deidlab.pipeline.partial import Partial, open_partial
from deidlab.pipeline.parts import line_to_document
from deidlab.pipeline.record import (
    NOTES,
    RECORD,
    Tally,
    failure_rows,
    notes_line,
    open_private,
    record_folder,
    versions,
)
from deidlab.pipeline.sealing import Seal
from deidlab.pipeline.settings import Finding, Source, Writing
from deidlab.pipeline.source import Note, cut_tasks, read_notes, without_id
from deidlab.pipeline.state import Failure, Row
from deidlab.pipeline.ways_back import opened, write_map
from deidlab.pipeline.work import FindPhi, MaskPhi
from deidlab.types import Document

Watch = Callable[[str, int], None]
"""Called with the stage and how many more notes it has done."""


@dataclass(frozen=True, slots=True)
class MaskJob:
    """All that decides a masked corpus; `spans` is a corpus whose spans are used as they are."""

    source: Source
    destination: Path
    finding: Finding
    settings: MaskSettings = field(repr=False)
    writing: Writing = field(default_factory=Writing)
    spans: Source | None = None
    repeatable: bool = True
    workers: int = 1
    overwrite: bool = False
    map_file: Path | None = None
    passphrase: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class MaskOutcome:
    """What a run did; `record` is what was written beside the output."""

    destination: Path
    record: dict[str, Any] = field(repr=False)
    failures: tuple[Failure, ...] = ()


def no_watch(stage: str, n: int) -> None:
    """For those who do not look."""


def mask_corpus(job: MaskJob, watch: Watch = no_watch) -> MaskOutcome:
    """Mask a corpus; raises for what is wrong with the run, and lists what is wrong with a note."""
    started = time.time()
    format = find_format(job.source.format) if job.source.format else recognise_format(job.source.path)
    if not format.can_write:
        raise CorpusError(
            f"{format.name} cannot be written: convert the corpus first (`deidlab corpus convert`)"
        )
    destination = choose_destination(job.source.path, format, job.destination)
    refuse_existing(destination, job.overwrite)
    identity = describe_job(job, format.name)
    with open_partial(destination, identity, job.repeatable, job.overwrite) as partial:
        find_all(job, partial, watch)
        settle_patients(job.settings, partial)
        mask_all(job, partial, format, watch)
        record = _write(job, partial, format, destination, watch, started)
        failures = tuple(partial.state.failures())
    return MaskOutcome(destination, record, failures)


def find_all(job: MaskJob, partial: Partial, watch: Watch) -> None:
    """First pass: every note's spans and facts into the state, task by task."""
    seal, state = Seal(job.settings.key), partial.state
    if job.spans is not None:
        state.put_given(_given_rows(job.spans, seal))
    under_way: dict[int, list[Note]] = {}

    def tasks() -> Iterator[Task[Note]]:
        for task in cut_tasks(read_notes(job.source)):
            if state.has_task(task.number):
                watch("finding", len(task.items))
                continue
            notes = [note if job.spans is None else _attach(note, seal, partial) for note in task.items]
            under_way[task.number] = notes
            yield Task(task.number, tuple(note for note in notes if note.document))

    for completion in run_tasks(
        tasks(), FindPhi(None if job.spans else job.finding, job.settings), job.workers
    ):
        notes = under_way.pop(completion.number)
        readable = [note for note in notes if note.document]
        failures = [_failure(job, seal, note, "read", note.problem) for note in notes if not note.document]
        rows: list[Row] = []
        for note, result in zip(readable, completion.results, strict=True):
            if isinstance(result, Failed):
                failures.append(_failure(job, seal, note, "find", result.reason))
            else:
                rows.append(result)
        twice = {row.number for row in state.put_task(completion.number, rows, failures)}
        state.put_failures(
            [_failure(job, seal, n, "read", "a second note of this id") for n in notes if n.number in twice]
        )
        watch("finding", len(notes))
    state.keep()


def _given_rows(spans: Source, seal: Seal) -> Iterator[tuple[bytes, bytes, Any]]:
    for note in read_notes(spans):
        if note.document is not None:
            yield (
                seal.digest("document", note.document.id),
                seal.digest("text", note.document.text),
                note.document.spans,
            )


def _attach(note: Note, seal: Seal, partial: Partial) -> Note:
    """The note with the spans that were given for it; without any, or for another text, it fails."""
    if note.document is None:
        return note
    found = partial.state.given(seal.digest("document", note.document.id))
    if found is None:
        return replace(note, document=None, problem="the corpus of spans does not hold it, or not readably")
    if found[0] != seal.digest("text", note.document.text):
        return replace(note, document=None, problem="the corpus of spans holds another text for it")
    return replace(note, document=replace(note.document, spans=found[1]), given=True)


def _failure(job: MaskJob, seal: Seal, note: Note, stage: str, reason: str) -> Failure:
    name = note.document.id if note.document else note.name
    shown = name if job.writing.ids_kept else Masker(job.settings).pseudonym("document", name or note.place)
    sealed = seal.close(json.dumps([name, note.place]).encode())
    return Failure(note.number, shown, stage, without_id(reason, name), sealed)


def settle_patients(settings: MaskSettings, partial: Partial) -> None:
    """Between the passes: what each patient's notes share, in the order of their ids."""
    seal = Seal(settings.key)

    def states() -> Iterator[tuple[bytes, bytes]]:
        for patient, notes in partial.state.patients():
            ordered = sorted(notes, key=lambda note: seal.open(note[0]))
            yield patient, PatientState.from_facts(unpack_facts(facts) for _, facts in ordered).to_bytes()

    if partial.state.setting("settled") is None:
        partial.state.put_patients(states())
        partial.state.put_setting("settled", "1")


def mask_all(job: MaskJob, partial: Partial, format: Format, watch: Watch) -> None:
    """Second pass: every note that the first one understood, masked, into parts."""
    seal, state = Seal(job.settings.key), partial.state
    under_way: dict[int, list[Note]] = {}

    def tasks() -> Iterator[Task[Note]]:
        for task in cut_tasks(read_notes(job.source)):
            if partial.parts.has(task.number):
                watch("masking", len(task.items))
                continue
            notes = [note if job.spans is None else _attach(note, seal, partial) for note in task.items]
            under_way[task.number] = [n for n in notes if n.document and state.has_note(n.number)]
            yield Task(task.number, tuple(under_way[task.number]))

    work = MaskPhi(job.settings, state.path, format.name, job.writing, job.map_file is not None)
    for completion in run_tasks(tasks(), work, job.workers):
        notes = under_way.pop(completion.number)
        both = list(zip(notes, completion.results, strict=True))
        state.put_failures(
            [_failure(job, seal, n, "mask", r.reason) for n, r in both if isinstance(r, Failed)]
        )
        partial.parts.put(completion.number, [r for _, r in both if not isinstance(r, Failed)])
        watch("masking", len(notes))


def _write(
    job: MaskJob, partial: Partial, format: Format, destination: Path, watch: Watch, started: float
) -> dict[str, Any]:
    """The output and its record, made whole and then given their names."""
    final = partial.fresh(f"final{destination.suffix}")
    beside = partial.fresh("record")
    beside.mkdir(mode=0o700)
    tally = Tally()
    one_note = is_one_note_file(job.source.path, format, destination)
    with open_private(beside / NOTES) as notes:
        documents = _pass_by(partial, tally, notes, watch)
        annotated = partial.state.any_annotated()
        write_output(documents, final, format, job.source.reading, job.writing.columns, annotated, one_note)
    record = _record(job, partial, format, tally, started)
    with open_private(beside / RECORD) as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    if job.map_file is not None:
        ways_back = opened(partial.parts, Seal(job.settings.key))
        write_map(job.map_file, job.passphrase, ways_back, job.overwrite)
    put_in_place(beside, record_folder(job.destination), partial.fresh("old-record"))
    if tally.n_notes:
        put_in_place(final, destination, partial.fresh("old"))
    return record


def _pass_by(partial: Partial, tally: Tally, notes: IO[str], watch: Watch) -> Iterator[Document]:
    """The masked documents, counted and noted down on their way to the output."""
    for line in partial.parts.lines():
        document = line_to_document(line)
        tally.add(line["number"], document.id, line["spans"], line["replaced"], line["tally"])
        notes.write(notes_line(line))
        tally.n_bare += line["bare"]
        watch("writing", 1)
        yield document


def _record(job: MaskJob, partial: Partial, format: Format, tally: Tally, started: float) -> dict[str, Any]:
    failures = partial.state.failures()
    return {
        "kind": "mask",
        "notes": tally.n_notes + len(failures),
        "masked": tally.n_notes,
        "failed": len(failures),
        "patients": partial.state.counts()[1],
        "patients_known": partial.state.any_patient(),
        **tally.to_json(),
        "failures": failure_rows(failures),
        "settings": describe_settings(job, format.name),
        "versions": versions(),
        "workers": job.workers,
        "seconds": round(time.time() - started, 3),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
