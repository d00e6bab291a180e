"""What a study's report is made of: sections of tables and pictures, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deidlab.report.cells import DataTable

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
    tables: tuple[DataTable, ...] = ()
    pictures: tuple[Picture, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.tables and not self.pictures


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The whole. `cards` are what a reader wants first (name, value, more), `missing` what cannot be told."""

    name: str
    title: str
    said: str
    cards: tuple[tuple[str, str, str], ...]
    missing: tuple[str, ...]
    sections: tuple[Section, ...]
    provenance: Mapping[str, Any]

    @property
    def tables(self) -> tuple[DataTable, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(picture for section in self.sections for picture in section.pictures)

    def table(self, key: str) -> DataTable:
        return next(table for table in self.tables if table.key == key)
