"""How a corpus is read: its format, its columns, its parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.corpus import ReadSettings
from deidlab.options import argument, option
from deidlab.pipeline.settings import SourceSettings

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace

READING = "Reading"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """The format of a corpus, and what its files do not say themselves."""

    GROUP: ClassVar[str] = READING

    format: str | None = option(
        None,
        "--from",
        metavar="FORMAT",
        help="i2b2, i2b2-2006, n2c2-2016, physionet, brat, conll, jsonl, inline, csv, parquet, txt, "
        "label-studio, doccano, uima-xmi (INCEpTION), uima-json, spacy, huggingface, huggingface-jsonl or a "
        "container of notes (fhir, hl7v2, docx and others); recognised from the files where not given.",
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
