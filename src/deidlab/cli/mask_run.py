"""What `deidlab mask` does with its options: a batch here, or elsewhere; and what it says of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.cli.mask_failures import leave, write_failures
from deidlab.cli.mask_plan import run_plan
from deidlab.cli.mask_progress import KEPT, LOST, NO_KEY, ending_well, watching
from deidlab.cli.mask_request import MaskRequest, count_of, hold_recall
from deidlab.cli.mask_secrets import find_passphrase
from deidlab.cli.mask_stdout import DASH, writing_to
from deidlab.cli.mask_warnings import (
    drift_warnings,
    find_warnings,
    look_at_kept,
    open_validated,
    tell_warnings,
)
from deidlab.cli.output import print_json, tell
from deidlab.corpus.files import refuse_existing, refuse_overlap
from deidlab.corpus.formats import find_format
from deidlab.errors import UsageError
from deidlab.pipeline.io.kinds import Source
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.masking import MaskOutcome, mask_corpus
from deidlab.pipeline.run.record import record_folder
from deidlab.pipeline.run.sealing import Seal

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
        from deidlab.cli.mask_counts import count_notes

        count_notes(request)
    elif request.source.path == DASH:
        from deidlab.cli.mask_stdin import run_stdin

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
    about_columns = look_at_kept(request, source.notes())
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
