"""`deidlab mask SRC --out DST`."""

from __future__ import annotations

from pathlib import Path

import typer

from deidlab.cli import engine as engines
from deidlab.cli import language_options as tongues
from deidlab.cli import mask_options as options
from deidlab.cli import mask_places as places
from deidlab.cli import mask_plan as plans
from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    Overwrite,
    PatientColumn,
    TextColumn,
    read_settings,
)
from deidlab.cli.engine import Engine
from deidlab.cli.output import AsJson, Quiet
from deidlab.languages import DEFAULT


def mask(
    source: places.Source,
    out: places.Out = "",
    style: options.Style = "tag",
    redact_mark: options.RedactMark = None,
    policy: options.Policy = "i2b2",
    model: options.Model = DEFAULT,
    rules: options.Rules = "on",
    language: tongues.Language = None,
    without_rule: tongues.WithoutRule = None,
    ensemble: options.Ensemble = "union",
    threshold: options.Threshold = None,
    calibration: options.Calibration = None,
    key_file: options.KeyFile = None,
    workers: options.Workers = 0,
    engine: engines.Name = "local",
    address: engines.Address = None,
    least_workers: engines.LeastWorkers = 1,
    cpus_per_worker: engines.CpusPerWorker = 1.0,
    gpus_per_worker: engines.GpusPerWorker = 0.0,
    tries: engines.Tries = 3,
    known: options.Known = None,
    keep_map: options.KeepMap = None,
    spans: options.Spans = None,
    allow: options.Allow = None,
    deny: options.Deny = None,
    patient_from: options.PatientFrom = None,
    day_first: options.DayFirst = False,
    dry_run: options.DryRun = False,
    plan: plans.Plan = False,
    sample: plans.Sample = 1000,
    notes: plans.Notes = None,
    nodes: plans.Nodes = None,
    cores: plans.Cores = None,
    gpus: plans.Gpus = 0,
    gpu_speed: plans.GpuSpeed = None,
    price_per_hour: plans.Price = None,
    ids: options.Ids = "pseudonyms",
    keep_column: options.KeepColumn = None,
    keep_annotations: options.KeepAnnotations = False,
    failures: options.Failures = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    table: places.Table = None,
    query: places.Query = None,
    key_column: places.KeyColumn = None,
    out_table: places.OutTable = None,
    append: places.Append = False,
    run_folder: places.RunFolder = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write notes that can be shared: the same format, with PHI masked.

    Ids, patients and file names become pseudonyms, and other columns are dropped. A note that fails is not
    written and is listed, and the exit status is 3. A run that was stopped goes on when the same command is
    given again with the same key file. Beside the output, NAME.deidlab/ has the record for `deidlab audit`.
    From a database, rows are read in the order of their key, and written in one transaction a chunk.

    Example: deidlab mask notes/ --out masked --rules only --style surrogate --key-file site.key
    """
    from deidlab.cli.mask_asked import Asked
    from deidlab.cli.mask_run import run
    from deidlab.pipeline.settings import Finding, SourceSettings, Writing

    options.check_choice("--ids", ids, ("pseudonyms", "keep"))
    options.check_choice("--style", style, ("redact", "tag", "surrogate"))
    options.check_finding(rules, ensemble)
    if not out and not dry_run and not plan:
        raise typer.BadParameter("say where to write with --out DST, or count with --dry-run")
    wanted = plans.Wanted(sample, notes, nodes, cores, gpus, gpu_speed, price_per_hour)
    if wanted != plans.Wanted() and not plan:
        raise typer.BadParameter("--sample, --notes, --nodes and what describes them are for --plan")
    settings = read_settings(encoding, text_column, id_column, patient_column)
    rows = places.find_source(source, table, query, key_column)
    sink = places.find_target(out, out_table, append)
    place = SourceSettings(
        Path(source) if rows is None else rows.stand_in, from_, settings, patient_from, rows
    )
    destination = Path(out) if sink is None else places.run_path(sink, run_folder)
    work = Engine(engine, workers, address, least_workers, cpus_per_worker, gpus_per_worker, tries)
    finding = Finding(
        model, rules, known, allow, deny, threshold, ensemble, device=work.device,
        language=tongues.check_language(language), without_rules=tuple(without_rule or ()),
    )  # fmt: skip
    tongues.check_rules(without_rule, finding.find_language())
    writing = Writing(ids == "keep", tuple(keep_column or ()), keep_annotations)
    given = None if spans is None else SourceSettings(spans, None, settings)
    count = options.count_workers(workers)
    asked = Asked(
        place, destination, finding, style, policy, day_first, key_file, writing, given,
        keep_map, failures, count, overwrite, as_json, quiet, calibration, redact_mark, sink, append, work,
    )  # fmt: skip
    run(asked, dry_run, wanted if plan else None)
