"""What the journeys are told: where notes come from, how to find PHI, what to write and where to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.corpus import ReadSettings
from deidlab.corpus.patients import compile_pattern
from deidlab.errors import UsageError
from deidlab.languages import MODELLED
from deidlab.models import DEFAULT
from deidlab.options import COMMON, option
from deidlab.systems.members import Member, SystemOptions, read_members

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace
    from deidlab.corpus.tables.plan import TablesPlan
    from deidlab.corpus.tables.stores import Store, Target

STDIN = Path("-")
RULES = ("on", "off", "only")
HOW = ("union", "vote", "mean")
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, slots=True)
class SchemaSettings:
    """All tables of a place, and what the plan says of each column."""

    store: Store
    plan: TablesPlan


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A corpus on disk, or a `table` of a database or a whole `schema`, for which `path` is only a name.

    `patient_from` is a pattern whose first group in a note's id is its patient; after `limit` notes the
    reading ends.
    """

    path: Path
    format: str | None = None
    reading: ReadSettings = field(default_factory=ReadSettings)
    patient_from: str | None = None
    table: TablePlace | None = None
    limit: int | None = None
    schema: SchemaSettings | None = None

    def __post_init__(self) -> None:
        if self.patient_from is None:
            return
        compile_pattern(self.patient_from)


@dataclass(frozen=True, slots=True)
class Finding(SystemOptions):
    """How PHI is found; files are named here and read where the detector is loaded.

    Systems that are named find it alone, in place of model and rules; pinned they stand in `members`.

    Labels that the default model has not learned, and another embedded one has, are found by that.
    `device` is cpu or cuda where a detector is loaded: whoever takes auto from people settles it first.
    `mark` tells the files that were pinned for other machines.
    """

    GROUP: ClassVar[str] = "Finding PHI"

    model: str | None = option(
        DEFAULT,
        metavar="|".join((*MODELLED, "FOLDER")),
        help="An embedded model, the folder of an export or a run, or a system such as hf:FOLDER. Several "
        "find together as --system.",
        group=COMMON,
    )
    rules: str = option(
        "on", choices=RULES, help="Use rules and lists beside the model, not at all, or without a model."
    )
    known: Path | None = option(
        None,
        metavar="TABLE",
        help="Table of what is known of patients (CSV, Parquet, JSONL): patient, then name, dob and others.",
    )
    allow: Path | None = option(
        None, metavar="FILE", help="Terms of your site that are never PHI, one per line."
    )
    deny: Path | None = option(
        None, metavar="FILE", help="Terms of your site that are always PHI, one per line."
    )
    threshold: float | None = option(
        None,
        min=0.0,
        max=1.0,
        help="How certain the detector must be of a span [default: the detector's own threshold].",
    )
    how: str = option(
        "union",
        "--ensemble",
        choices=HOW,
        help="How rules and model, or systems, come together: all that any of them finds, only what more "
        "than half of them find, or the mean of their certainties.",
    )
    labels: str = option(
        "i2b2-2014",
        metavar="SET|own",
        help="Label set of the answer; own: the model's (with --rules off at the threshold that suits its "
        "corpus's measure).",
    )
    device: str = option(
        "cpu",
        choices=DEVICES,
        help="Where the model runs; auto takes a GPU where there is one. A worker that has a part of a GPU "
        "(--gpus-per-worker) uses it.",
    )
    mark: str = ""
    members: tuple[Member, ...] = ()
    language: str = option(
        "",
        metavar="CODE",
        help="The language of the notes: its rules find, and names, places and dates are masked by it "
        "[default: the model's, or what the labels tell, else English].",
        group=COMMON,
    )
    without_rules: tuple[str, ...] = option(
        (),
        "--without-rule",
        metavar="NAME",
        help="Switch a rule off. Repeatable; `deidlab detect --list-rules` names them.",
    )

    def __post_init__(self) -> None:
        if self.together:
            self._leave_to_systems()
        elif self.python or self.map or self.allow_host:
            raise UsageError(
                "--python, --map and --allow-host say how a --system is reached, and none is named"
            )
        elif self.model == DEFAULT and self.labels != "i2b2-2014":
            from deidlab.detect.embedded import choose_model

            object.__setattr__(self, "model", choose_model(self.model, self.labels))

    @property
    def together(self) -> bool:
        """Whether systems find, and no model of ours with its rules."""
        return bool(self.system or self.members)

    def _leave_to_systems(self) -> None:
        """Refuse what would be said to nobody."""
        if self.model not in (None, DEFAULT):
            raise UsageError(
                "--model beside --system: name it as one more system, such as --system embedded:es"
            )
        if self.rules == "only" or self.without_rules:
            raise UsageError("rules beside --system are one more system, such as --system rules:en")
        if self.threshold is not None:
            raise UsageError("--threshold is for a model and its rules; each --system decides by itself")
        if self.device == "cuda":
            raise UsageError("--device cuda: each --system decides by itself where it is computed")
        object.__setattr__(self, "device", "cpu")

    @property
    def own_model(self) -> str | None:
        """The model that finds; None for rules alone, and where systems find."""
        return None if self.rules == "only" or self.together else self.model

    def find_members(self) -> tuple[Member, ...]:
        """The systems, as they were pinned, or read now."""
        return self.members or read_members(self)

    def find_language(self) -> str:
        """The code of the language that was named, else the model's; empty where neither tells."""
        from deidlab.systems.masking import language_of, language_of_members

        if self.together:
            return self.language or language_of_members(self.find_members())
        return self.language or language_of(self.own_model)


@dataclass(frozen=True, slots=True)
class Writing:
    """What is written: pseudonyms unless ids are kept, and of other columns only those named.

    Annotations of the source that stand on text which nothing replaced would point at every leak: they are
    dropped unless `annotations_kept`.
    """

    GROUP: ClassVar[str] = "Output"

    ids: str = option(
        "pseudonyms",
        choices=("pseudonyms", "keep"),
        help="Write pseudonyms for ids and file names, or keep them as they are.",
    )
    columns: tuple[str, ...] = option(
        (),
        "--keep-column",
        metavar="NAME",
        help="A column or field to keep as it is; all others are dropped. Repeatable.",
    )
    annotations_kept: bool = option(
        False,
        "--keep-annotations",
        help="Keep annotations of SRC on text that was not replaced. They show where PHI may be left.",
    )

    @property
    def ids_kept(self) -> bool:
        return self.ids == "keep"


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """A file or folder, or a `table` or a `target` of tables, for which `path` names the run and its record.

    `append` allows rows that are in the table already.
    """

    path: Path
    writing: Writing = field(default_factory=Writing)
    overwrite: bool = False
    table: TablePlace | None = None
    append: bool = False
    target: Target | None = None
