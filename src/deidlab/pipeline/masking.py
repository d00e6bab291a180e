"""The masking journey: a corpus in, the same corpus masked out.

    source -> find (workers) -> state -> settle patients -> source again -> mask (workers) -> parts -> output

Two passes, since numbered tags and collisions are settled once a patient over all its notes. Between them
the state holds offsets and keyed digests. A killed run goes on from there; each note is written once.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial as bind
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from deidlab.execute import Failed
from deidlab.execute.tasks import FarItems, pair
from deidlab.mask import Crosswalk, Masker, policy_to_table
from deidlab.pipeline.io.file_sink import put_in_place
from deidlab.pipeline.io.kinds import Sink, Source
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.io.opening import open_sink, open_source
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.run.coding import note_growth, own_crosswalk, settled_patients, with_codes
from deidlab.pipeline.run.comparing import compare_devices
from deidlab.pipeline.run.failing import NEW, Failures
from deidlab.pipeline.run.find import FindPhi
from deidlab.pipeline.run.given import attach, given_rows
from deidlab.pipeline.run.identity import describe_job, describe_settings
from deidlab.pipeline.run.map_entries import opened, write_map
from deidlab.pipeline.run.mask import MaskPhi
from deidlab.pipeline.run.one_pass import OnePass, Watch
from deidlab.pipeline.run.overwriting import check_places
from deidlab.pipeline.run.partial import Partial, open_partial
from deidlab.pipeline.run.parts import PartNote
from deidlab.pipeline.run.provenance import Outputs, begin_provenance, describe_provenance, list_outputs
from deidlab.pipeline.run.record import (
    NOTES,
    OUTPUTS,
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
from deidlab.pipeline.settings import SinkSettings

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class MaskOutcome:
    """What a run did; `record` is what was written beside the output."""

    destination: Path
    record: dict[str, Any] = field(repr=False)
    failures: tuple[Failure, ...] = ()


def no_watch(stage: str, n: int) -> None:
    """For those who do not look."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A job under way: what it reads and writes, and what is kept of it."""

    job: MaskJob
    source: Source
    spans: Source | None
    sink: Sink
    partial: Partial
    watch: Watch
    crosswalk: Crosswalk | None = None

    @property
    def failures(self) -> Failures:
        settings = replace(self.job.settings, crosswalk=self.crosswalk)
        return Failures(Masker(settings), self.partial.seal, self.job.writing.ids_kept)

    @property
    def attach(self) -> Callable[[Sequence[Note]], Sequence[Note]] | None:
        return None if self.spans is None else bind(attach, self.partial)


def mask_corpus(job: MaskJob, watch: Watch = no_watch) -> MaskOutcome:
    """Mask a corpus; raises for what is wrong with the run, and lists what is wrong with a note."""
    started = time.time()
    source = open_source(job.source)
    spans = None if job.spans is None else open_source(job.spans)
    target = SinkSettings(job.destination, job.writing, job.overwrite, job.sink, job.append, job.target)
    sink = open_sink(target, source)
    check_places(job, [each for each in (source, spans) if each is not None], sink.files)
    identity, seal = describe_job(job, sink.kind), Seal(job.settings.key)
    with open_partial(sink.path, identity, seal, job.repeatable, job.overwrite) as partial:
        source.check(job.writing.columns)
        sink.check(partial)
        source = source.pin(partial)
        spans = spans and spans.pin(partial, "spans")
        begin_provenance(partial)
        run = _Run(job, source, spans, sink, partial, watch, own_crosswalk(job.settings, partial))
        find_all(run)
        settle_patients(run)
        mask_all(run)
        record = _write(run, started)
        failures = tuple(partial.state.failures())
    return MaskOutcome(sink.path, record, failures)


def find_all(run: _Run) -> None:
    """First pass: every note's spans and facts into the state, task by task."""
    job, state, failing = run.job, run.partial.state, run.failures
    if run.spans is not None:
        state.put_given(given_rows(run.spans, run.partial.seal))
    work = FindPhi(pin_finding(job.finding) if run.spans is None else None, job.settings)
    passed = bind(run.watch, "finding")
    passing = OnePass(run.source, job.executor, passed, run.partial, "find", state.has_task, run.attach)
    for done in passing.run(work):
        rows = [result for result in done.results if isinstance(result, Row)]
        failures = [
            failing.of_finding(done.notes[place], result)
            for place, result in enumerate(done.results)
            if not isinstance(result, Row)
        ]
        state.put_task(done.number, rows, failures, bind(failing.of_twice, done.notes))
    state.keep()


def settle_patients(run: _Run) -> None:
    """Between the passes: what each patient's notes share."""
    partial = run.partial
    if partial.state.setting("settled") is None:
        partial.state.put_patients(settled_patients(partial, partial.seal, run.crosswalk))
        note_growth(run.crosswalk, partial)
        partial.state.put_setting("settled", "1")


def mask_all(run: _Run) -> None:
    """Second pass: every note that the first one understood, masked, into parts."""
    job, state, parts, failing = run.job, run.partial.state, run.partial.parts, run.failures
    n_known, seen = state.last_number(), Counter[str]()

    def passed(n: int) -> None:
        seen["notes"] += n
        run.watch("masking", n)

    def settled(notes: Sequence[Note], numbers: Sequence[int]) -> Sequence[tuple[Note, Settled | None]]:
        found = state.settled(numbers)
        if run.crosswalk is not None and numbers:
            found = with_codes(found, state.facts(numbers), numbers, run.crosswalk)
        return _with_settled(notes, found)

    work = MaskPhi(job.settings, job.writing, run.sink.rendering, job.map_file is not None)
    passing = OnePass(run.source, job.executor, passed, run.partial, "mask", parts.has, run.attach, settled)
    for done in passing.run(work):
        failed = [(n, r.reason) for n, r in enumerate(done.results) if isinstance(r, Failed)]
        failed += [(place, NEW) for place, number in enumerate(done.numbers) if number > n_known]
        state.put_failures([failing.of(done.notes[place], "mask", why) for place, why in failed])
        parts.put(done.number, [result for result in done.results if isinstance(result, PartNote)])
    state.put_failures([failing.of_gone(*each) for each in state.beyond(seen["notes"])])


def _with_settled(
    notes: Sequence[Note], found: list[Settled | None]
) -> Sequence[tuple[Note, Settled | None]]:
    """Each note with what was settled for it; one that has failed stays here, unless it is elsewhere."""
    if not isinstance(notes, FarItems):
        notes = [
            note if own else replace(note, document=None) for note, own in zip(notes, found, strict=True)
        ]
    return pair(notes, found)


def _write(run: _Run, started: float) -> dict[str, Any]:
    """The output and its record, made whole and then given their names."""
    job, partial, sink = run.job, run.partial, run.sink
    beside = partial.fresh("record")
    beside.mkdir(mode=0o700)
    tally = Tally()
    with open_private(beside / NOTES) as notes:
        written = sink.write(_pass_by(run, tally, notes), partial, partial.state.any_annotated())
    outputs = list_outputs(sink.written(partial) if tally.n_notes else None, job.writing.ids_kept)
    with open_private(beside / OUTPUTS) as manifest:
        manifest.write(outputs.manifest)
    record = {**_record(run, tally, started), **written, "provenance": _provenance(run, outputs)}
    if (compared := compare_devices(job, run.source, partial)) is not None:
        record["compared_with_here"] = compared
    with open_private(beside / RECORD) as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    if job.map_file is not None:
        write_map(job.map_file, job.passphrase, opened(partial.parts, partial.seal), job.overwrite)
    put_in_place(beside, record_folder(job.destination), partial.fresh("old-record"))
    if tally.n_notes:
        sink.put_in_place(partial)
    return record


def _pass_by(run: _Run, tally: Tally, notes: IO[str]) -> Iterator[Any]:
    """The masked notes as they are written, counted and noted down on their way to the output."""
    for line in run.partial.parts.lines():
        tally.add(line["number"], line["document"], line["spans"], line["replaced"], line["tally"])
        notes.write(notes_line(line))
        tally.annotations.update(line["annotations"])
        tally.removed.update(line["removed"])
        run.watch("writing", 1)
        yield run.sink.take(line)


def _provenance(run: _Run, outputs: Outputs) -> dict[str, Any]:
    sources = {"source": run.source.pinned(run.partial)}
    if run.spans is not None:
        sources["spans"] = run.spans.pinned(run.partial, "spans")
    return {**describe_provenance(run.job, run.partial, outputs), **sources}


def _record(run: _Run, tally: Tally, started: float) -> dict[str, Any]:
    job, state = run.job, run.partial.state
    failures = state.failures()
    return {
        "kind": "mask",
        "notes": tally.n_notes + len(failures),
        "masked": tally.n_notes,
        "failed": len(failures),
        "patients": state.counts()[1],
        "patients_known": state.any_patient(),
        **tally.to_json(),
        "failures": failure_rows(failures),
        "settings": describe_settings(job, run.sink.kind),
        "policy": policy_to_table(job.settings.policy),
        "versions": versions(),
        **job.executor.describe(),
        "seconds": round(time.time() - started, 3),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
