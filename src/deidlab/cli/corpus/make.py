"""`deidlab corpus make OUT --notes N`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli import language_options
from deidlab.cli.corpus.options import Overwrite
from deidlab.cli.output import AsJson, Quiet, print_json, tell, with_progress

if TYPE_CHECKING:
    from deidlab.types import Document


def make(
    destination: Annotated[
        Path, typer.Argument(metavar="OUT", help="A folder, or a file where the format is one file.")
    ],
    notes: Annotated[int, typer.Option("--notes", "-n", min=0, help="How many notes to make.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed makes the same notes on any machine.")] = 1,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="i2b2, i2b2-2006, brat, conll, conll-bilou, jsonl, inline, csv, parquet or txt.",
        ),
    ] = "jsonl",
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Label set of the notes [default: the one that the language's notes have, i2b2-2014 for "
            "English]. A set that belongs to one language writes notes in it.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Language of the notes [default: the label set's own, else English]."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="NOTES",
            help="Fill these notes with PHI instead of writing new ones: masks such as [**Name**], ___, XXXX "
            "or Dr. X are replaced, and what has none gets some.",
        ),
    ] = None,
    lift: Annotated[
        bool,
        typer.Option("--lift", help="For training: dense PHI, and rare labels as frequent as others."),
    ] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make notes with made-up PHI to train and test on.

    Nobody in them exists. Without --lift, labels are about as frequent as in the study's Table 3; with it
    there is more to learn from in every note. A patient has one to three notes, with the same people,
    places and numbers in all of them.

    Example: deidlab corpus make made.jsonl --notes 1000 --seed 7
    """
    from deidlab.corpus import write_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.make import choose_source

    refuse_overlap([destination], [base], inside=True)
    found: Counter[str] = Counter()
    documents = choose_source(
        notes, seed, labels or "", lift, base, language_options.check_language(language)
    )
    shown = with_progress(documents, "notes", notes, quiet or as_json)
    losses = write_corpus(_counted(shown, found), destination, format, overwrite)
    n_notes = found.pop("", 0)
    if as_json:
        answer = {"notes": n_notes, "spans": sum(found.values()), "labels": dict(found.most_common())}
        print_json({**answer, "seed": seed, "losses": dict(losses)})
        return
    tell(f"made {n_notes} notes with {sum(found.values())} spans: {destination}", quiet)
    for what, count in sorted(losses.items()):
        tell(f"not held by {format}: {what} ({count})", quiet)


def _counted(documents: Iterator[Document], found: Counter[str]) -> Iterator[Document]:
    """The documents, while their labels are counted, and they themselves under the empty label."""
    for document in documents:
        found[""] += 1
        found.update(span.label for span in document.spans)
        yield document
