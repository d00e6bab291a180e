"""What `deidlab mask` does with its options: a batch, standard input, or a count; and what it says of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from deidlab.cli.mask_asked import Asked, count_of, hold_recall
from deidlab.cli.mask_counts import count_notes
from deidlab.cli.mask_failures import leave, write_failures
from deidlab.cli.mask_options import DASH
from deidlab.cli.mask_plan import Wanted, run_plan
from deidlab.cli.mask_progress import KEPT, LOST, NO_KEY, ending_well, watching
from deidlab.cli.mask_secrets import find_passphrase
from deidlab.cli.mask_stdout import print_documents, writing_to
from deidlab.cli.mask_warnings import annotation_warnings, find_warnings, known_warnings, tell_warnings
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
from deidlab.pipeline.masking import MaskJob, MaskOutcome, mask_corpus
from deidlab.pipeline.run.map_entries import write_map
from deidlab.pipeline.run.record import record_folder
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.spool import Spool
from deidlab.pipeline.streaming import Streamed, StreamOutcome, mask_stream
from deidlab.types import Document


def run(asked: Asked, dry: bool, plan: Wanted | None) -> None:
    """The way that the options ask for."""
    source = open_source(asked.source)
    source.check(asked.writing.columns)
    asked = hold_recall(asked)
    if plan is not None:
        run_plan(asked, plan)
    elif dry:
        count_notes(asked)
    elif asked.source.path == DASH:
        run_stdin(asked, source)
    else:
        run_batch(asked, source)


def run_batch(asked: Asked, source: Source) -> None:
    """Files and folders."""
    settings, repeatable = asked.settings()
    for path in (asked.map_file, asked.failures):
        if path is not None:
            refuse_existing(path, asked.overwrite)
    _refuse_same(asked, source.files)
    about_columns = _look_at_kept(asked, islice(source.notes(), SAMPLE))
    passphrase = "" if asked.map_file is None else find_passphrase(confirm=True)
    with (
        asked.engine.running() as execute,
        ending_well(asked.sink or asked.out, _rest(asked, repeatable)),
        writing_to(asked.out, source.format or find_format("jsonl")) as destination,
        watching(source, asked.silent) as watch,
    ):
        job = MaskJob(
            asked.source, destination, asked.finding, settings, asked.writing, asked.spans, repeatable,
            asked.workers, asked.overwrite, asked.map_file, passphrase, asked.sink, asked.append, execute,
        )  # fmt: skip
        outcome = mask_corpus(job, watch)
    write_failures(asked, outcome, Seal(settings.key))
    warnings = find_warnings(outcome.record, asked.finding.known)
    if asked.as_json:
        print_json({**outcome.record, "warnings": [*about_columns, *warnings]})
    tell_warnings(warnings)
    _tell_outcome(asked, outcome)
    leave([(each.number, each.document, each.reason) for each in outcome.failures])


def _look_at_kept(asked: Asked, notes: Iterable[Note]) -> list[str]:
    """Warn, before anything is written, of columns to keep that look like what is masked."""
    if not asked.writing.columns:
        return []
    warnings = look_at_columns(asked.writing.columns, notes)
    tell_warnings(warnings)
    return warnings


def _refuse_same(asked: Asked, files: Path | None) -> None:
    """Raise where one file would be written twice, or over what is read."""
    inputs = (files, asked.key_file, None if asked.spans is None else asked.spans.path)
    refuse_overlap((asked.failures, asked.map_file), inputs, inside=True)
    out = asked.out if asked.sink is None and asked.out != DASH else None
    refuse_overlap((asked.map_file, out), (asked.key_file,))
    refuse_overlap((out, asked.failures), (asked.map_file,))
    refuse_overlap((out,), (asked.failures,))


def _rest(asked: Asked, repeatable: bool) -> str:
    """What becomes of a run that is stopped half way."""
    if asked.out == DASH:
        return LOST
    return KEPT if repeatable else NO_KEY


def _tell_outcome(asked: Asked, outcome: MaskOutcome) -> None:
    record, quiet = outcome.record, asked.silent
    replaced = sum(row["n"] for row in record["replaced"])
    left = sum(row["n"] for row in record["left_by_policy"])
    kept = f", {left} left as the policy says" if left else ""
    if dropped := record["annotations"]["dropped"]:
        kept += f"; {count_of(dropped, 'annotation')} on text that was not replaced left out"
    if record["masked"]:
        to = "standard output" if asked.out == DASH else asked.sink or outcome.destination
        done = f"masked {count_of(record['masked'], 'note')}: {count_of(replaced, 'replacement')}{kept}"
        tell(f"{done}; written to {to}", quiet)
    if record.get("there_before"):
        tell(
            f"{count_of(record['there_before'], 'row')} of these ids were there before and stay as they are",
            quiet,
        )
    if asked.out != DASH:
        tell(f"record of the run in {record_folder(asked.out)} (keep it to yourself)", quiet)


def run_stdin(asked: Asked, source: Source) -> None:
    """Standard input: one patient."""
    if asked.engine.name != "local":
        raise UsageError("standard input is masked here: name a file or a folder for --engine ray")
    if asked.spans is not None:
        raise UsageError("--spans needs a corpus on disk: name a file instead of -")
    if asked.failures is not None:
        raise UsageError("--failures lists files; notes of standard input are told by their number")
    settings, _ = asked.settings()
    format = _format_of_stream(asked)
    passphrase = "" if asked.map_file is None else find_passphrase(confirm=True)
    outcome = StreamOutcome()
    notes = source.notes()
    first = list(islice(notes, SAMPLE)) if asked.writing.columns else []
    about_columns = _look_at_kept(asked, first)
    masked = mask_stream(chain(first, notes), asked.finding, settings, asked.writing, outcome)
    with contextlib.closing(Spool()) as ways_back:
        documents = _keep_ways_back(masked, ways_back if asked.map_file else None)
        if asked.out == DASH:
            print_documents(documents, format, sys.stdout.buffer)
        else:
            _write_stream(documents, asked, format)
        if asked.map_file is not None:
            entries = (entry.encode() for entry in ways_back)
            write_map(asked.map_file, passphrase, entries, asked.overwrite)
    replaced = sum(outcome.tally.replaced.values())
    found = outcome.tally.to_json()
    found_by = [source for _, source in (*outcome.tally.replaced, *outcome.tally.left)]
    warnings = [
        *known_warnings(asked.finding.known, found_by, outcome.tally.n_notes),
        *annotation_warnings(found["annotations"]),
    ]
    if asked.as_json and asked.out != DASH:
        print_json({"masked": outcome.tally.n_notes, **found, "warnings": [*about_columns, *warnings]})
    tell_warnings(warnings)
    tell(
        f"masked {count_of(outcome.tally.n_notes, 'note')}: {count_of(replaced, 'replacement')}", asked.silent
    )
    leave([(number, "", reason) for number, reason in outcome.failed])


def _format_of_stream(asked: Asked) -> Format:
    """What the new file's name says, else that of the notes that come in."""
    own = find_format(asked.source.format or "txt")
    return own if asked.out == DASH else format_of_output(asked.out, own, is_note=own.is_note_a_file)


def _keep_ways_back(notes: Iterable[Streamed], ways_back: Spool | None) -> Iterator[Document]:
    for note in notes:
        if ways_back is not None:
            ways_back.put(note.way_back.decode())
        yield note.document


def _write_stream(documents: Iterator[Document], asked: Asked, format: Format) -> None:
    """Into a file, which is there only if a note could be masked."""
    first = next(documents, None)
    if first is not None:
        with complete_file(asked.out, asked.overwrite) as path, path.open("wb") as stream:
            print_documents(chain((first,), documents), format, stream)
