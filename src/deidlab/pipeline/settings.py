"""What the journeys are told: where notes come from, how to find PHI, what to write and where to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus import ReadSettings
from deidlab.corpus.patients import compile_pattern
from deidlab.models import DEFAULT

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace
    from deidlab.detect import Detector

STDIN = Path("-")
RULES = ("on", "off", "only")


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A corpus on disk, or a `table` of a database, for which `path` is only a name.

    `patient_from` is a pattern whose first group in a note's id is its patient; after `limit` notes the
    reading ends.
    """

    path: Path
    format: str | None = None
    reading: ReadSettings = field(default_factory=ReadSettings)
    patient_from: str | None = None
    table: TablePlace | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.patient_from is None:
            return
        compile_pattern(self.patient_from)


@dataclass(frozen=True, slots=True)
class Finding:
    """How PHI is found; files are named here and read where the detector is loaded.

    Labels that the default model has not learned, and another embedded one has, are found by that.
    `device` is where a model runs, cpu or cuda; `mark` tells the files that were pinned for other machines.
    `language` is the code of that of the notes, where it is not the model's; `without_rules` names rules that
    do not run.
    """

    model: str | None = DEFAULT
    rules: str = "on"
    known: Path | None = None
    allow: Path | None = None
    deny: Path | None = None
    threshold: float | None = None
    how: str = "union"
    labels: str = "i2b2-2014"
    device: str = "cpu"
    mark: str = ""
    language: str = ""
    without_rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.model == DEFAULT and self.labels != "i2b2-2014":
            from deidlab.detect.embedded import choose_model

            object.__setattr__(self, "model", choose_model(self.model, self.labels))

    def find_language(self) -> str:
        """The code of the language that was named, else the model's; empty where neither tells."""
        from deidlab.detect.embedded import language_of

        return self.language or language_of(None if self.rules == "only" else self.model)

    def load(self) -> Detector:
        """The detector; a worker calls this once."""
        from deidlab.detect import KnownTable, load_detector, read_terms
        from deidlab.pipeline.run.sameness import check_mark

        check_mark(self)
        known = None if self.known is None else KnownTable.read(self.known)
        allow, deny = (
            frozenset[str]() if path is None else frozenset(read_terms(path))
            for path in (self.allow, self.deny)
        )
        model = None if self.rules == "only" else self.model
        return load_detector(
            model, self.rules, known, allow, deny, self.threshold, self.labels, self.how, self.device,
            self.language, self.without_rules,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Writing:
    """What is written: pseudonyms unless ids are kept, and of other columns only those named.

    Annotations of the source that stand on text which nothing replaced would point at every leak: they are
    dropped unless `annotations_kept`.
    """

    ids_kept: bool = False
    columns: tuple[str, ...] = ()
    annotations_kept: bool = False


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """A file or folder, or a `table` of a database, for which `path` names the run and its record.

    `append` allows rows that are in the table already.
    """

    path: Path
    writing: Writing = field(default_factory=Writing)
    overwrite: bool = False
    table: TablePlace | None = None
    append: bool = False
