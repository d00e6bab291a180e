"""Databases through SQLAlchemy: opened, asked what they hold, and their errors turned into ours.

What goes wrong is told by kind alone: drivers quote the cells, the SQL and sometimes the password.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_url import TablePlace
from deidlab.errors import ConfigError, CorpusError, MissingExtraError
from deidlab.inputfile import require_regular

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, FromClause
    from sqlalchemy.types import TypeEngine

# By SQLSTATE, or its first two characters.
_STATES = {
    "28": "the server does not let this user in",
    "3D000": "there is no such database",
    "3F000": "there is no such schema",
    "42P01": "there is no such table",
    "42703": "there is no such column",
    "42501": "this user may not do that",
    "42": "the query is not valid SQL",
    "23505": "a row with the same key is there already",
    "23": "a rule of the table forbids a row",
    "22": "a value does not fit its column's type",
    "25006": "a query that writes: the source is only read",
    "53": "the server has no room left",
    "57": "the server ended the connection",
}
_SQLITE = {
    "SQLITE_CANTOPEN": "there is no such file, or it cannot be opened",
    "SQLITE_NOTADB": "the file is not an SQLite database",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_BUSY": "another program has locked it",
    "SQLITE_FULL": "no space left on the disk that holds it",
    "SQLITE_READONLY_ROLLBACK": "a program was ended while it wrote; who may write to it has to open it once",
    "SQLITE_READONLY": "it cannot be written to",
    "SQLITE_CONSTRAINT": "a rule of the table forbids a row",
    "SQLITE_ERROR": "the query is not valid SQL, or names a table or column that is not there",
}
_LOOK = "SELECT count(*) FROM sqlite_master"
_CONNECTING = {
    "Connection refused": "nobody answers there",
    "could not translate host name": "the host's name is not known",
    "failed to resolve host": "the host's name is not known",
    "timeout": "nobody answers there in time",
    "No such file": "no server listens on that socket",
    "password": "the server wants a password that it was not given, or another (PGPASSWORD, ~/.pgpass)",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A place as it is: its columns with their types, and the columns of its key."""

    types: dict[str, TypeEngine[Any]]
    key: tuple[str, ...]


@contextlib.contextmanager
def open_database(place: TablePlace, writing: bool = False) -> Iterator[Engine]:
    """Connections to a place: only for reading, unless `writing`. What fails inside is raised as ours."""
    try:
        from sqlalchemy.exc import SQLAlchemyError

        known: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error)
        if place.kind == "postgresql":
            import psycopg

            known = (*known, psycopg.Error)  # what is copied in bulk goes past SQLAlchemy
    except ImportError:
        raise MissingExtraError(f"{place.kind} as a source or destination", "db") from None
    for name in ("sqlalchemy", "psycopg"):
        # Without a handler of anybody's, what they log would be printed.
        logging.getLogger(name).addHandler(logging.NullHandler())
    engine: Engine | None = None
    try:
        engine = _sqlite(place, writing) if place.kind == "sqlite" else _postgresql(place, writing)
        yield engine
    except known as error:
        raise CorpusError(f"{place}: {_reason(error)}") from None
    finally:
        if engine is not None:
            engine.dispose()


def _postgresql(place: TablePlace, writing: bool) -> Engine:
    import sqlalchemy as sa

    engine = sa.create_engine(
        place.url,
        hide_parameters=True,
        pool_pre_ping=True,
        connect_args={"connect_timeout": 20, "application_name": "deidlab"},
    )
    return engine if writing else engine.execution_options(postgresql_readonly=True)


def _sqlite(place: TablePlace, writing: bool) -> Engine:
    import sqlalchemy as sa

    assert place.file is not None
    if place.file.exists():
        try:
            require_regular(place.file)
        except OSError as error:
            raise CorpusError(f"{place}: {error.strerror}") from None
    if writing:
        place.file.parent.mkdir(parents=True, exist_ok=True)
    file = place.file.resolve().as_uri()

    def connect() -> sqlite3.Connection:
        return _connect(file, "rwc") if writing else _connect_reading(file)

    engine = sa.create_engine("sqlite://", creator=connect, hide_parameters=True, poolclass=sa.pool.NullPool)
    begin = "BEGIN IMMEDIATE" if writing else "BEGIN"
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _connect(file: str, mode: str) -> sqlite3.Connection:
    # Left to itself the module commits before it changes a table; transactions are begun elsewhere instead.
    connection = sqlite3.connect(f"{file}?mode={mode}", uri=True, timeout=30, isolation_level=None)
    connection.text_factory = _text_or_bytes
    return connection


def _text_or_bytes(cell: bytes) -> str | bytes:
    """SQLite takes anything for text: what is not UTF-8 stays bytes here, and costs its own row alone."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell


def _connect_reading(file: str) -> sqlite3.Connection:
    """A connection that only reads; where a program was killed while it wrote, what it left is undone first.

    Whoever opens such a file to write does that; a connection that only reads cannot.
    """
    connection = _connect(file, "ro")
    try:
        connection.execute(_LOOK)
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorname != "SQLITE_READONLY_ROLLBACK":
            raise
        with contextlib.closing(_connect(file, "rw")) as other:
            other.execute(_LOOK)
        connection = _connect(file, "ro")
    return connection


def _reason(error: BaseException) -> str:
    """What went wrong, in words of ours."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", "") or ""
        found = next((said for start, said in _SQLITE.items() if name.startswith(start)), None)
        return found or f"SQLite refuses ({name or type(cause).__name__})"
    state = getattr(cause, "sqlstate", None)
    if state:
        said = _STATES.get(state) or _STATES.get(state[:2])
        return f"{said} (SQLSTATE {state})" if said else f"the server refuses (SQLSTATE {state})"
    said = next((words for start, words in _CONNECTING.items() if start in str(cause)), None)
    return f"cannot connect: {said}" if said else f"the database refuses ({type(cause).__name__})"


def selectable(place: TablePlace, names: list[str]) -> FromClause:
    """The table or query as something to select those columns from."""
    import sqlalchemy as sa

    columns: list[Any] = [sa.column(name) for name in names]
    if place.query is None:
        return sa.table(place.table, *columns, schema=place.schema)
    return sa.text(f"{_escaped(place.query)}\n").columns(*columns).subquery("source")


def look_at(connection: Connection, place: TablePlace) -> Layout:
    """What a place holds; a table or column that is not there is an error."""
    if place.query is not None:
        return Layout(_types_of_query(connection, place), place.key)
    import sqlalchemy as sa

    inspector = sa.inspect(connection)
    if not has_table(connection, place):
        n_tables = len(inspector.get_table_names(place.schema))
        raise CorpusError(f"{place}: there is no such table among the {n_tables} that this user sees there")
    types = {row["name"]: row["type"] for row in inspector.get_columns(place.table, place.schema)}
    primary = tuple(inspector.get_pk_constraint(place.table, place.schema)["constrained_columns"])
    return Layout(types, place.key or primary)


def has_table(connection: Connection, place: TablePlace) -> bool:
    """Whether there is such a table or view."""
    import sqlalchemy as sa

    inspector = sa.inspect(connection)
    return inspector.has_table(place.table, place.schema)


def _types_of_query(connection: Connection, place: TablePlace) -> dict[str, TypeEngine[Any]]:
    """A query's columns; what their first cells show is their type."""
    import sqlalchemy as sa

    from deidlab.corpus.database_cells import type_of_cells

    rows = connection.execute(sa.text(f"{_escaped(_select_all(connection, place))} LIMIT 100"))
    names = list(rows.keys())
    if len(set(names)) < len(names):
        raise ConfigError(f"{place}: two columns have the same name; give them names with AS")
    cells = rows.all()
    return {name: type_of_cells(row[index] for row in cells) for index, name in enumerate(names)}


def _select_all(connection: Connection, place: TablePlace) -> str:
    import sqlalchemy as sa

    if place.query is not None:
        # The line end closes a comment that the query may end with.
        return f"SELECT * FROM ({place.query}\n) AS source"
    table = sa.table(place.table, schema=place.schema)
    return f"SELECT * FROM {connection.dialect.identifier_preparer.format_table(table)}"


def _escaped(sql: str) -> str:
    """As `text` takes it: a colon would begin a parameter; in a person's query it is a cast or in a text."""
    return sql.replace("\\", "\\\\").replace(":", "\\:")


def tables_read(connection: Connection, place: TablePlace) -> set[tuple[str | None, str]]:
    """The tables that reading a place reads, also behind views, as (schema, name)."""
    import sqlalchemy as sa

    sql = _select_all(connection, place)
    if place.kind == "sqlite":
        return _tables_of_sqlite(connection, sql)
    plan = connection.execute(sa.text(f"EXPLAIN (VERBOSE, FORMAT JSON) {_escaped(sql)}")).scalar_one()
    return set(_relations(plan if isinstance(plan, list) else json.loads(plan)))


def _relations(plan: Any) -> Iterator[tuple[str | None, str]]:
    if isinstance(plan, list):
        for each in plan:
            yield from _relations(each)
    elif isinstance(plan, dict):
        if "Relation Name" in plan:
            yield plan.get("Schema"), plan["Relation Name"]
        for each in plan.values():
            yield from _relations(each)


def _tables_of_sqlite(connection: Connection, sql: str) -> set[tuple[str | None, str]]:
    found: set[tuple[str | None, str]] = set()

    def note(action: int, first: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ and first:
            found.add((None, first.lower()))
        return sqlite3.SQLITE_OK

    driver: Any = connection.connection.driver_connection
    driver.set_authorizer(note)
    try:
        driver.execute(f"EXPLAIN {sql}")
    finally:
        driver.set_authorizer(None)
    return found
