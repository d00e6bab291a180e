"""`deidlab corpus stats SRC`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from deidlab.cli.corpus.reading import finish_reading, read_documents
from deidlab.cli.options import COMMON, option, takes_options
from deidlab.cli.options.output import OUTPUT, AnswerOptions
from deidlab.cli.options.reading import CorpusOptions, KeepGoingOption, SplitOption, WordsOption
from deidlab.cli.output import print_json, tell_written

if TYPE_CHECKING:
    from deidlab.corpus.stats import PartCounts
    from deidlab.labels import LabelSet


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsOptions:
    """All that `corpus stats` takes."""

    GROUP: ClassVar[str] = OUTPUT

    corpus: CorpusOptions
    words: WordsOption
    labels: str | None = option(
        None, help="Rows of this label set, in its order; otherwise the labels seen.", group=COMMON
    )
    split: SplitOption
    keeping: KeepGoingOption
    markdown: Path | None = option(None, metavar="FILE", help="Write the tables as Markdown.")
    csv: Path | None = option(None, metavar="FILE", help="Write the table of labels as CSV.")
    chart: Path | None = option(None, metavar="FILE", help="Draw the words by label: .png, .svg or .pdf.")
    answer: AnswerOptions


@takes_options
def stats(options: StatsOptions) -> None:
    """Count a corpus: documents, words and spans, by label and by part of a split.

    The table is Table 3 of the 2022 study for your corpus: words of each label and their share of all words,
    a Non-PHI row, and spans beside. `--words whitespace` counts words the way nearest to the study's.

    Example: deidlab corpus stats training-gold/ --markdown table.md
    """
    from deidlab.corpus import ReadReport
    from deidlab.corpus.split import load_manifest
    from deidlab.corpus.stats import count_corpus
    from deidlab.labels import load_label_set
    from deidlab.report.corpus.tables import corpus_summary, corpus_table
    from deidlab.report.figures import check_figure
    from deidlab.report.tables import print_table, table_to_csv, table_to_markdown

    answer, words, split = options.answer, options.words.words, options.split.split
    if options.chart:
        check_figure(options.chart)
    report = ReadReport()
    documents = read_documents(options.corpus, report, options.keeping.keep_going, answer.silent)
    labels = options.labels
    label_set = load_label_set(labels) if labels and labels != "auto" else None
    part_of = load_manifest(split).part_of() if split else None
    parts = count_corpus(documents, part_of, words, label_set)
    tables = (corpus_summary(parts, words), corpus_table(parts, words, label_set))
    if options.chart:
        _draw(parts, label_set, options.chart)
    _write(options.markdown, "\n".join(table_to_markdown(table) for table in tables))
    _write(options.csv, table_to_csv(tables[1]))
    written = [path for path in (options.markdown, options.csv, options.chart) if path]
    tell_written(written, answer.silent)
    if answer.as_json:
        print_json({"words": words, "parts": {name: _plain(counts) for name, counts in parts.items()}})
    elif not (answer.quiet and written):
        for table in tables:
            print_table(table)
    finish_reading(report, answer.silent)


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
