"""All tables of a PostgreSQL or SQLite database, read in the order that their rows are kept in.

A pass reads one snapshot: what others write meanwhile does not show in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database import open_database
from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.database_writing import MARKS
from deidlab.corpus.tables.schema import Column, ForeignKey, Schema, Table
from deidlab.corpus.tables.stores import Row, Snapshot, Store, plain_cell
from deidlab.errors import CorpusError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Inspector
    from sqlalchemy.types import TypeEngine

_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class DatabaseStore(Store):
    """A database, or one schema of it."""

    place: TablePlace

    @property
    def files(self) -> Path | None:
        return self.place.file

    @property
    def path(self) -> Path:
        return self.place.file or Path(f"{Path(self.place.database).name}.{self.place.schema or 'tables'}")

    def schema(self) -> Schema:
        import sqlalchemy as sa

        with open_database(self.place) as engine, engine.connect() as connection:
            inspector = sa.inspect(connection)
            names = sorted(set(inspector.get_table_names(self.place.schema)) - {MARKS})
            if not names:
                raise CorpusError(f"{self.place}: there are no tables that this user sees")
            tables = tuple(self._table(inspector, name) for name in names)
            return Schema(tables, self.place.kind)

    def _table(self, inspector: Inspector, name: str) -> Table:
        schema, dialect = self.place.schema, inspector.bind.dialect
        columns = tuple(
            Column(row["name"], plain_type(row["type"], self.place.kind), bool(row["nullable"]),
                   row["type"].compile(dialect) if plain_type(row["type"], "") != "other" else "")
            for row in inspector.get_columns(name, schema)
        )  # fmt: skip
        foreign = tuple(
            ForeignKey(
                tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"])
            )
            for key in inspector.get_foreign_keys(name, schema)
            if key.get("referred_schema") in (None, schema)
        )
        unique = tuple(tuple(key["column_names"]) for key in inspector.get_unique_constraints(name, schema))
        primary = tuple(inspector.get_pk_constraint(name, schema)["constrained_columns"])
        return Table(name, columns, primary, tuple(sorted(unique)), tuple(sorted(foreign, key=repr)))

    @contextlib.contextmanager
    def open(self) -> Iterator[Snapshot]:
        import sqlalchemy as sa

        with open_database(self.place) as engine, engine.connect() as connection:
            if self.place.kind == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
                # Rows come as they are kept, on each pass alike.
                connection.execute(sa.text("SET synchronize_seqscans = off"))
                connection.execute(sa.text("SET max_parallel_workers_per_gather = 0"))
            yield _Connected(connection, self.place)


@dataclass(frozen=True, slots=True)
class _Connected(Snapshot):
    connection: Connection
    place: TablePlace

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
        import sqlalchemy as sa

        # Without types: the driver's own cells, and of SQLite whatever stands there.
        quote = self.connection.dialect.identifier_preparer.quote_identifier
        name = f"{quote(self.place.schema)}.{quote(table)}" if self.place.schema else quote(table)
        # With an index in place of the table, rows would not come in the order that they are kept in.
        how = " NOT INDEXED" if self.place.kind == "sqlite" else ""
        shown = ", ".join(map(quote, columns)) or "1"
        statement = sa.text(f"SELECT {shown} FROM {name}{how}".replace("\\", "\\\\").replace(":", "\\:"))
        found = self.connection.execute(
            statement, execution_options={"stream_results": True, "yield_per": _AT_ONCE}
        )
        for row in found:
            yield tuple(plain_cell(cell) for cell in row)

    def count(self, table: str) -> int:
        import sqlalchemy as sa

        found = sa.table(table, schema=self.place.schema)
        return int(self.connection.execute(sa.select(sa.func.count()).select_from(found)).scalar_one())


def plain_type(type: TypeEngine[Any], kind: str) -> str:
    """The type in words of ours; a type that is not known here is other."""
    import sqlalchemy as sa
    from sqlalchemy.dialects import postgresql as pg

    if isinstance(type, sa.DateTime):
        return "timestamptz" if type.timezone else "timestamp"
    known: tuple[tuple[Any, str], ...] = (
        (sa.Enum, "other"), (sa.SmallInteger, "int2"), (sa.BigInteger, "int8"), (sa.Integer, "int4"),
        (sa.Boolean, "bool"), (sa.Float, "float"), (sa.Numeric, "number"), (sa.Date, "date"),
        (sa.Time, "time"), (sa.Uuid, "uuid"), (sa.JSON, "json"), (pg.CITEXT, "other"), (sa.String, "text"),
    )  # fmt: skip
    found = next((name for each, name in known if isinstance(type, each)), "other")
    # SQLite's numbers all have eight bytes, and what has no type there may hold text.
    if kind == "sqlite":
        return "int8" if found.startswith("int") else "text" if isinstance(type, sa.types.NullType) else found
    return found
