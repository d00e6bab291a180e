"""`deidlab mask -`: the notes of one patient from standard input, masked as they come."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from deidlab.cli.mask_failures import leave
from deidlab.cli.mask_request import MaskRequest, count_of
from deidlab.cli.mask_secrets import find_passphrase
from deidlab.cli.mask_stdout import DASH, print_documents
from deidlab.cli.mask_warnings import annotation_warnings, known_warnings, look_at_kept, tell_warnings
from deidlab.cli.output import print_json, tell
from deidlab.corpus.files import complete_file
from deidlab.corpus.format import Format
from deidlab.corpus.formats import find_format
from deidlab.errors import UsageError
from deidlab.pipeline.io.file_sink import format_of_output
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.keeping import SAMPLE
from deidlab.pipeline.run.map_entries import write_map
from deidlab.pipeline.run.spool import Spool
from deidlab.pipeline.streaming import Streamed, StreamOutcome, mask_stream
from deidlab.types import Document


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
    about_columns = look_at_kept(request, first)
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
