"""What the journeys are told in whole: all that decides a masked corpus, or one in which PHI is marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.execute import Executor, Local
from deidlab.mask import MaskSettings
from deidlab.options import is_given, left_out
from deidlab.pipeline.run.find import MarkPhi
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.settings import Finding, SourceSettings, Writing

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace
    from deidlab.corpus.tables.stores import Target


@dataclass(frozen=True, slots=True)
class Caller:
    """Who runs a job, and by which command line, as its record says it; an empty operator is the account."""

    operator: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MaskJob:
    """All that decides a masked corpus; `spans` is a corpus whose spans are used as they are.

    With a `target` the rows go into tables there; with a `sink` the notes go into that table, where `append`
    allows rows that are there. The destination is then only where the run and its record stand. `execute`
    runs the work elsewhere than in this machine's `workers`; it changes nothing of what comes out.
    """

    source: SourceSettings
    destination: Path = field(metadata=left_out("the run's folder is named after it"))
    finding: Finding
    settings: MaskSettings = field(repr=False)
    writing: Writing = field(default_factory=Writing)
    spans: SourceSettings | None = None
    repeatable: bool = True
    workers: int = field(default=1, metadata=left_out("who works changes nothing of what comes out"))
    overwrite: bool = field(
        default=False, metadata=left_out("it drops an unfinished run before any is continued")
    )
    map_file: Path | None = field(
        default=None, metadata=left_out("where the map goes changes no note; that one is kept does", is_given)
    )
    passphrase: str = field(
        default="", repr=False, metadata=left_out("it locks the map when all else is done, and is a secret")
    )
    sink: TablePlace | None = None
    append: bool = False
    target: Target | None = None
    caller: Caller = field(default=Caller(), metadata=left_out("who runs it changes no note"))
    execute: Executor | None = field(
        default=None, metadata=left_out("who works changes nothing of what comes out")
    )

    @property
    def executor(self) -> Executor:
        """Whoever was handed in, or this machine's processes."""
        return self.execute or Local(self.workers)


@dataclass(frozen=True, slots=True)
class DetectJob:
    """What to mark, and where to write it.

    `word_scores` is a file for every word's PHI probability; `calibration` one for how these compare with the
    source's own annotations.
    """

    source: SourceSettings
    destination: Path = field(metadata=left_out("the run's folder is named after it"))
    finding: Finding
    to: str | None = None
    word_scores: Path | None = field(
        default=None,
        metadata=left_out("where the scores go changes no note; that they are kept does", is_given),
    )
    workers: int = field(default=1, metadata=left_out("who works changes nothing of what comes out"))
    overwrite: bool = field(
        default=False, metadata=left_out("it drops an unfinished run before any is continued")
    )
    calibration: Path | None = field(
        default=None,
        metadata=left_out("where it goes changes no note; that scores are kept for it does", is_given),
    )
    execute: Executor | None = field(
        default=None, metadata=left_out("who works changes nothing of what comes out")
    )

    @property
    def executor(self) -> Executor:
        """Whoever was handed in, or this machine's processes."""
        return self.execute or Local(self.workers)

    @property
    def wants_words(self) -> bool:
        return self.word_scores is not None or self.calibration is not None

    def work(self) -> MarkPhi:
        """What workers do."""
        return MarkPhi(pin_finding(self.finding), self.wants_words)
