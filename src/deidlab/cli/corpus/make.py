"""`deidlab corpus make OUT --notes N`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.finding import check_language
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.output import print_json, tell, with_progress

if TYPE_CHECKING:
    from deidlab.types import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOptions:
    """All that `corpus make` takes."""

    GROUP: ClassVar[str] = COMMON

    destination: Path = argument(metavar="OUT", help="A folder, or a file where the format is one file.")
    notes: int = option(1000, "--notes", "-n", min=0, help="How many notes to make.")
    seed: int = option(1, help="The same seed makes the same notes on any machine.")
    format: str | None = option(
        None,
        metavar="FORMAT",
        help="Any that `corpus convert --to` takes [default: that of the new name, else jsonl].",
    )
    labels: str | None = option(
        None,
        metavar="NAME",
        help="Label set of the notes [default: the one that the language's notes have, i2b2-2014 for "
        "English]. A set that belongs to one language writes notes in it.",
    )
    language: str | None = option(
        None, metavar="CODE", help="Language of the notes [default: the label set's own, else English]."
    )
    base: Path | None = option(
        None,
        metavar="NOTES",
        help="Fill these notes with PHI instead of writing new ones: masks such as [**Name**], ___, XXXX "
        "or Dr. X are replaced, and what has none gets some.",
    )
    lift: bool = option(False, help="For training: dense PHI, and rare labels as frequent as others.")
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def make(options: MakeOptions) -> None:
    """Make notes with made-up PHI to train and test on.

    Nobody in them exists. Without --lift, labels are about as frequent as in the study's Table 3; with it
    there is more to learn from in every note. A patient has one to three notes, with the same people,
    places and numbers in all of them.

    Example: deidlab corpus make made.jsonl --notes 1000 --seed 7
    """
    from deidlab.corpus import write_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.formats import format_to_write
    from deidlab.make import choose_source

    notes, seed, answer = options.notes, options.seed, options.answer
    refuse_overlap([options.destination], [options.base], inside=True)
    check_language(options.language)
    found: Counter[str] = Counter()
    documents = choose_source(
        notes, seed, options.labels or "", options.lift, options.base, options.language or ""
    )
    shown = _counted(with_progress(documents, "notes", notes, answer.silent), found)
    format = format_to_write(options.destination, options.format, "jsonl").name
    losses = write_corpus(shown, options.destination, format, options.overwriting.overwrite)
    n_notes = found.pop("", 0)
    if answer.as_json:
        counts = {"notes": n_notes, "spans": sum(found.values()), "labels": dict(found.most_common())}
        print_json({**counts, "seed": seed, "losses": dict(losses)})
        return
    tell(f"made {n_notes} notes with {sum(found.values())} spans: {options.destination}", answer.quiet)
    for what, count in sorted(losses.items()):
        tell(f"not held by {format}: {what} ({count})", answer.quiet)


def _counted(documents: Iterator[Document], found: Counter[str]) -> Iterator[Document]:
    """The documents, while their labels are counted, and they themselves under the empty label."""
    for document in documents:
        found[""] += 1
        found.update(span.label for span in document.spans)
        yield document
