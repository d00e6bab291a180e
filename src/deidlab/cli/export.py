"""`deidlab export RUN --out FOLDER`: a run as a folder that finds PHI without torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli import export_options as options
from deidlab.cli.output import AsJson, Quiet, print_json, tell, with_progress
from deidlab.errors import UsageError

if TYPE_CHECKING:
    from deidlab.types import Document


def export(
    run: options.Run,
    out: options.Out,
    format: options.Format = "openvino",
    int8: options.Int8 = False,
    bf16: options.Bf16 = False,
    corpus: options.Corpus = None,
    calibration: options.Calibration = None,
    from_: options.From = "",
    map: options.Map = "",
    limit: options.Limit = 0,
    force_int8: options.ForceInt8 = False,
    overwrite: options.Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a run as one folder that finds PHI without torch, and measure what that changed.

    The run, the export in fp32 and the one asked for are compared on notes with gold. Where int8 (or bf16)
    falls more than 0.2 points of strict F1 below the run, the command says so and keeps fp32.
    docs/export.md has more.
    """
    if int8 and bf16:
        raise UsageError("--int8 and --bf16 exclude each other")
    precision = "int8" if int8 or force_int8 else "bf16" if bf16 else "fp32"
    hush = quiet or as_json
    from deidlab.train.start import need_torch

    need_torch("exporting a model")
    from deidlab.train.corpora import read_notes
    from deidlab.train.export import ExportSettings, export_run

    settings = ExportSettings(format, precision, force_int8)
    notes = _notes_to_measure_on(run, corpus, from_, map, hush)
    notes = notes[:limit] if limit else notes
    ranges = read_notes(calibration, from_) if calibration else []
    record = export_run(
        run,
        out,
        settings,
        notes,
        ranges,
        overwrite,
        lambda parts: with_progress(parts, "measuring", quiet=hush),
    )
    if as_json:
        print_json({"folder": str(out)} | record)
    elif not quiet:
        _print_answer(out, record)
    if record["fallback"]:
        tell(f"{precision} was not kept: {record['fallback']}", as_json)


def _notes_to_measure_on(run: Path, corpus: Path | None, format: str, map: str, hush: bool) -> list[Document]:
    """The notes given, or those that the run was validated on where they are still there."""
    from deidlab.train.corpora import read_notes, read_run_notes
    from deidlab.train.record import SETTINGS
    from deidlab.train.request import read_request

    if corpus is not None:
        return read_notes(corpus, format, map)
    if not (run / SETTINGS).is_file():
        return []
    request, settings = read_request(run)
    place = request.validation or (request.corpus if request.validation_share else "")
    if not place or not Path(place).exists():
        return []
    tell(f"measuring on the run's own validation notes ({place})", hush)
    if request.validation:
        return read_notes(request.validation, request.format, request.map)
    return read_run_notes(request, settings.seed)[1]


def _print_answer(out: Path, record: dict[str, Any]) -> None:
    from deidlab.report.tables import Table, print_table
    from deidlab.train.export_card import COLUMNS, rows_of

    name = f"{record['format']} {record['precision']}"
    rows = rows_of(record)
    if rows:
        title = f"On {record['fidelity']['notes']} notes; tags are compared with the run's own"
        print_table(Table(title, COLUMNS, tuple(rows)))
    else:
        tell("not measured on notes: give some with gold by --corpus")
    typer.echo(f"{out}: {name}, {record['megabytes'][name]:.1f} MB")
