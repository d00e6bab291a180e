"""`deidlab corpus stats SRC`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    KeepGoing,
    PatientColumn,
    Source,
    SplitOption,
    TextColumn,
    WordsOption,
    finish_reading,
    read_settings,
    show_progress,
)
from deidlab.cli.output import AsJson, Quiet, print_json, tell_written

if TYPE_CHECKING:
    from deidlab.corpus.stats import PartCounts
    from deidlab.labels import LabelSet


def stats(
    source: Source,
    from_: From = None,
    split: SplitOption = None,
    words: WordsOption = "runs",
    labels: Annotated[
        str | None, typer.Option(help="Rows of this label set, in its order; otherwise the labels seen.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tables as Markdown.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table of labels as CSV.")
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the words by label: .png, .svg or .pdf.")
    ] = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    keep_going: KeepGoing = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Count a corpus: documents, words and spans, by label and by part of a split.

    The table is Table 3 of the 2022 study for your corpus: words of each label and their share of all words,
    a Non-PHI row, and spans beside. `--words whitespace` counts words the way nearest to the study's.
    """
    from deidlab.corpus import ReadReport, read_corpus
    from deidlab.corpus.split import load_manifest
    from deidlab.corpus.stats import count_corpus
    from deidlab.labels import load_label_set
    from deidlab.report.corpus.tables import corpus_summary, corpus_table
    from deidlab.report.figures import check_figure
    from deidlab.report.tables import print_table, table_to_csv, table_to_markdown

    if chart:
        check_figure(chart)
    settings = read_settings(encoding, text_column, id_column, patient_column)
    report = ReadReport()
    documents = show_progress(
        source, from_, read_corpus(source, from_, settings, report, keep_going), quiet or as_json
    )
    label_set = load_label_set(labels) if labels and labels != "auto" else None
    part_of = load_manifest(split).part_of() if split else None
    parts = count_corpus(documents, part_of, words, label_set)
    tables = (corpus_summary(parts, words), corpus_table(parts, words, label_set))
    if chart:
        _draw(parts, label_set, chart)
    _write(markdown, "\n".join(table_to_markdown(table) for table in tables))
    _write(csv, table_to_csv(tables[1]))
    written = [path for path in (markdown, csv, chart) if path]
    tell_written(written, quiet or as_json)
    if as_json:
        print_json({"words": words, "parts": {name: _plain(counts) for name, counts in parts.items()}})
    elif not (quiet and written):
        for table in tables:
            print_table(table)
    finish_reading(report, quiet or as_json)


def _draw(parts: dict[str, PartCounts], labels: LabelSet | None, path: Path) -> None:
    from deidlab.report.corpus.figures import draw_label_bars
    from deidlab.report.figures import save_figure

    save_figure(draw_label_bars(parts, labels), path)


def _write(path: Path | None, page: str) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, "utf-8")


def _plain(counts: PartCounts) -> dict[str, Any]:
    return {
        "documents": counts.documents,
        "patients": len(counts.patients),
        "words": counts.words,
        "phi_words": counts.phi_words,
        "spans": counts.spans,
        "misfits": counts.misfits,
        "words_by_label": dict(counts.words_by_label.most_common()),
        "spans_by_label": dict(counts.spans_by_label.most_common()),
    }
