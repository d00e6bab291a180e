"""How a corpus is read: its format, its columns, its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab import conventions
from deidlab.corpus import FORMATS, ReadSettings
from deidlab.corpus.format import Format
from deidlab.options import argument, option
from deidlab.pipeline.settings import SourceSettings

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace

READING = "Reading"


def name_formats(fits: Callable[[Format], bool] = lambda each: True) -> tuple[str, ...]:
    """The formats of which that holds, each with what else it is called."""
    fitting = sorted(filter(fits, FORMATS.values()), key=lambda each: each.name)
    return tuple(
        f"{each.name} ({', '.join(each.aliases)})" if each.aliases else each.name for each in fitting
    )


def in_words(names: Sequence[str]) -> str:
    """Several names as a sentence has them."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """The format of a corpus, and what its files do not say themselves."""

    GROUP: ClassVar[str] = READING

    format: str | None = option(
        None,
        "--from",
        metavar="FORMAT",
        help=f"{in_words((*name_formats(), *conventions.known()))}; recognised from the files "
        "where not given.",
    )
    files: ReadSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteOptions(ReadingOptions):
    """The same for notes of patients."""

    patient_from: str | None = option(
        None, metavar="REGEX", help="Take the patient from a note's id: what the pattern's one group matches."
    )

    def source(self, path: Path, table: TablePlace | None = None) -> SourceSettings:
        """Where notes come from: a path, or a table for which it stands."""
        return SourceSettings(path, self.format, self.files, self.patient_from, table)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions(ReadingOptions):
    """A corpus on disk, and how it is read."""

    source: Path = argument(metavar="SRC", help="A file, or a folder that is read with its subfolders.")


@dataclass(frozen=True, slots=True)
class KeepGoingOption:
    GROUP: ClassVar[str] = READING

    keep_going: bool = option(
        False, help="Leave out documents that cannot be read, list them, and exit with 3."
    )


@dataclass(frozen=True, slots=True)
class SplitOption:
    GROUP: ClassVar[str] = READING

    split: Path | None = option(None, metavar="MANIFEST", help="A manifest that `corpus split` wrote.")


@dataclass(frozen=True, slots=True)
class WordsOption:
    words: str = option(
        "runs",
        metavar="runs|whitespace",
        help="How text is cut into words: runs of letters, runs of digits and single symbols; or at white "
        "space, as in 2022.",
    )
