"""What `deidlab mask` does with its options: a batch, standard input, or a count; and what it says of it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from deidlab.cli.corpus.options import PARTLY_DONE
from deidlab.cli.engine import Engine
from deidlab.cli.mask_options import DASH
from deidlab.cli.mask_plan import Wanted, run_plan
from deidlab.cli.mask_progress import ending_well, watching
from deidlab.cli.mask_secrets import find_key, find_passphrase
from deidlab.cli.mask_stdout import print_documents, writing_to
from deidlab.cli.mask_warnings import tell_warnings
from deidlab.cli.output import print_json, tell
from deidlab.corpus.files import complete_file, refuse_existing
from deidlab.corpus.formats import Format, find_format, recognise_format
from deidlab.detect.embedded import DAY_FIRST, language_of
from deidlab.errors import ConfigError
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.counting import DryCounts, count_corpus
from deidlab.pipeline.masking import MaskJob, MaskOutcome, mask_corpus
from deidlab.pipeline.record import open_private, record_folder
from deidlab.pipeline.sealing import Seal
from deidlab.pipeline.settings import Finding, Source, Writing
from deidlab.pipeline.source import read_notes
from deidlab.pipeline.spool import Spool
from deidlab.pipeline.streaming import Streamed, StreamOutcome, mask_stream
from deidlab.pipeline.ways_back import write_map
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace
    from deidlab.mask.policy import Style

DEFAULT_THRESHOLD = 0.5
_STEPS = (0.4, 0.3, 0.2, 0.1)


@dataclass(frozen=True, slots=True)
class Asked:
    """The command's options, checked one by one."""

    source: Source
    out: Path
    finding: Finding
    style: str
    policy: str
    day_first: bool
    key_file: Path | None
    writing: Writing
    spans: Source | None
    map_file: Path | None
    failures: Path | None
    workers: int
    overwrite: bool
    as_json: bool
    quiet: bool
    calibration: Path | None = None
    redact_mark: str | None = None
    sink: TablePlace | None = None
    append: bool = False
    engine: Engine = field(default_factory=Engine)

    @property
    def silent(self) -> bool:
        return self.quiet or self.as_json

    @property
    def files(self) -> Path | None:
        """What can be looked at to know how many notes there are."""
        return self.source.path if self.source.table is None else None

    def settings(self) -> tuple[MaskSettings, bool]:
        """How to mask, and whether that can be repeated."""
        policy = load_policy(self.policy)
        key, repeatable = find_key(self.key_file, self.silent)
        style = cast("Style", self.style)
        language = language_of(None if self.finding.rules == "only" else self.finding.model)
        settings = MaskSettings(
            policy, style, key, self.redact_mark, self.day_first or language in DAY_FIRST, language
        )
        return settings, repeatable


def hold_recall(asked: Asked) -> Asked:
    """The same with the threshold that holds the recall which the policy wants, where it wants one."""
    policy = load_policy(asked.policy)
    # Spans that people gave are masked as they are: nothing is found, so nothing can be missed.
    if not policy.wanted_recalls or asked.spans is not None:
        return asked
    if asked.finding.threshold is not None:
        raise ConfigError(f"policy {policy.name} wants a recall, which decides the threshold: no --threshold")
    from deidlab.pipeline.calibrating import promise_recall

    promise = promise_recall(policy, asked.finding, asked.calibration)
    recalls = "; ".join(f"{recall:g} of {labels}" for labels, recall in promise.recalls.items())
    tell(
        f"threshold {promise.threshold:.4g}: holds the wanted recall ({recalls}) for notes like the "
        f"calibration's, {promise.confidence:.0%} sure ({_n(promise.n_units, promise.unit)})",
        asked.silent,
    )
    return replace(asked, finding=replace(asked.finding, threshold=promise.threshold))


def run(asked: Asked, dry: bool, plan: Wanted | None) -> None:
    """The way that the options ask for."""
    asked = hold_recall(asked)
    if plan is not None:
        run_plan(asked, plan)
    elif dry:
        count_notes(asked)
    elif asked.source.path == DASH:
        run_stdin(asked)
    else:
        run_batch(asked)


def run_batch(asked: Asked) -> None:
    """Files and folders."""
    settings, repeatable = asked.settings()
    format = (
        "jsonl" if asked.source.table else asked.source.format or recognise_format(asked.source.path).name
    )
    for path in (asked.map_file, asked.failures):
        if path is not None:
            refuse_existing(path, asked.overwrite)
    passphrase = "" if asked.map_file is None else find_passphrase(confirm=True)
    with (
        asked.engine.running() as execute,
        ending_well(),
        writing_to(asked.out, format) as destination,
        watching(asked.files, asked.source.format, asked.silent) as watch,
    ):
        job = MaskJob(
            asked.source, destination, asked.finding, settings, asked.writing, asked.spans, repeatable,
            asked.workers, asked.overwrite, asked.map_file, passphrase, asked.sink, asked.append, execute,
        )  # fmt: skip
        outcome = mask_corpus(job, watch)
    _write_failures(asked, outcome, Seal(settings.key))
    if asked.as_json:
        print_json(outcome.record)
    _tell_outcome(asked, outcome)
    _leave(asked, [(each.number, each.document, each.reason) for each in outcome.failures])


def _tell_outcome(asked: Asked, outcome: MaskOutcome) -> None:
    record, quiet = outcome.record, asked.silent
    tell_warnings(record, asked.finding.known is not None, quiet)
    replaced = sum(row["n"] for row in record["replaced"])
    left = sum(row["n"] for row in record["left_by_policy"])
    kept = f", {left} left as the policy says" if left else ""
    if record["masked"]:
        to = "standard output" if asked.out == DASH else asked.sink or outcome.destination
        tell(
            f"masked {_n(record['masked'], 'note')}: {_n(replaced, 'replacement')}{kept}; written to {to}",
            quiet,
        )
    if record.get("there_before"):
        tell(
            f"{_n(record['there_before'], 'row')} of these ids were there before and stay as they are", quiet
        )
    if asked.out != DASH:
        tell(f"record of the run in {record_folder(asked.out)} (keep it to yourself)", quiet)


def _n(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _write_failures(asked: Asked, outcome: MaskOutcome, seal: Seal) -> None:
    if asked.failures is None:
        return
    with open_private(asked.failures) as file:
        for each in outcome.failures:
            name, place = json.loads(seal.open(each.sealed))
            row = {
                "number": each.number,
                "id": name,
                "file": place,
                "stage": each.stage,
                "reason": each.reason,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _leave(asked: Asked, failed: Sequence[tuple[int, str, str]]) -> None:
    """A note that failed ends the command with 3, whatever else went well."""
    for number, name, reason in failed[:20]:
        tell(f"failed: note {number}{f' ({name})' if name else ''}: {reason}")
    if len(failed) > 20:
        tell(f"failed: {len(failed) - 20} more, listed in the record")
    if failed:
        tell(f"{_n(len(failed), 'note')} failed: nothing of that was written")
        raise typer.Exit(PARTLY_DONE)


def run_stdin(asked: Asked) -> None:
    """Standard input: one patient."""
    if asked.engine.name != "local":
        raise ConfigError("standard input is masked here: name a file or a folder for --engine ray")
    if asked.spans is not None:
        raise ConfigError("--spans needs a corpus on disk: name a file instead of -")
    if asked.failures is not None:
        raise ConfigError("--failures lists files; notes of standard input are told by their number")
    settings, _ = asked.settings()
    format = find_format(asked.source.format or "txt")
    passphrase = "" if asked.map_file is None else find_passphrase(confirm=True)
    outcome = StreamOutcome()
    notes = mask_stream(read_notes(asked.source), asked.finding, settings, asked.writing, outcome)
    with contextlib.closing(Spool()) as ways_back:
        documents = _keep_ways_back(notes, ways_back if asked.map_file else None)
        if asked.out == DASH:
            print_documents(documents, format, sys.stdout.buffer)
        else:
            _write_stream(documents, asked, format)
        if asked.map_file is not None:
            entries = (entry.encode() for entry in ways_back)
            write_map(asked.map_file, passphrase, entries, asked.overwrite)
    replaced = sum(outcome.tally.replaced.values())
    if asked.as_json and asked.out != DASH:
        print_json({"masked": outcome.tally.n_notes, **outcome.tally.to_json()})
    tell(f"masked {_n(outcome.tally.n_notes, 'note')}: {_n(replaced, 'replacement')}", asked.silent)
    _leave(asked, [(number, "", reason) for number, reason in outcome.failed])


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


def count_notes(asked: Asked) -> None:
    """`--dry-run`: what would be masked, and what a stricter threshold would add."""
    settings, _ = asked.settings()
    with (
        asked.engine.running() as execute,
        watching(asked.files, asked.source.format, asked.silent) as watch,
    ):
        source = asked.source if asked.spans is None else asked.spans
        counts = count_corpus(source, asked.finding, settings, execute, asked.spans is not None, watch)
    now = DEFAULT_THRESHOLD if asked.finding.threshold is None else asked.finding.threshold
    if asked.as_json:
        print_json(_counts_to_json(counts, now))
    else:
        from deidlab.report.audit_tables import dry_table
        from deidlab.report.tables import print_table

        print_table(dry_table(_counts_to_json(counts, now)))
    _leave(asked, [(number, "", reason) for number, reason in counts.failed])


def _counts_to_json(counts: DryCounts, now: float) -> dict[str, Any]:
    steps = [step for step in _STEPS if step < now]
    labels = sorted({*counts.found, *counts.weak})
    return {
        "notes": counts.n_notes,
        "threshold": now,
        "sources": dict(sorted(counts.sources.items())),
        "types": [
            {
                "label": label,
                "found": counts.found[label],
                "masked": counts.masked[label],
                "would_add": {f"{step:.1f}": counts.would_add(label, step, now) for step in steps},
                "set_aside": counts.set_aside(label, now),
            }
            for label in labels
        ],
    }
