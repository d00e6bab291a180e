"""The options of `deidlab review`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from deidlab.cli.options import COMMON, argument, option
from deidlab.cli.options.engine import WorkersOption
from deidlab.cli.options.masking import PreviewMaskingOptions
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import NoteOptions
from deidlab.cli.options.serving import ModelsOptions, ServerOptions
from deidlab.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ResultOptions:
    """What leaves the store instead of a page being served."""

    GROUP: ClassVar[str] = "Results"

    export: Path | None = option(None, metavar="DST", help="Write the reviewed notes, and stop.")
    to: str | None = option(
        None, metavar="FORMAT", help="Format of the export [default: by DST's name, else i2b2]."
    )
    part: str = option(
        "done", metavar="done|all", help="Export the notes that are done, or all as they stand."
    )
    by: str = option(
        "", metavar="NAME", help="Export notes that two people reviewed as this one marked them."
    )
    agreement: bool = option(False, help="Print how well the reviewers agree, and stop.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """All that `review` takes."""

    GROUP: ClassVar[str] = COMMON

    corpus: Path = argument(
        metavar="CORPUS", help="The notes to review: a file, or a folder with its subfolders."
    )
    store: Path | None = option(
        None,
        metavar="FILE",
        help="Where decisions are kept (SQLite, mode 0600) [default: CORPUS.review].",
    )
    detect: bool | None = option(
        None,
        "--detect/--no-detect",
        help="Find PHI first, or review the spans that the corpus has "
        "[default: find it where the corpus has no span at all].",
    )
    twice: float = option(
        0.0,
        min=0.0,
        max=1.0,
        help="The share of notes that two people review independently, to measure their agreement.",
    )
    compare: tuple[str, ...] = option(
        (),
        metavar="FOLDER|NAME=FOLDER",
        help="A retrained model: the page shows what it would change; 'rules' are rules alone. Repeatable.",
    )
    load_only: bool = option(
        False, help="Read the corpus, run the models, and stop, so that the page opens at once later."
    )
    reviewer: str | None = option(
        None, metavar="NAME", help="Who is reviewing, where there are no tokens [default: your login]."
    )
    results: ResultOptions
    models: ModelsOptions
    masking: PreviewMaskingOptions
    reading: NoteOptions
    server: ServerOptions
    workers: WorkersOption
    overwriting: OverwriteOption
    answer: AnswerOptions

    @property
    def place(self) -> Path:
        """Where decisions are kept."""
        return self.store or _usual_store(self.corpus)


def _usual_store(corpus: Path) -> Path:
    if corpus == Path("-"):
        raise ConfigError("a review needs a file or folder: it is read again whenever you go on")
    whole = corpus.resolve()
    return (
        corpus.with_name(f"{corpus.name}.review") if corpus.name else whole.with_name(f"{whole.name}.review")
    )
