"""`deidlab export RUN --out FOLDER`: a run as a folder that finds PHI without torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli.export_options import ExportOptions, MeasuringOptions
from deidlab.cli.options import takes_options
from deidlab.cli.output import print_json, tell, with_progress

if TYPE_CHECKING:
    from deidlab.types import Document


@takes_options
def export(options: ExportOptions) -> None:
    """Write a run as one folder that finds PHI without torch, and measure what that changed.

    The run, the export in fp32 and the one asked for are compared on notes with gold. Where int8 (or bf16)
    falls more than 0.2 points of strict F1 below the run, the command says so and keeps fp32.
    docs/export.md has more.

    Example: deidlab export run --out exported --int8
    """
    from deidlab.train.start import need_torch

    need_torch("exporting a model")
    from deidlab.train.corpora import read_notes
    from deidlab.train.export import ExportSettings, export_run

    measuring, hush = options.measuring, options.answer.silent
    settings = ExportSettings(options.target, options.precision, options.force_int8, options.overwrite)
    notes = _notes_to_measure_on(options.run, measuring, hush)
    notes = notes[: measuring.limit] if measuring.limit else notes
    ranges = read_notes(measuring.int8_notes, measuring.format) if measuring.int8_notes else []
    record = export_run(
        options.run,
        options.out,
        settings,
        notes,
        ranges,
        lambda parts: with_progress(parts, "measuring", quiet=hush),
    )
    if options.answer.as_json:
        print_json({"folder": str(options.out)} | record)
    elif not options.answer.quiet:
        _print_answer(options.out, record)
    if record["fallback"]:
        tell(f"{options.precision} was not kept: {record['fallback']}", options.answer.as_json)


def _notes_to_measure_on(run: Path, measuring: MeasuringOptions, hush: bool) -> list[Document]:
    """The notes given, or those that the run was validated on where they are still there."""
    from deidlab.train.corpora import read_notes, read_run_notes
    from deidlab.train.record import SETTINGS
    from deidlab.train.request import read_request

    if measuring.corpus is not None:
        return read_notes(measuring.corpus, measuring.format, measuring.map)
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
    from deidlab.report.tables import print_table, text_table
    from deidlab.train.export_card import COLUMNS, rows_of

    name = f"{record['format']} {record['precision']}"
    rows = rows_of(record)
    if rows:
        title = f"On {record['fidelity']['notes']} notes; tags are compared with the run's own"
        print_table(text_table(title, COLUMNS, rows))
    else:
        tell("not measured on notes: give some with gold by --corpus")
    typer.echo(f"{out}: {name}, {record['megabytes'][name]:.1f} MB")
