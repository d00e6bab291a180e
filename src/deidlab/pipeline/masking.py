"""The masking journey: a corpus in, the same corpus masked out.

    source -> find (workers) -> state -> settle patients -> source again -> mask (workers) -> parts -> output

Two passes, since numbered tags and collisions are settled once a patient over all its notes. Between them
the state holds offsets and keyed digests. What a kill leaves is gone on with; each note is written once.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.files import refuse_existing
from deidlab.corpus.formats import Format
from deidlab.errors import CorpusError
from deidlab.execute import Executor, Failed, Local, Task
from deidlab.execute.tasks import FarItems, pair
from deidlab.mask import MaskSettings, PatientState, unpack_facts
from deidlab.pipeline.io.file_sink import choose_destination, is_one_note_file, put_in_place, write_output
from deidlab.pipeline.io.notes import Note, Start
from deidlab.pipeline.io.pinning import pin_job
from deidlab.pipeline.io.tables import check_tables, output_format, pin_source, reach, reached, write_to_table
from deidlab.pipeline.io.tasks import note_numbers, read_tasks
from deidlab.pipeline.restoring import opened, write_map
from deidlab.pipeline.run.comparing import compare_devices
from deidlab.pipeline.run.failing import NEW, fail_gone, fail_twice, note_failure, result_failure
from deidlab.pipeline.run.given import attach, given_rows
from deidlab.pipeline.run.identity import describe_job, describe_settings
from deidlab.pipeline.run.overwriting import check_places
from deidlab.pipeline.run.partial import Partial, open_partial
from deidlab.pipeline.run.parts import line_to_document
from deidlab.pipeline.run.record import (
    NOTES,
    RECORD,
    Tally,
    failure_rows,
    notes_line,
    open_private,
    record_folder,
    versions,
)
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import Failure, Row, Settled
from deidlab.pipeline.run.work import FindPhi, MaskedNote, MaskPhi
from deidlab.pipeline.settings import Finding, SourceSettings, Writing
from deidlab.types import Document

Watch = Callable[[str, int], None]
"""Called with the stage and how many more notes it has done."""


@dataclass(frozen=True, slots=True)
class MaskJob:
    """All that decides a masked corpus; `spans` is a corpus whose spans are used as they are.

    With a `sink` the notes go into that table, where `append` allows rows that are there, and the destination
    is only where the run and its record stand. `execute` runs the work elsewhere than in this machine's
    `workers`; it changes nothing of what comes out.
    """

    source: SourceSettings
    destination: Path
    finding: Finding
    settings: MaskSettings = field(repr=False)
    writing: Writing = field(default_factory=Writing)
    spans: SourceSettings | None = None
    repeatable: bool = True
    workers: int = 1
    overwrite: bool = False
    map_file: Path | None = None
    passphrase: str = field(default="", repr=False)
    sink: TablePlace | None = None
    append: bool = False
    execute: Executor | None = None

    @property
    def executor(self) -> Executor:
        """Whoever was handed in, or this machine's processes."""
        return self.execute or Local(self.workers)


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
    format = output_format(job.source, job.destination, job.sink)
    if not format.can_write:
        raise CorpusError(
            f"{format.name} cannot be written: convert the corpus first (`deidlab corpus convert`)"
        )
    destination = job.destination
    if job.sink is None:
        destination = choose_destination(job.source.path, format, job.destination)
        refuse_existing(destination, job.overwrite)
    check_places(job, destination)
    identity = describe_job(job, format.name)
    with open_partial(destination, identity, job.repeatable, job.overwrite) as partial:
        check_tables(job, partial, identity)
        job = pin_source(job, partial)
        pin_job(job, partial)
        find_all(job, partial, watch)
        settle_patients(job.settings, partial)
        mask_all(job, partial, format, watch)
        record = _write(job, partial, format, destination, identity, watch, started)
        failures = tuple(partial.state.failures())
    return MaskOutcome(destination, record, failures)


def find_all(job: MaskJob, partial: Partial, watch: Watch) -> None:
    """First pass: every note's spans and facts into the state, task by task."""
    seal, state = Seal(job.settings.key), partial.state
    if job.spans is not None:
        state.put_given(given_rows(job.spans, seal))
    under_way: dict[int, Sequence[Note]] = {}

    def tasks() -> Iterator[Task[Note]]:
        start = reached(job.source, partial, seal, "find")
        watch("finding", start.note - 1)
        for task in _tasks(job, state.has_task, lambda n: watch("finding", n), start):
            notes = task.items if job.spans is None else attach(task.items, seal, partial)
            under_way[task.number] = notes
            yield Task(task.number, notes)

    work = FindPhi(None if job.spans else pin_finding(job.finding), job.settings)
    for completion in job.executor(tasks(), work):
        notes = under_way.pop(completion.number)
        failures: list[Failure] = []
        rows: list[Row] = []
        for place, result in enumerate(completion.results):
            if isinstance(result, Row):
                rows.append(result)
            else:
                failures.append(result_failure(job, seal, notes[place], result))
        state.put_task(completion.number, rows, failures, fail_twice(job, seal, notes))
        reach(job.source, partial, seal, "find", completion.number, notes)
        watch("finding", len(notes))
    state.keep()


def _tasks(
    job: MaskJob, is_done: Callable[[int], bool], passed: Callable[[int], None], start: Start
) -> Iterator[Task[Note]]:
    # Spans that were given are looked up here by the notes' ids, so the notes must be here.
    return read_tasks(job.source, job.executor, is_done, passed, start, here=job.spans is not None)


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
    under_way: dict[int, tuple[Sequence[Note], Sequence[int]]] = {}
    n_known, seen = state.last_number(), Counter[str]()

    def pass_by(n: int) -> None:
        seen["notes"] += n
        watch("masking", n)

    def tasks() -> Iterator[Task[tuple[Note, Settled | None]]]:
        start = reached(job.source, partial, seal, "mask")
        pass_by(start.note - 1)
        for task in _tasks(job, partial.parts.has, pass_by, start):
            notes = task.items if job.spans is None else attach(task.items, seal, partial)
            numbers = note_numbers(task)
            under_way[task.number] = notes, numbers
            yield Task(task.number, _settled(notes, state.settled(numbers)))

    work = MaskPhi(job.settings, format.name, job.writing, job.map_file is not None)
    for completion in job.executor(tasks(), work):
        notes, numbers = under_way.pop(completion.number)
        failed = [(n, r.reason) for n, r in enumerate(completion.results) if isinstance(r, Failed)]
        failed += [(place, NEW) for place, number in enumerate(numbers) if number > n_known]
        state.put_failures([note_failure(job, seal, notes[place], "mask", why) for place, why in failed])
        partial.parts.put(completion.number, [r for r in completion.results if isinstance(r, MaskedNote)])
        reach(job.source, partial, seal, "mask", completion.number, notes)
        pass_by(len(notes))
    fail_gone(job, partial, seal, seen["notes"])


def _settled(notes: Sequence[Note], found: list[Settled | None]) -> Sequence[tuple[Note, Settled | None]]:
    """Each note with what was settled for it; one that has failed stays here, unless it is elsewhere."""
    if not isinstance(notes, FarItems):
        notes = [
            note if own else replace(note, document=None) for note, own in zip(notes, found, strict=True)
        ]
    return pair(notes, found)


def _write(
    job: MaskJob,
    partial: Partial,
    format: Format,
    destination: Path,
    identity: str,
    watch: Watch,
    started: float,
) -> dict[str, Any]:
    """The output and its record, made whole and then given their names."""
    final = partial.fresh(f"final{destination.suffix}")
    beside = partial.fresh("record")
    beside.mkdir(mode=0o700)
    tally, there = Tally(), 0
    with open_private(beside / NOTES) as notes:
        documents = _pass_by(partial, tally, notes, watch)
        annotated = partial.state.any_annotated()
        if job.sink is not None:
            there = write_to_table(documents, job, partial, identity, annotated).there
        else:
            one_note = is_one_note_file(job.source.path, format, destination)
            columns = job.writing.columns
            write_output(documents, final, format, job.source.reading, columns, annotated, one_note)
    record = _record(job, partial, format, tally, started)
    if job.sink is not None:
        record["there_before"] = there
    if (compared := compare_devices(job, partial)) is not None:
        record["compared_with_here"] = compared
    with open_private(beside / RECORD) as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    if job.map_file is not None:
        ways_back = opened(partial.parts, Seal(job.settings.key))
        write_map(job.map_file, job.passphrase, ways_back, job.overwrite)
    put_in_place(beside, record_folder(job.destination), partial.fresh("old-record"))
    if tally.n_notes and job.sink is None:
        put_in_place(final, destination, partial.fresh("old"))
    return record


def _pass_by(partial: Partial, tally: Tally, notes: IO[str], watch: Watch) -> Iterator[Document]:
    """The masked documents, counted and noted down on their way to the output."""
    for line in partial.parts.lines():
        document = line_to_document(line)
        tally.add(line["number"], document.id, line["spans"], line["replaced"], line["tally"])
        notes.write(notes_line(line))
        tally.annotations.update(line["annotations"])
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
        **job.executor.describe(),
        "seconds": round(time.time() - started, 3),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
