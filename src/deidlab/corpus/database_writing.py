"""Rows in, a table of a database out: one transaction a chunk, and in it the mark of how far it got.

The marks stand in `deidlab_runs` beside the table. A run that is killed goes on after its mark; one that has
lost its own folder looks at each id. Either way no row is written twice, and none into the source's table.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database import has_table, look_at, open_database, tables_read
from deidlab.corpus.database_cells import from_plain, python_type
from deidlab.corpus.database_url import TablePlace
from deidlab.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table
    from sqlalchemy.types import TypeEngine

MARKS = "deidlab_runs"
_ROWS_A_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Writing:
    """Which run writes: the same `job` may go on, with the same `token` from its mark."""

    job: str
    token: str
    append: bool = False
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    token: str
    rows_done: int
    finished: str | None


@dataclass(slots=True)
class Written:
    """What became of the rows; `there` were in the table before."""

    rows: int = 0
    there: int = 0


def check_target(
    place: TablePlace, source: TablePlace | None, columns: Sequence[str], writing: Writing
) -> None:
    """Raise, before any work, where the table cannot be written as asked."""
    if source is not None and _is_read(source, place):
        raise ConfigError(f"{place}: the source is read from this table; masked notes go into another one")
    with open_database(place, writing=True) as engine, engine.begin() as connection:
        marks = marks_table(place)
        marks.metadata.create_all(connection)
        if not has_table(connection, place) or writing.overwrite:
            return
        if writing.append:
            _check_columns(connection, place, columns)
        elif not _may_go_on(_find_mark(connection, place, marks, writing), writing):
            _refuse(place)


def _refuse(place: TablePlace) -> None:
    raise CorpusError(
        f"{place}: already there; choose another name, add to it with --append, or replace it with "
        "--overwrite"
    )


def _check_columns(connection: Connection, place: TablePlace, columns: Sequence[str]) -> None:
    there = look_at(connection, place).types
    missing = [name for name in columns if name not in there]
    if missing:
        raise CorpusError(
            f"{place}: has no column '{missing[0]}' to append to, among its {len(there)} columns"
        )


def _is_read(source: TablePlace, target: TablePlace) -> bool:
    """Whether the target is a table that the source is read from, through views too."""
    if source.kind != target.kind:
        return False
    if source.file is not None and target.file is not None:
        if not target.file.exists() or not source.file.exists() or not source.file.samefile(target.file):
            return False
        with open_database(source) as engine, engine.connect() as connection:
            return (None, target.table.lower()) in tables_read(connection, source)
    with open_database(source) as engine, engine.connect() as connection:
        found = {(schema, name) for schema, name in tables_read(connection, source)}
        server = server_of(connection)
    with open_database(target) as engine, engine.connect() as connection:
        schema = target.schema or connection.dialect.default_schema_name
        return server == server_of(connection) and (schema, target.table) in found


def server_of(connection: Connection) -> tuple[Any, ...]:
    """Tells one server's database from another's, whatever name it was called by."""
    import sqlalchemy as sa

    return tuple(connection.execute(sa.text("SELECT current_database(), pg_postmaster_start_time()")).one())


def marks_table(place: TablePlace) -> Table:
    import sqlalchemy as sa

    return sa.Table(
        MARKS,
        sa.MetaData(schema=place.schema),
        sa.Column("run", sa.String(64), primary_key=True),
        sa.Column("target", sa.String(200), primary_key=True),
        sa.Column("token", sa.String(64)),
        sa.Column("rows_done", sa.BigInteger),
        sa.Column("finished", sa.String(32)),
    )


def _find_mark(connection: Connection, place: TablePlace, marks: Table, writing: Writing) -> _Mark | None:
    import sqlalchemy as sa

    cells = (marks.c.token, marks.c.rows_done, marks.c.finished)
    mine = sa.select(*cells).where(marks.c.run == writing.job, marks.c.target == place.table)
    found = connection.execute(mine).first()
    return None if found is None else _Mark(*found)


def _may_go_on(mark: _Mark | None, writing: Writing) -> bool:
    """Whether what stands in the table is of this very run, or of the same job and unfinished."""
    return mark is not None and (mark.token == writing.token or mark.finished is None)


def write_rows(
    place: TablePlace,
    columns: Mapping[str, TypeEngine[Any]],
    rows: Iterable[Sequence[Any]],
    writing: Writing,
) -> Written:
    """Write the rows, of which the first column is the id; those that this run wrote are passed over."""
    written = Written()
    with open_database(place, writing=True) as engine:
        with engine.begin() as connection:
            done = _begin(connection, place, columns, writing)
            table = _as_it_is(connection, place, columns)
        marks, source = marks_table(place), iter(rows)
        written.rows = sum(1 for _ in islice(source, done))
        for chunk in _chunks(source):
            with engine.begin() as connection:
                fresh = _absent(connection, table, [_to_cells(table, place, row) for row in chunk])
                if fresh:
                    connection.execute(table.insert(), fresh)
                _move_mark(connection, place, marks, writing, written.rows, len(chunk))
            written.rows += len(chunk)
            written.there += len(chunk) - len(fresh)
        with engine.begin() as connection:
            _move_mark(connection, place, marks, writing, written.rows, None)
    return written


def _begin(
    connection: Connection, place: TablePlace, columns: Mapping[str, TypeEngine[Any]], writing: Writing
) -> int:
    """The table and the mark of this run, made where missing; how many rows the mark says are done."""
    import sqlalchemy as sa

    marks = marks_table(place)
    marks.metadata.create_all(connection)
    mine = sa.and_(marks.c.run == writing.job, marks.c.target == place.table)
    there = has_table(connection, place)
    mark = _find_mark(connection, place, marks, writing)
    if there and mark is not None and mark.token == writing.token:
        return mark.rows_done
    if there and writing.overwrite:
        sa.Table(place.table, sa.MetaData(schema=place.schema)).drop(connection)
        there = False
    if not there:
        cells = [sa.Column(name, type, primary_key=not k) for k, (name, type) in enumerate(columns.items())]
        sa.Table(place.table, sa.MetaData(schema=place.schema), *cells).create(connection)
    elif not writing.append and not _may_go_on(mark, writing):
        _refuse(place)
    connection.execute(marks.delete().where(mine))
    connection.execute(
        marks.insert().values(run=writing.job, target=place.table, token=writing.token, rows_done=0)
    )
    return 0


def _as_it_is(connection: Connection, place: TablePlace, columns: Mapping[str, TypeEngine[Any]]) -> Table:
    """The table's columns that are written, with the types that the database says they have."""
    import sqlalchemy as sa

    _check_columns(connection, place, list(columns))
    types = look_at(connection, place).types
    cells: list[Any] = []
    for name in columns:
        # SQLite's cells have their own types; SQLAlchemy would refuse a text in a column of dates.
        own = place.kind == "sqlite" and not isinstance(types[name], sa.JSON)
        cells.append(sa.Column(name, None if own else types[name]))
    return sa.Table(place.table, sa.MetaData(schema=place.schema), *cells)


def _to_cells(table: Table, place: TablePlace, row: Sequence[Any]) -> dict[str, Any]:
    import sqlalchemy as sa

    cells = {}
    for column, cell in zip(table.columns, row, strict=True):
        kind = str if isinstance(cell, list | dict) and not isinstance(column.type, sa.JSON) else None
        cells[column.name] = from_plain(
            cell, kind if place.kind == "sqlite" else kind or python_type(column.type)
        )
    return cells


def _absent(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows whose id is not in the table yet."""
    import sqlalchemy as sa

    column = next(iter(table.columns))
    ids = [row[column.name] for row in rows]
    there = set(connection.execute(sa.select(column).where(column.in_(ids))).scalars())
    return [row for row in rows if row[column.name] not in there]


def _move_mark(
    connection: Connection,
    place: TablePlace,
    marks: Table,
    writing: Writing,
    done: int,
    n_rows: int | None,
) -> None:
    """Move this run's mark on by so many rows, None where all are written; where it is not as this run left
    it, another run has taken over."""
    import sqlalchemy as sa

    mine = sa.and_(
        marks.c.run == writing.job, marks.c.target == place.table, marks.c.token == writing.token,
        marks.c.rows_done == done,
    )  # fmt: skip
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    change = (
        marks.update()
        .where(mine)
        .values(rows_done=done + (n_rows or 0), finished=now if n_rows is None else None)
    )
    if connection.execute(change).rowcount != 1:
        raise CorpusError(f"{place}: another run of the same job is writing this table")


def _chunks(rows: Iterator[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    while chunk := list(islice(rows, _ROWS_A_CHUNK)):
        yield chunk
