"""`deidlab corpus check SRC`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options import COMMON, option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.options.reading import CorpusOptions, SplitOption
from deidlab.cli.output import print_json, tell, with_progress

if TYPE_CHECKING:
    from deidlab.corpus.check import CheckReport
    from deidlab.labels import LabelSet


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """All that `corpus check` takes."""

    corpus: CorpusOptions
    labels: str = option(
        "guess",
        help="The label set that types must belong to; 'guess' takes the one that holds most of them.",
        group=COMMON,
    )
    split: SplitOption
    likeness: float = option(
        0.8,
        min=0.1,
        max=1.0,
        help="With --split: how alike two notes must be to be reported.",
        group=SplitOption.GROUP,
    )
    answer: AnswerOptions


@takes_options
def check(options: CheckOptions) -> None:
    """Name every problem in a corpus, with file and offsets; exit 1 if there is any.

    Looked for: files that cannot be read, quoted text that is not at its offsets, spans that are empty or
    out of bounds, overlaps, unknown types, ids used twice; with --split also patients in two parts and
    notes nearly repeated across parts.

    Example: deidlab corpus check training-gold/ --split manifest.json
    """
    from deidlab.corpus.check import check_corpus
    from deidlab.corpus.reading import read_raw
    from deidlab.corpus.split import load_manifest

    corpus, answer, split = options.corpus, options.answer, options.split.split
    label_set = _find_labels(options.labels, corpus)
    part_of = load_manifest(split).part_of() if split else None
    raws = read_raw(corpus.source, corpus.format, corpus.files)
    shown = with_progress(raws, "notes", None, answer.silent)
    report = check_corpus(shown, label_set, part_of, options.likeness)
    if answer.as_json:
        _print_answer(report)
    else:
        for problem in report.problems:
            typer.echo(f"{problem.kind}: {problem}")
        _tell_totals(report, answer.quiet)
    if report.problems:
        raise typer.Exit(1)


def _find_labels(name: str, corpus: CorpusOptions) -> LabelSet:
    from deidlab.corpus.raw import RawDocument
    from deidlab.corpus.reading import read_raw
    from deidlab.labels import AUTO, guess_label_set, load_label_set

    if name not in ("guess", AUTO):
        return load_label_set(name)
    counts: Counter[str] = Counter()
    for raw in read_raw(corpus.source, corpus.format, corpus.files):
        if isinstance(raw, RawDocument):
            counts.update(a.label for a in raw.annotations if a.label)
    return guess_label_set(counts) if name == "guess" else load_label_set(AUTO, counts)


def _print_answer(report: CheckReport) -> None:
    answer = {
        "documents": report.documents,
        "spans": report.spans,
        "misfits": report.misfits,
        "labels": report.labels.name if report.labels else None,
        "skipped": dict(+report.skipped),
        "problems_by_kind": dict(Counter(problem.kind for problem in report.problems)),
        "problems": [asdict(problem) for problem in report.problems],
    }
    print_json(answer)


def _tell_totals(report: CheckReport, quiet: bool) -> None:
    name = report.labels.name if report.labels else "?"
    tell(
        f"{report.documents} documents, {report.spans} spans, {report.misfits} misfits, "
        f"{len(report.problems)} problems (label set: {name})",
        quiet,
    )
    for what, count in sorted((+report.skipped).items()):
        tell(f"skipped: {count} {what}", quiet)
