"""What `deidlab mask` does with its options: a batch, standard input, or a count; and what it says of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.cli.mask_counts import count_notes
from deidlab.cli.mask_failures import leave, write_failures
from deidlab.cli.mask_plan import run_plan
from deidlab.cli.mask_progress import KEPT, LOST, NO_KEY, ending_well, watching
from deidlab.cli.mask_request import MaskRequest, count_of, hold_recall
from deidlab.cli.mask_secrets import find_passphrase
from deidlab.cli.mask_stdout import DASH, print_documents, writing_to
from deidlab.cli.mask_warnings import (
    annotation_warnings,
    drift_warnings,
    find_warnings,
    known_warnings,
    open_validated,
    tell_warnings,
)
from deidlab.cli.output import print_json, tell
from deidlab.corpus.files import complete_file, refuse_existing, refuse_overlap
from deidlab.corpus.format import Format
from deidlab.corpus.formats import find_format
from deidlab.errors import UsageError
from deidlab.pipeline.io.file_sink import format_of_output
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.keeping import SAMPLE, look_at_columns
from deidlab.pipeline.masking import MaskOutcome, mask_corpus
from deidlab.pipeline.run.map_entries import write_map
from deidlab.pipeline.run.record import record_folder
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.spool import Spool
from deidlab.pipeline.streaming import Streamed, StreamOutcome, mask_stream
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.report.validation.protocol import Protocol

# Of the kinds of what was left out.
_SHOWN = 8


def run(request: MaskRequest) -> None:
    """The way that the options ask for."""
    source = open_source(request.source)
    source.check(request.options.writing.columns)
    validated = open_validated(request.options.validated, DASH not in (request.source.path, request.out))
    request = hold_recall(request)
    if request.options.planning.plan:
        run_plan(request)
    elif request.options.dry_run:
        count_notes(request)
    elif request.source.path == DASH:
        run_stdin(request, source)
    else:
        run_batch(request, source, validated)


def run_batch(request: MaskRequest, source: Source, validated: Protocol | None = None) -> None:
    """Files and folders."""
    _refuse_with_columns(request)
    linked = bool(request.source.reading.link_columns)
    in_containers = source.format is not None and source.format.in_containers
    shown = linked or not request.options.writing.ids_kept
    settings, repeatable = request.settings_to_write(shown, in_containers)
    map_file, overwrite = request.options.keep_map, request.options.overwriting.overwrite
    for path in (map_file, request.options.failures):
        if path is not None:
            refuse_existing(path, overwrite)
    _refuse_same(request, source.files)
    about_columns = _look_at_kept(request, islice(source.notes(), SAMPLE))
    passphrase = "" if map_file is None else find_passphrase(confirm=True)
    with (
        request.options.engine.running() as execute,
        ending_well(request.sink or request.out, _rest(request, repeatable)),
        writing_to(request.out, source.format or find_format("jsonl")) as destination,
        watching(source, request.silent) as watch,
    ):
        job = request.job(settings, destination, execute)
        job = replace(job, repeatable=repeatable, map_file=map_file, passphrase=passphrase)
        outcome = mask_corpus(job, watch)
    write_failures(request.options.failures, outcome, Seal(settings.key))
    warnings = find_warnings(outcome.record, request.finding.known)
    if outcome.record["masked"]:
        warnings += drift_warnings(validated, request.sink or request.out)
    if request.options.answer.as_json:
        print_json({**outcome.record, "warnings": [*about_columns, *warnings]})
    tell_warnings(warnings)
    _tell_outcome(request, outcome)
    leave([(each.number, each.document, each.reason) for each in outcome.failures])


def _look_at_kept(request: MaskRequest, notes: Iterable[Note]) -> list[str]:
    """Warn, before anything is written, of columns to keep that look like what is masked."""
    if not request.options.writing.columns:
        return []
    warnings = look_at_columns(request.options.writing.columns, notes)
    tell_warnings(warnings)
    return warnings


def _refuse_with_columns(request: MaskRequest) -> None:
    """What goes by the one text of a note, where several columns are masked."""
    if request.source.reading.field_columns:
        if request.options.keep_map is not None:
            raise UsageError("--keep-map holds the way back of one text a note; several columns are masked")
        if request.options.spans is not None:
            raise UsageError("--spans marks one text a note; several columns are to be masked")


def _refuse_same(request: MaskRequest, files: Path | None) -> None:
    """Raise where one file would be written twice, or over what is read."""
    secrets = (request.options.masking.key.key_file, request.options.masking.key.crosswalk)
    inputs = (
        files,
        *secrets,
        None if request.spans is None else request.spans.path,
    )
    refuse_overlap((request.options.failures, request.options.keep_map), inputs, inside=True)
    out = request.out if request.sink is None and request.out != DASH else None
    refuse_overlap((request.options.keep_map, out), secrets)
    refuse_overlap((out, request.options.failures), (request.options.keep_map,))
    refuse_overlap((out,), (request.options.failures,))


def _rest(request: MaskRequest, repeatable: bool) -> str:
    """What becomes of a run that is stopped half way."""
    if request.out == DASH:
        return LOST
    return KEPT if repeatable else NO_KEY


def _tell_outcome(request: MaskRequest, outcome: MaskOutcome) -> None:
    record, quiet = outcome.record, request.silent
    replaced = sum(row["n"] for row in record["replaced"])
    left = sum(row["n"] for row in record["left_by_policy"])
    kept = f", {left} left as the policy says" if left else ""
    if dropped := record["annotations"]["dropped"]:
        kept += f"; {count_of(dropped, 'annotation')} on text that was not replaced left out"
    if record["masked"]:
        to = "standard output" if request.out == DASH else request.sink or outcome.destination
        done = f"masked {count_of(record['masked'], 'note')}: {count_of(replaced, 'replacement')}{kept}"
        tell(f"{done}; written to {to}", quiet)
    if record["removed"]:
        tell(_removed(record["removed"]), quiet)
    if record.get("there_before"):
        tell(
            f"{count_of(record['there_before'], 'row')} of these ids were there before and stay as they are",
            quiet,
        )
    if request.out != DASH:
        tell(f"record of the run in {record_folder(request.out)} (keep it to yourself)", quiet)


def _removed(counts: dict[str, int]) -> str:
    """What was left out of records and letters, the most frequent kinds of it by name."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    shown = ", ".join(f"{n} {what}" for what, n in ordered[:_SHOWN])
    more = f", and {count_of(len(ordered) - _SHOWN, 'other kind')}" if len(ordered) > _SHOWN else ""
    return f"left out: {shown}{more} (all of them in the record)"


def run_stdin(request: MaskRequest, source: Source) -> None:
    """Standard input: one patient."""
    if request.options.engine.engine != "local":
        raise UsageError("standard input is masked here: name a file or a folder for --engine ray")
    if request.spans is not None:
        raise UsageError("--spans needs a corpus on disk: name a file instead of -")
    if request.options.failures is not None:
        raise UsageError("--failures lists files; notes of standard input are told by their number")
    format = _format_of_stream(request)
    # Where a file is one note, its id stands in the file's name, and a stream has none.
    shown = format.one is not None and not request.options.writing.ids_kept
    settings, _ = request.settings_to_write(shown, format.in_containers)
    passphrase = "" if request.options.keep_map is None else find_passphrase(confirm=True)
    outcome = StreamOutcome()
    notes = source.notes()
    first = list(islice(notes, SAMPLE)) if request.options.writing.columns else []
    about_columns = _look_at_kept(request, first)
    masked = mask_stream(chain(first, notes), request.finding, settings, request.options.writing, outcome)
    with contextlib.closing(Spool()) as ways_back:
        documents = _keep_ways_back(masked, ways_back if request.options.keep_map else None)
        if request.out == DASH:
            print_documents(documents, format, sys.stdout.buffer)
        else:
            _write_stream(documents, request, format)
        if request.options.keep_map is not None:
            entries = (entry.encode() for entry in ways_back)
            write_map(request.options.keep_map, passphrase, entries, request.options.overwriting.overwrite)
    replaced = sum(outcome.tally.replaced.values())
    found = outcome.tally.to_json()
    found_by = [source for _, source in (*outcome.tally.replaced, *outcome.tally.left)]
    warnings = [
        *known_warnings(request.finding.known, found_by, outcome.tally.n_notes),
        *annotation_warnings(found["annotations"]),
    ]
    if request.options.answer.as_json and request.out != DASH:
        print_json({"masked": outcome.tally.n_notes, **found, "warnings": [*about_columns, *warnings]})
    tell_warnings(warnings)
    tell(
        f"masked {count_of(outcome.tally.n_notes, 'note')}: {count_of(replaced, 'replacement')}",
        request.silent,
    )
    leave([(number, "", reason) for number, reason in outcome.failed])


def _format_of_stream(request: MaskRequest) -> Format:
    """What the new file's name says, else that of the notes that come in."""
    own = find_format(request.source.format or "txt")
    return own if request.out == DASH else format_of_output(request.out, own, is_note=own.is_note_a_file)


def _keep_ways_back(notes: Iterable[Streamed], ways_back: Spool | None) -> Iterator[Document]:
    for note in notes:
        if ways_back is not None:
            ways_back.put(note.way_back.decode())
        yield note.document


def _write_stream(documents: Iterator[Document], request: MaskRequest, format: Format) -> None:
    """Into a file, which is there only if a note could be masked."""
    first = next(documents, None)
    if first is not None:
        with (
            complete_file(request.out, request.options.overwriting.overwrite) as path,
            path.open("wb") as stream,
        ):
            print_documents(chain((first,), documents), format, stream)
