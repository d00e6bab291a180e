"""Masked tables into a PostgreSQL or SQLite database: all in one transaction, constraints at its end.

Whoever looks sees nothing or everything. In PostgreSQL the mark of the run in `deidlab_runs` is part of the
transaction, so that a run which is killed right after it does not write twice. An SQLite file is made aside.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database import open_database
from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.database_writing import MARKS, marks_table, server_of
from deidlab.corpus.tables.database import DatabaseStore
from deidlab.corpus.tables.declaring import (
    declared_columns,
    declared_types,
    foreign_keys,
    listed,
    own_keys,
    quoted,
)
from deidlab.corpus.tables.plan import TablePlan
from deidlab.corpus.tables.schema import ForeignKey
from deidlab.corpus.tables.stores import Filled, Filling, Row, Store, Target
from deidlab.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class DatabaseTarget(Target):
    """A database, or one schema of it."""

    place: TablePlace
    kind: str = "database"

    @property
    def path(self) -> Path:
        return self.place.file or Path(f"{Path(self.place.database).name}.{self.place.schema or 'tables'}")

    @property
    def files(self) -> Path | None:
        return self.place.file

    def check(self, source: Store, filling: Filling) -> None:
        if self.place.file is not None:
            return  # as any other file
        with open_database(self.place, writing=True) as engine, engine.begin() as connection:
            if isinstance(source, DatabaseStore) and self._is_source(connection, source):
                raise ConfigError(
                    f"{self.place}: the source is read from there; name another database or schema"
                )
            self._check_there(connection, filling)

    def _is_source(self, connection: Connection, source: DatabaseStore) -> bool:
        usual = connection.dialect.default_schema_name
        if source.place.kind != self.place.kind or (source.place.schema or usual) != (
            self.place.schema or usual
        ):
            return False
        with open_database(source.place) as engine, engine.connect() as other:
            return server_of(connection) == server_of(other)

    def _check_there(self, connection: Connection, filling: Filling) -> None:
        """Raise where a table of the plan is there, unless this run wrote it or may replace it."""
        if filling.overwrite or self._is_done(connection, filling):
            return
        import sqlalchemy as sa

        there = set(sa.inspect(connection).get_table_names(self.place.schema))
        n_there = sum(table.name in there for table in filling.plan.written)
        if n_there:
            raise CorpusError(
                f"{self.place}: {n_there} of the plan's tables are there; empty it, or --overwrite"
            )

    def _is_done(self, connection: Connection, filling: Filling) -> bool:
        import sqlalchemy as sa

        if not sa.inspect(connection).has_table(MARKS, self.place.schema):
            return False
        marks = marks_table(self.place)
        mine = sa.select(marks.c.token).where(marks.c.run == filling.job, marks.c.target == "")
        return bool(connection.execute(mine).scalar() == filling.token)

    def fill(self, filling: Filling, rows: Iterable[tuple[int, Row]], unnamed: Path) -> Filled:
        if self.place.file is not None:
            return _fill_sqlite(unnamed, filling, rows)
        with open_database(self.place, writing=True) as engine, engine.begin() as connection:
            if self._is_done(connection, filling):
                for _ in rows:
                    pass
                return Filled({})
            self._check_there(connection, filling)
            return self._fill_postgresql(connection, filling, rows)

    def _fill_postgresql(
        self, connection: Connection, filling: Filling, rows: Iterable[tuple[int, Row]]
    ) -> Filled:
        writing = _Statements(connection, self.place.schema, filling)
        if self.place.schema:
            writing.run(f"CREATE SCHEMA IF NOT EXISTS {quoted(self.place.schema)}")
        for table in filling.plan.written:
            if filling.overwrite:
                writing.run(f"DROP TABLE IF EXISTS {writing.name(table.name)} CASCADE")
            writing.run(writing.create(table))
        driver: Any = connection.connection.driver_connection
        for number, group in groupby(rows, key=lambda row: row[0]):
            table = filling.plan.tables[number]
            names = listed(each.name for each in table.kept)
            with (
                driver.cursor() as cursor,
                cursor.copy(f"COPY {writing.name(table.name)} ({names}) FROM STDIN") as copy,
            ):
                for _, cells in group:
                    copy.write_row(cells)
        filled = writing.constrain()
        self._mark(connection, filling)
        return filled

    def _mark(self, connection: Connection, filling: Filling) -> None:
        marks = marks_table(self.place)
        marks.metadata.create_all(connection)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        connection.execute(marks.delete().where(marks.c.run == filling.job, marks.c.target == ""))
        connection.execute(
            marks.insert().values(run=filling.job, target="", token=filling.token, rows_done=0, finished=now)
        )


@dataclass(frozen=True, slots=True)
class _Statements:
    """The SQL of a filling, for a connection's own dialect."""

    connection: Connection
    schema: str | None
    filling: Filling

    def name(self, table: str) -> str:
        return f"{quoted(self.schema)}.{quoted(table)}" if self.schema else quoted(table)

    def run(self, statement: str) -> None:
        self.connection.exec_driver_sql(statement.replace("%", "%%"))

    def create(self, table: TablePlan) -> str:
        cells = declared_columns(table, declared_types(table, "postgresql", self.filling))
        return f"CREATE TABLE {self.name(table.name)} ({', '.join(cells)})"

    def constrain(self) -> Filled:
        """Keys of every table and then those between tables; one that no longer holds is counted."""
        left_out: dict[str, int] = {}
        for table, statement in (*self._keys(left_out), *self._foreign(left_out)):
            with_one = self.connection.begin_nested()
            try:
                self.run(f"ALTER TABLE {self.name(table)} ADD {statement}")
                with_one.commit()
            except Exception as error:
                if type(error).__name__ not in ("IntegrityError", "ProgrammingError"):
                    raise
                with_one.rollback()
                left_out[table] = left_out.get(table, 0) + 1
        return Filled(left_out, sum(left_out.values()))

    def _keys(self, left_out: dict[str, int]) -> Iterator[tuple[str, str]]:
        for table in self.filling.plan.written:
            for words, names in own_keys(table, self.filling):
                yield table.name, f"{words} ({listed(names)})"

    def _foreign(self, left_out: dict[str, int]) -> Iterator[tuple[str, str]]:
        for table, key in foreign_keys(self.filling):
            names, referred = listed(key.columns), listed(key.referred)
            yield table, f"FOREIGN KEY ({names}) REFERENCES {self.name(key.table)} ({referred})"


def _fill_sqlite(path: Path, filling: Filling, rows: Iterable[tuple[int, Row]]) -> Filled:
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        foreign = list(foreign_keys(filling))
        for table in filling.plan.written:
            database.execute(
                _create_sqlite(table, filling, [key for name, key in foreign if name == table.name])
            )
        for number, group in groupby(rows, key=lambda row: row[0]):
            table = filling.plan.tables[number]
            marks = ", ".join("?" * len(table.kept))
            insert = f"INSERT INTO {quoted(table.name)} VALUES ({marks})"
            cells = (tuple(cell for cell in row) for _, row in group)
            while chunk := list(islice(cells, _AT_ONCE)):
                database.executemany(insert, chunk)
        database.execute("COMMIT")
        broken = sum(1 for _ in database.execute("PRAGMA foreign_key_check"))
        return Filled({}, broken)
    except sqlite3.Error as error:
        raise CorpusError(f"the tables cannot be written ({error.sqlite_errorname})") from None
    finally:
        database.close()


def _create_sqlite(table: TablePlan, filling: Filling, foreign: list[ForeignKey]) -> str:
    known = filling.schema.table(table.name)
    types = declared_types(table, "sqlite", filling)
    if len(known.primary) == 1 and types.get(known.primary[0], "").upper() == "INTEGER":
        # As INTEGER it would be the number that SQLite orders rows by: they keep the order that they had.
        types[known.primary[0]] = "BIGINT"
    cells = declared_columns(table, types)
    cells += [f"{words} ({listed(names)})" for words, names in own_keys(table, filling)]
    for key in foreign:
        cells.append(
            f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {quoted(key.table)} ({listed(key.referred)})"
        )
    return f"CREATE TABLE {quoted(table.name)} ({', '.join(cells)})"
