"""All tables of a DuckDB file, through DuckDB's own package, read in the order that their rows are kept in.

Nobody can write to a file that is being read, so every look at it sees the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.tables.declaring import quoted
from deidlab.corpus.tables.schema import Column, ForeignKey, Schema, Table
from deidlab.corpus.tables.stores import Row, Snapshot, Store, plain_cell
from deidlab.errors import CorpusError, needing
from deidlab.inputfile import require_regular

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 2000
_TYPES = {
    "TINYINT": "int2", "UTINYINT": "int2", "SMALLINT": "int2", "USMALLINT": "int4", "INTEGER": "int4",
    "UINTEGER": "int8", "BIGINT": "int8", "UBIGINT": "number", "HUGEINT": "number", "UHUGEINT": "number",
    "FLOAT": "float", "DOUBLE": "float", "BOOLEAN": "bool", "VARCHAR": "text", "DATE": "date",
    "TIMESTAMP": "timestamp", "TIMESTAMP_S": "timestamp", "TIMESTAMP_MS": "timestamp",
    "TIMESTAMP_NS": "timestamp", "TIMESTAMP WITH TIME ZONE": "timestamptz", "TIME": "time", "UUID": "uuid",
    "JSON": "json",
}  # fmt: skip
# Python has no word for them, or a shorter one.
_AS_TEXT = ("TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
# No extension is fetched, and for want of memory nothing of a note goes to the disk. In one thread rows come
# as they are kept.
_QUIET: dict[str, Any] = {"threads": "1", "temp_directory": "", "autoinstall_known_extensions": "false"}
_REASONS = {
    "IOException": "it is not a DuckDB database, or cannot be opened",
    "ConversionException": "a value does not fit its column's type",
    "InvalidInputException": "a value cannot be read or written",
    "OutOfMemoryException": "there is not enough memory",
    "CatalogException": "there is no such table or column",
    "BinderException": "there is no such table or column",
}


@contextlib.contextmanager
def open_duck(place: TablePlace, path: Path, writing: bool = False) -> Iterator[DuckDBPyConnection]:
    """The file, only for reading unless `writing`; what fails inside is told by its kind alone, since DuckDB
    quotes cells."""
    with needing("DuckDB", "duckdb"):
        import duckdb
    try:
        opened = duckdb.connect(str(path), read_only=not writing, config=_QUIET)
        with contextlib.closing(opened) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            if not writing:
                # Whoever made the file decides what stands in it, and not what else is opened.
                connection.execute("SET enable_external_access = false")
            yield connection
    except duckdb.Error as error:
        name = type(error).__name__
        locked = name == "IOException" and "lock" in str(error)
        said = "another program has it open" if locked else _REASONS.get(name, f"DuckDB refuses ({name})")
        raise CorpusError(f"{place}: {said}") from None


@dataclass(frozen=True, slots=True)
class DuckStore(Store):
    """A DuckDB file, or one schema of it."""

    place: TablePlace

    @property
    def files(self) -> Path | None:
        return self.path

    @property
    def path(self) -> Path:
        return Path(self.place.database)

    @property
    def _schema(self) -> str:
        return self.place.schema or "main"

    def schema(self) -> Schema:
        with self._reading() as connection:
            names = [name for (name,) in self._asked(connection, "table_name", "duckdb_tables()")]
            if not names:
                raise CorpusError(f"{self.place}: there are no tables in it")
            columns = self._asked(
                connection,
                "table_name, column_name, data_type, is_nullable",
                "duckdb_columns()",
                "column_index",
            )
            keys = self._asked(
                connection,
                "table_name, constraint_type, constraint_column_names, referenced_table, "
                "referenced_column_names",
                "duckdb_constraints()",
            )
        return Schema(tuple(_table(name, columns, keys) for name in sorted(names)), self.place.kind)

    def _asked(
        self, connection: DuckDBPyConnection, what: str, where: str, order: str = "1"
    ) -> list[tuple[Any, ...]]:
        asked = f"SELECT {what} FROM {where} WHERE database_name = current_database() AND schema_name = ?"
        return connection.execute(f"{asked} ORDER BY {order}", [self._schema]).fetchall()

    @contextlib.contextmanager
    def open(self) -> Iterator[Snapshot]:
        with self._reading() as connection:
            yield _Opened(connection, self._schema)

    def _reading(self) -> contextlib.AbstractContextManager[DuckDBPyConnection]:
        try:
            require_regular(self.path)
        except OSError as error:
            raise CorpusError(f"{self.place}: {error.strerror}") from None
        return open_duck(self.place, self.path)


def _table(name: str, columns: list[tuple[Any, ...]], keys: list[tuple[Any, ...]]) -> Table:
    found = tuple(
        Column(own, _plain_type(type), nullable, type)
        for table, own, type, nullable in columns
        if table == name
    )
    mine = [(kind, tuple(own), *rest) for table, kind, own, *rest in keys if table == name]
    primary = next((own for kind, own, *_ in mine if kind == "PRIMARY KEY"), ())
    unique = sorted(own for kind, own, *_ in mine if kind == "UNIQUE")
    foreign = [
        ForeignKey(own, other, tuple(theirs)) for kind, own, other, theirs in mine if kind == "FOREIGN KEY"
    ]
    return Table(name, found, primary, tuple(unique), tuple(sorted(foreign, key=repr)))


def _plain_type(declared: str) -> str:
    return "number" if declared.startswith("DECIMAL(") else _TYPES.get(declared, "other")


@dataclass(frozen=True, slots=True)
class _Opened(Snapshot):
    connection: DuckDBPyConnection
    schema: str

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
        cursor = self.connection.cursor()
        named = f"{quoted(self.schema)}.{quoted(table)}"
        types = {name: type for name, type, *_ in cursor.execute(f"DESCRIBE {named}").fetchall()}
        shown = ", ".join(_shown(name, types.get(name, "")) for name in columns) or "1"
        found = cursor.execute(f"SELECT {shown} FROM {named}")
        while chunk := found.fetchmany(_AT_ONCE):
            for row in chunk:
                yield tuple(plain_cell(cell) for cell in row)

    def count(self, table: str) -> int:
        asked = f"SELECT count(*) FROM {quoted(self.schema)}.{quoted(table)}"
        return int(self.connection.execute(asked).fetchall()[0][0])


def _shown(name: str, type: str) -> str:
    return f"CAST({quoted(name)} AS VARCHAR)" if type in _AS_TEXT else quoted(name)
