"""`deidlab mask SRC --out DST`."""

from __future__ import annotations

import typer

from deidlab.cli import mask_options as options
from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    Overwrite,
    PatientColumn,
    TextColumn,
    read_settings,
)
from deidlab.cli.output import AsJson, Quiet


def mask(
    source: options.Source,
    out: options.Out = options.NOWHERE,
    style: options.Style = "tag",
    redact_mark: options.RedactMark = None,
    policy: options.Policy = "i2b2",
    model: options.Model = "en",
    rules: options.Rules = "on",
    ensemble: options.Ensemble = "union",
    threshold: options.Threshold = None,
    calibration: options.Calibration = None,
    key_file: options.KeyFile = None,
    workers: options.Workers = 0,
    known: options.Known = None,
    keep_map: options.KeepMap = None,
    spans: options.Spans = None,
    allow: options.Allow = None,
    deny: options.Deny = None,
    patient_from: options.PatientFrom = None,
    day_first: options.DayFirst = False,
    dry_run: options.DryRun = False,
    ids: options.Ids = "pseudonyms",
    keep_column: options.KeepColumn = None,
    failures: options.Failures = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write notes that can be shared: the same format, with PHI masked.

    Ids, patients and file names become pseudonyms, and other columns are dropped. A note that fails is not
    written and is listed, and the exit status is 3. A run that was stopped goes on when the same command is
    given again with the same key file. Beside the output, NAME.deidlab/ has the record for `deidlab audit`.

    Example: deidlab mask notes/ --out masked --rules only --style surrogate --key-file site.key
    """
    from deidlab.cli.mask_run import Asked, run
    from deidlab.pipeline.settings import Finding, Source, Writing

    options.check_choice("--ids", ids, ("pseudonyms", "keep"))
    if out == options.NOWHERE and not dry_run:
        raise typer.BadParameter("say where to write with --out DST, or count with --dry-run")
    settings = read_settings(encoding, text_column, id_column, patient_column)
    place = Source(source, from_, settings, patient_from)
    finding = Finding(model, rules, known, allow, deny, threshold, ensemble)
    writing = Writing(ids == "keep", tuple(keep_column or ()))
    given = None if spans is None else Source(spans, None, settings)
    count = options.count_workers(workers)
    asked = Asked(
        place, out, finding, style, policy, day_first, key_file, writing, given,
        keep_map, failures, count, overwrite, as_json, quiet, calibration, redact_mark,
    )  # fmt: skip
    run(asked, dry_run)
