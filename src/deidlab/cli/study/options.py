"""The options that the study commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.options import COMMON, argument, option

if TYPE_CHECKING:
    from deidlab.study.spec import StudySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecOptions:
    """The study, and what the command line changes of it."""

    GROUP: ClassVar[str] = COMMON

    study: Path = argument(
        metavar="STUDY.toml", help="The study's file; studies/ has some.", show_default=False
    )
    out: Path | None = option(
        None, "--out", "-o", help="The study's folder; named after the file unless given."
    )
    corpus: tuple[str, ...] = option(
        (),
        metavar="[NAME=]PATH",
        help="Where notes are: PATH for a corpus to split, or train=, validation=, test= for parts of their "
        "own, or the name of a [[cross]] corpus. As often as needed.",
    )
    set: tuple[str, ...] = option(
        (),
        metavar="KEY=VALUE",
        help="Change a value of the file: make.notes=40, settings.epochs=2, models.NAME.model=FOLDER.",
    )
    price: float | None = option(None, help="What one GPU costs per hour; replaces the file's price.")

    @property
    def folder(self) -> Path:
        """Where the study is kept."""
        return self.out or default_folder(self.study)

    def open(self) -> StudySpec:
        """The study with what the command line changes of it."""
        from deidlab.study.reading import read_spec
        from deidlab.study.spec import with_price

        return with_price(read_spec(self.study, self.set, self.corpus), self.price)


def default_folder(study: Path) -> Path:
    return Path(f"{study.stem}-study")
