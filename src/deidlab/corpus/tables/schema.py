"""What is there: tables, their columns with plain types, and what keys hold between them. No values."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import astuple, dataclass

WHOLE = ("int2", "int4", "int8")
TYPES = (
    *WHOLE, "number", "float", "bool", "text", "date", "timestamp", "timestamptz", "time", "uuid", "json",
    "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `type` is one of `TYPES`, for every kind of source, `declared` the source's own words."""

    name: str
    type: str
    nullable: bool = True
    declared: str = ""

    @property
    def width(self) -> int:
        """How many characters its declaration lets a text have; 0 is any number."""
        said = re.search(r"\((\d+)\)", self.declared) if self.type == "text" else None
        return int(said[1]) if said else 0


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that hold keys of another."""

    columns: tuple[str, ...]
    table: str
    referred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, with what the database promises of its rows."""

    name: str
    columns: tuple[Column, ...]
    primary: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign: tuple[ForeignKey, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables, in the order of their names; `dialect` says whose words the declared types are."""

    tables: tuple[Table, ...]
    dialect: str = ""

    def table(self, name: str) -> Table:
        return next(each for each in self.tables if each.name == name)

    def digest(self) -> str:
        """The same for as long as no table, column, type or key is added, changed or taken away."""
        told = json.dumps([astuple(table) for table in self.tables])
        return hashlib.sha256(told.encode()).hexdigest()[:32]
