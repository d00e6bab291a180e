"""Masked tables into a new DuckDB file, made aside: whoever looks sees nothing or everything.

DuckDB takes keys only where a table is made, and checks them row by row. So rows are put into tables without
keys first, and what holds of them decides which keys their table gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.tables.declaring import (
    declared_columns,
    declared_types,
    foreign_keys,
    listed,
    own_keys,
    quoted,
)
from deidlab.corpus.tables.duck import open_duck
from deidlab.corpus.tables.plan import TablePlan
from deidlab.corpus.tables.schema import ForeignKey
from deidlab.corpus.tables.stores import Filled, Filling, Row, Store, Target
from deidlab.errors import CorpusError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class DuckTarget(Target):
    """A DuckDB file that is not there yet, or one schema of it."""

    place: TablePlace
    kind: str = "database"

    @property
    def path(self) -> Path:
        return Path(self.place.database)

    @property
    def files(self) -> Path | None:
        return self.path

    def check(self, source: Store, filling: Filling) -> None:
        # It would be taken for that of the new file.
        if _log_of(self.path).exists():
            raise CorpusError(f"{self.place}: a program has it open, or was ended while it wrote")

    def fill(self, filling: Filling, rows: Iterable[tuple[int, Row]], unnamed: Path) -> Filled:
        aside = unnamed.with_name(f"loading{unnamed.suffix}")
        for path in (aside, _log_of(aside), unnamed, _log_of(unnamed)):
            path.unlink(missing_ok=True)
        with open_duck(self.place, unnamed, writing=True) as connection:
            where = str(aside).replace("'", "''")
            connection.execute(f"ATTACH '{where}' AS loading")
            filled = _Making(connection, filling, self.place.schema or "main").run(rows)
            connection.execute("DETACH loading")
        aside.unlink()
        return filled


def _log_of(path: Path) -> Path:
    """The file in which DuckDB keeps what it has not put into that one yet."""
    return path.with_name(f"{path.name}.wal")


@dataclass(frozen=True, slots=True)
class _Making:
    """The tables of a new file; `keys` are those that they got so far."""

    connection: DuckDBPyConnection
    filling: Filling
    schema: str
    keys: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def run(self, rows: Iterable[tuple[int, Row]]) -> Filled:
        written = self.filling.plan.written
        for table in written:
            self.connection.execute(f"CREATE TABLE {_aside(table.name)} ({', '.join(self._columns(table))})")
        for number, group in groupby(rows, key=lambda row: row[0]):
            self._put_aside(self.filling.plan.tables[number], (cells for _, cells in group))
        self.connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(self.schema)}")
        foreign: dict[str, list[ForeignKey]] = {table.name: [] for table in written}
        for name, key in foreign_keys(self.filling):
            foreign[name].append(key)
        for name in _pointed_at_first(foreign):
            self._make(self.filling.plan.table(name), foreign[name])
        return Filled(dict(self.left_out), self.left_out.total())

    def _make(self, table: TablePlan, foreign: Sequence[ForeignKey]) -> None:
        """The table with those keys that hold, and its rows in it."""
        keys = list(own_keys(table, self.filling))
        held = [(word, names) for word, names in keys if self._is_unique(table.name, names, word)]
        leading = [key for key in foreign if self._leads(table, key)]
        self.keys[table.name] = [names for _, names in held]
        if n_left := len(keys) - len(held) + len(foreign) - len(leading):
            self.left_out[table.name] = n_left
        cells = [*self._columns(table), *(f"{word} ({listed(names)})" for word, names in held)]
        for key in leading:
            other = f"{self._of(key.table)} ({listed(key.referred)})"
            cells.append(f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {other}")
        self.connection.execute(f"CREATE TABLE {self._of(table.name)} ({', '.join(cells)})")
        self.connection.execute(f"INSERT INTO {self._of(table.name)} SELECT * FROM {_aside(table.name)}")

    def _types(self, table: TablePlan) -> dict[str, str]:
        return declared_types(table, "duckdb", self.filling)

    def _columns(self, table: TablePlan) -> list[str]:
        return declared_columns(table, self._types(table))

    def _put_aside(self, table: TablePlan, rows: Iterator[Row]) -> None:
        # A column at once: DuckDB is slow at single rows.
        cells = ", ".join(f"CAST(unnest(?::VARCHAR[]) AS {type})" for type in self._types(table).values())
        while chunk := list(islice(rows, _AT_ONCE)):
            columns = [[_text(cell) for cell in column] for column in zip(*chunk, strict=True)]
            self.connection.execute(f"INSERT INTO {_aside(table.name)} SELECT {cells}", columns)

    def _of(self, table: str) -> str:
        return f"{quoted(self.schema)}.{quoted(table)}"

    def _is_unique(self, table: str, names: Sequence[str], word: str) -> bool:
        filled = f"SELECT 1 FROM {_aside(table)} WHERE {_filled(names)}"
        empty = f"SELECT 1 FROM {_aside(table)} WHERE NOT ({_filled(names)})"
        is_single = not self._any(f"{filled} GROUP BY {listed(names)} HAVING count(*) > 1")
        return is_single and (word == "UNIQUE" or not self._any(empty))

    def _leads(self, table: TablePlan, key: ForeignKey) -> bool:
        """Whether the key can be one: the other table is there with that key, of that type, for each row.

        A key of a row of the same table cannot: DuckDB wants the other row to be there before.
        """
        types, theirs = self._types(table), self._types(self.filling.plan.table(key.table))
        pairs = list(zip(key.columns, key.referred, strict=True))
        if key.referred not in self.keys.get(key.table, ()):
            return False
        if any(types[one] != theirs[other] for one, other in pairs):
            return False
        alike = " AND ".join(f"mine.{quoted(one)} = other.{quoted(two)}" for one, two in pairs)
        found = f"SELECT 1 FROM {_aside(key.table)} AS other WHERE {alike}"
        mine = f"SELECT 1 FROM {_aside(table.name)} AS mine WHERE {_filled(key.columns)}"
        return not self._any(f"{mine} AND NOT EXISTS ({found})")

    def _any(self, query: str) -> bool:
        return bool(self.connection.execute(f"{query} LIMIT 1").fetchall())


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


def _aside(table: str) -> str:
    return f"loading.main.{quoted(table)}"


def _filled(names: Iterable[str]) -> str:
    return " AND ".join(f"{quoted(name)} IS NOT NULL" for name in names)


def _pointed_at_first(foreign: Mapping[str, Sequence[ForeignKey]]) -> list[str]:
    """The tables in an order in which each comes after those it points to, as far as there is one."""
    ordered: list[str] = []

    def put(name: str, above: frozenset[str]) -> None:
        for key in foreign[name]:
            if key.table not in above and key.table not in ordered:
                put(key.table, above | {key.table})
        ordered.append(name)

    for name in foreign:
        if name not in ordered:
            put(name, frozenset({name}))
    return ordered
