"""A place that holds tables, to read or to write: what a database and a folder of files have in common."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from deidlab.corpus.database_cells import to_plain
from deidlab.corpus.tables.plan import TablesPlan
from deidlab.corpus.tables.schema import Schema

Row = tuple[Any, ...]
"""The cells of a row as JSON can hold them, in the order of the columns that were asked for."""


def plain_cell(cell: Any) -> Any:
    """A cell as JSON can hold it; a time stamp as databases write it, with a blank before the time."""
    return str(cell) if isinstance(cell, datetime) else to_plain(cell)


class Snapshot(ABC):
    """A place as it is for the length of a pass."""

    __slots__ = ()

    @abstractmethod
    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
        """Every row in the order it is kept in; None for one that cannot be read."""

    @abstractmethod
    def count(self, table: str) -> int:
        """How many rows there are."""


class Store(ABC):
    """A place of tables to read."""

    __slots__ = ()

    @property
    def files(self) -> Path | None:
        """What is read on this disk."""
        return None

    @property
    @abstractmethod
    def path(self) -> Path:
        """A path that stands for the place in messages and records."""

    @abstractmethod
    def schema(self) -> Schema:
        """What is there."""

    @abstractmethod
    def open(self) -> contextlib.AbstractContextManager[Snapshot]:
        """The place, as it is now."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What is written: the plan's tables with all their rows, in order, by the run of that job and token."""

    plan: TablesPlan
    schema: Schema
    job: str
    token: str
    overwrite: bool = False


@dataclass(slots=True)
class Filled:
    """What became of it: constraints of the source that the output does not have, by table."""

    left_out: dict[str, int]
    broken: int = 0


class Target(ABC):
    """A place of tables to write."""

    __slots__ = ()
    kind: str

    @property
    @abstractmethod
    def path(self) -> Path:
        """The path that the run's folder and record are named after."""

    @property
    def files(self) -> Path | None:
        """What is written on this disk, where anything is."""
        return None

    def check(self, source: Store, filling: Filling) -> None:  # noqa: B027
        """Raise, before any work, where it cannot be written to."""

    @abstractmethod
    def fill(self, filling: Filling, rows: Iterable[tuple[int, Row]], unnamed: Path) -> Filled:
        """Write the rows, by the numbers of their tables: all of them, or none that anybody sees.

        On disk that is at the path `unnamed`.
        """
