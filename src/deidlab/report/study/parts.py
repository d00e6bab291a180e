"""What a study's report is made of: sections of tables and pictures, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deidlab.report.pages import Card
from deidlab.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure under its key; `caption` says in words what can be seen, for those who cannot see it."""

    key: str
    title: str
    caption: str
    draw: Callable[[], Figure] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, in reading order."""

    key: str
    title: str
    said: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The whole.

    `cards` are what a reader wants first. `lacking` says what a finished study would have and this
    one has not, `not_asked` what could be told only if more had been asked for or kept.
    """

    name: str
    title: str
    said: str
    cards: tuple[Card, ...]
    lacking: tuple[str, ...]
    not_asked: tuple[str, ...]
    sections: tuple[Section, ...]
    provenance: Mapping[str, Any]
    footer: str = (
        "No word of a note is on this page. Figures are of this study alone; they are evidence for whoever "
        "decides, not a claim of compliance."
    )

    @property
    def missing(self) -> tuple[str, ...]:
        return (*self.lacking, *self.not_asked)

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(picture for section in self.sections for picture in section.pictures)

    def table(self, key: str) -> Table:
        return next(table for table in self.tables if table.key == key)
