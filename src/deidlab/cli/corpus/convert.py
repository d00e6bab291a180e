"""`deidlab corpus convert SRC DST --to FORMAT`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.corpus.reading import finish_reading, read_documents
from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import CorpusOptions, KeepGoingOption, SplitOption, in_words, name_formats
from deidlab.cli.output import print_json, tell

if TYPE_CHECKING:
    from deidlab.types import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """All that `corpus convert` takes."""

    corpus: CorpusOptions
    destination: Path = argument(metavar="DST", help="A folder, or a file where the format is one file.")
    to: str = option(
        metavar="FORMAT",
        help=f"{in_words(name_formats(lambda each: each.takes_any_note))}.",
        group=COMMON,
    )
    split: SplitOption
    part: str | None = option(None, help="With --split: write only this part.", group=SplitOption.GROUP)
    map: str | None = option(
        None, metavar="MAP", help="Map the labels: by a map that ships, or a TOML file with one row a label."
    )
    keeping: KeepGoingOption
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def convert(options: ConvertOptions) -> None:
    """Turn a corpus of one format into another.

    Text is kept character for character and spans by their offsets. What the new format cannot hold
    (overlaps in inline tags, scores in CoNLL, spans in plain text) is counted and told.

    Example: deidlab corpus convert training-gold/ notes.jsonl --to jsonl
    """
    from deidlab.corpus import ReadReport, write_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.merge import relabel
    from deidlab.labels import load_map

    answer, destination, to = options.answer, options.destination, options.to
    refuse_overlap([destination], [options.corpus.source], inside=True)
    report, written = ReadReport(), [0, 0]
    documents = read_documents(options.corpus, report, options.keeping.keep_going, answer.silent)
    documents = _of_part(documents, options.split.split, options.part)
    if options.map is not None:
        mapping = load_map(options.map)
        documents = (relabel(document, mapping) for document in documents)
    chosen = _counted(documents, written)
    losses = write_corpus(chosen, destination, to, options.overwriting.overwrite)
    if answer.as_json:
        counts = {"documents": written[0], "spans": written[1], "losses": dict(losses)}
        left_out = [str(bad) for bad in report.bad]
        print_json({**counts, "skipped": dict(+report.skipped), "left_out": left_out})
    else:
        tell(f"wrote {written[0]} documents with {written[1]} spans to {destination}", answer.quiet)
        for what, count in sorted(losses.items()):
            tell(f"not held by {to}: {what} ({count})", answer.quiet)
    finish_reading(report, answer.silent)


def _of_part(documents: Iterator[Document], split: Path | None, part: str | None) -> Iterator[Document]:
    if split is None and part is None:
        yield from documents
        return
    if split is None or part is None:
        raise typer.BadParameter("--split and --part go together")
    from deidlab.corpus.split import load_manifest
    from deidlab.errors import UnknownNameError

    manifest = load_manifest(split)
    if part not in manifest.parts:
        raise UnknownNameError("part", part, manifest.parts)
    wanted = frozenset(manifest.parts[part])
    yield from (document for document in documents if document.id in wanted)


def _counted(documents: Iterator[Document], written: list[int]) -> Iterator[Document]:
    for document in documents:
        written[0] += 1
        written[1] += len(document.spans)
        yield document
