"""`deidlab detect SRC --out DST`."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli import engine as engines
from deidlab.cli import language_options as tongues
from deidlab.cli import mask_options as options
from deidlab.cli.corpus.options import (
    PARTLY_DONE,
    Encoding,
    From,
    IdColumn,
    Overwrite,
    PatientColumn,
    TextColumn,
    read_settings,
)
from deidlab.cli.engine import Engine
from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.languages import DEFAULT

if TYPE_CHECKING:
    from deidlab.pipeline.detecting import DetectOutcome


def detect(
    source: options.Source = options.NOWHERE,
    out: options.Out = options.NOWHERE,
    to: options.To = None,
    model: options.Model = DEFAULT,
    rules: options.Rules = "on",
    language: tongues.Language = None,
    without_rule: tongues.WithoutRule = None,
    list_rules: tongues.ListRules = False,
    ensemble: options.Ensemble = "union",
    threshold: options.Threshold = None,
    labels: options.Labels = "i2b2-2014",
    known: options.Known = None,
    allow: options.Allow = None,
    deny: options.Deny = None,
    word_scores: options.WordScores = None,
    calibration: options.NewCalibration = None,
    patient_from: options.PatientFrom = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    workers: options.Workers = 0,
    engine: engines.Name = "local",
    address: engines.Address = None,
    least_workers: engines.LeastWorkers = 1,
    cpus_per_worker: engines.CpusPerWorker = 1.0,
    gpus_per_worker: engines.GpusPerWorker = 0.0,
    tries: engines.Tries = 3,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find PHI and write the notes with it marked; text, ids and fields stay as they are.

    A note that fails is left out and listed by its place in the source, and the exit status is 3. A run that
    was stopped goes on when the same command is given again.

    Example: deidlab detect notes/ --out found.jsonl --rules only
    """
    from deidlab.cli.mask_progress import KEPT, LOST, ending_well, watching
    from deidlab.cli.mask_stdout import print_notes
    from deidlab.cli.mask_warnings import known_warnings, tell_warnings
    from deidlab.labels import load_label_set
    from deidlab.pipeline.detecting import DetectJob, choose_format, detect_corpus, write_files
    from deidlab.pipeline.io.opening import open_source
    from deidlab.pipeline.settings import Finding, SourceSettings

    options.check_finding(rules, ensemble)
    if labels != "own":
        load_label_set(labels)
    settings = read_settings(encoding, text_column, id_column, patient_column)
    place = SourceSettings(source, from_, settings, patient_from)
    work = Engine(engine, workers, address, least_workers, cpus_per_worker, gpus_per_worker, tries)
    finding = Finding(
        model, rules, known, allow, deny, threshold, ensemble, labels, work.device,
        language=tongues.check_language(language), without_rules=tuple(without_rule or ()),
    )  # fmt: skip
    tongues.check_rules(without_rule, finding.find_language())
    if list_rules:
        tongues.print_rules(finding.find_language(), as_json)
        return
    _check_places(source, out)
    opened = open_source(place)
    opened.check()
    format = choose_format(place, out, to)
    count = options.count_workers(workers)
    job = DetectJob(place, out, finding, format, word_scores, count, overwrite, calibration)
    # Marked notes are notes: on their way to standard output they touch no file.
    write = partial(print_notes, stream=sys.stdout.buffer) if out == options.DASH else write_files(job)
    rest = LOST if options.DASH in (source, out) else KEPT
    with (
        work.running() as execute,
        ending_well(out, rest),
        watching(opened, quiet or as_json) as watch,
    ):
        outcome = detect_corpus(replace(job, execute=execute), write, watch)
    tell_warnings(known_warnings(known, (source for _, source in outcome.found), outcome.n_notes))
    _tell(outcome, out, format, as_json, quiet)


def _check_places(source: Path, out: Path) -> None:
    if source == options.NOWHERE:
        raise typer.BadParameter("say which notes to search: deidlab detect SRC --out DST")
    if out == options.NOWHERE:
        raise typer.BadParameter("say where to write with --out DST")


def _tell(outcome: DetectOutcome, out: Path, format: str, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(_answer(outcome))
    else:
        spans = sum(outcome.found.values())
        tell(f"found {spans} spans in {outcome.n_notes} notes, written to {out}", quiet)
        for what, n in sorted((+outcome.losses).items()):
            tell(f"not held by {format}: {what} ({n})", quiet)
    for number, reason in sorted(outcome.failed):
        tell(f"left out: note {number}: {reason}")
    if outcome.failed:
        raise typer.Exit(PARTLY_DONE)


def _answer(outcome: DetectOutcome) -> dict[str, object]:
    return {
        "notes": outcome.n_notes,
        "found": [{"label": a, "source": b, "n": n} for (a, b), n in sorted(outcome.found.items())],
        "losses": dict(outcome.losses),
        "failures": [{"number": number, "reason": reason} for number, reason in sorted(outcome.failed)],
    }
