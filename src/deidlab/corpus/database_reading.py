"""A table or query in, its rows as raw documents out, in the order of their key and a chunk at a time.

Each chunk is a short query of its own that begins after the last key (never OFFSET), so that memory stays
flat, no transaction is held open for hours, and reading goes on from any key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database import Layout, look_at, open_database, selectable
from deidlab.corpus.database_cells import holds_text, key_to_id, key_to_json, python_type, to_plain
from deidlab.corpus.database_url import Key, TablePlace
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings, build_document, vetted
from deidlab.corpus.table import find_columns, row_to_raw
from deidlab.errors import ConfigError, CorpusError, MissingColumnError, describe
from deidlab.types import Document

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, FromClause

# A chunk is as many rows as hold about so many characters.
_CHARACTERS_A_CHUNK = 2 * 1024 * 1024
_FIRST_CHUNK, _LARGEST_CHUNK = 64, 2048

Row = tuple[Key, RawDocument | BadDocument]


def read_rows(
    place: TablePlace, settings: ReadSettings, after: Key | None = None, first_number: int = 1
) -> Iterator[Row]:
    """Every row after that key, up to the place's last; numbers are for messages and begin with the first."""
    path = place.stand_in
    with open_database(place) as engine:
        with engine.connect() as connection:
            layout = find_layout(connection, place, settings)
        table = selectable(place, list(layout.types))
        n_rows, number = _FIRST_CHUNK, first_number
        while True:
            rows = _fetch(engine, place, table, layout, after, n_rows)
            size = 0
            for key, row in rows:
                text = None if row is None else row[settings.text_column]
                size += len(text) if isinstance(text, str | bytes) else 0
                yield key, _to_raw(row, key, path, number, settings)
                after, number = key, number + 1
            if len(rows) < n_rows:
                return
            n_rows = max(1, min(_LARGEST_CHUNK, _CHARACTERS_A_CHUNK * len(rows) // max(size, 1)))


_Fetched = tuple[Key, Mapping[Any, Any] | None]


def _fetch(
    engine: Engine, place: TablePlace, table: FromClause, layout: Layout, after: Key | None, n_rows: int
) -> list[_Fetched]:
    """The next rows by their keys; None for a row with a value that the driver cannot hold."""
    from sqlalchemy.exc import DataError

    statement = _chunk(place, table, layout, after, n_rows)
    try:
        with engine.connect() as connection:
            rows = connection.execute(statement).mappings().all()
        return [(_key_of(row, layout, place), row) for row in rows]
    except DataError:
        pass
    # Such as PostgreSQL's date 'infinity', in any column; which row has it shows when each is read alone.
    with engine.connect() as connection:
        keys = statement.with_only_columns(*(table.c[name] for name in layout.key))
        found = [tuple(row) for row in connection.execute(keys).all()]
    if n_rows == 1:
        return [(key, None) for key in found]
    alone: list[_Fetched] = []
    for before, key in zip((after, *found), found, strict=False):
        alone += _fetch(engine, replace(place, last=key), table, layout, before, 1)
    return alone


def read_table(place: TablePlace, settings: ReadSettings) -> Iterator[Document]:
    """Every row, checked; the first that cannot be read raises."""
    for _, raw in read_rows(place, settings):
        if isinstance(raw, BadDocument):
            raise CorpusError(str(raw))
        yield build_document(raw)


def _chunk(place: TablePlace, table: FromClause, layout: Layout, after: Key | None, n_rows: int) -> Any:
    import sqlalchemy as sa

    columns = [table.c[name] for name in layout.key]
    statement = sa.select(*table.c).order_by(*columns).limit(n_rows)
    # PostgreSQL must be told that a number is a bigint; SQLite's cells have types of their own.
    types = [layout.types[name] if place.kind == "postgresql" else None for name in layout.key]

    def whole(cells: Sequence[Any]) -> Any:
        return cells[0] if len(cells) == 1 else sa.tuple_(*cells)

    def bound(key: Key) -> Any:
        return whole([sa.literal(cell, type) for cell, type in zip(key, types, strict=True)])

    if after is not None:
        statement = statement.where(whole(columns) > bound(after))
    if place.last is not None:
        statement = statement.where(whole(columns) <= bound(place.last))
    return statement


def _key_of(row: Mapping[Any, Any], layout: Layout, place: TablePlace) -> Key:
    key = tuple(row[name] for name in layout.key)
    if any(isinstance(cell, bytes) for cell in key):
        # SQLite puts bytes after all text: going on from this key would pass over rows of text.
        raise CorpusError(f"{place}: a key is bytes, or not UTF-8; name another --key-column")
    return key


def _to_raw(
    row: Mapping[Any, Any] | None, key: Key, path: Any, number: int, settings: ReadSettings
) -> RawDocument | BadDocument:
    where = f"row {number} in the order of the key"
    if row is None:
        return vetted(BadDocument(path, f"{where} has a value that cannot be read", key_to_id(key)))
    text = row[settings.text_column]
    name = _name(row, key, settings)
    if text is None and not settings.field_columns:
        reason = "has no text"
    elif isinstance(text, bytes | bytearray | memoryview):
        reason = "holds bytes, or text that is not UTF-8, where its text should be"
    elif not isinstance(text, str | None):
        reason = f"holds a value of type {type(text).__name__} where its text should be"
    elif text is not None and "\0" in text:
        reason = "has a NUL; this is not text"
    else:
        try:
            cells = {column: to_plain(cell) for column, cell in row.items()}
            return vetted(row_to_raw(cells, path, where, name, settings))
        except Exception as error:
            reason = f"cannot be read: {describe(error)}"
    return vetted(BadDocument(path, f"{where} {reason}", name))


def _name(row: Mapping[Any, Any], key: Key, settings: ReadSettings) -> str:
    """The row's id, or its key where it has none."""
    found = to_plain(row.get(settings.id_column or "id"))
    return key_to_id(key) if found in (None, "") or isinstance(found, bytes) else str(found)


def find_layout(connection: Connection, place: TablePlace, settings: ReadSettings) -> Layout:
    """What is there to read; raises where a column that was asked for is not there, or there is no key."""
    layout = look_at(connection, place)
    find_columns(list(layout.types), place.stand_in, settings)
    missing = [name for name in layout.key if name not in layout.types]
    if missing:
        raise MissingColumnError(f"{place}: there is no column '{missing[0]}' (--key-column)")
    if not layout.key:
        raise ConfigError(f"{place}: there is no primary key; name a unique column with --key-column")
    # SQLite's cells have types of their own, whatever the column's is called.
    if place.kind != "sqlite" and not holds_text(layout.types[settings.text_column]):
        raise ConfigError(f"{place}: column '{settings.text_column}' (--text-column) does not hold text")
    return layout


def check_source(place: TablePlace, settings: ReadSettings, kept: tuple[str, ...] = ()) -> None:
    """Raise, before any work, where a column that is read or kept is not there."""
    with open_database(place) as engine, engine.connect() as connection:
        types = find_layout(connection, place, settings).types
    for name in kept:
        if name not in types:
            raise MissingColumnError(f"{place}: there is no column '{name}' (--keep-column)")
        if python_type(types[name]) is bytes:
            raise ConfigError(f"{place}: column '{name}' holds bytes, which are not carried over")


def pin_place(place: TablePlace, settings: ReadSettings) -> TablePlace:
    """The place as far as its last key of now, once it is sure that its key tells its rows apart."""
    with open_database(place) as engine, engine.connect() as connection:
        layout = find_layout(connection, place, settings)
        table = selectable(place, list(layout.types))
        _check_key(connection, place, layout, table)
        import sqlalchemy as sa

        columns = [table.c[name] for name in layout.key]
        last = connection.execute(
            sa.select(*columns).order_by(*(each.desc() for each in columns)).limit(1)
        ).first()
    if last is None:
        raise CorpusError(f"{place}: there are no rows")
    key_to_json(tuple(last))
    return replace(place, key=layout.key, last=tuple(last))


def measure_rows(place: TablePlace, settings: ReadSettings) -> tuple[int, Key | None]:
    """How many rows there are up to the place's last key, and the first key of them."""
    import sqlalchemy as sa

    with open_database(place) as engine, engine.connect() as connection:
        layout = find_layout(connection, place, settings)
        table = selectable(place, list(layout.types))
        rows = _chunk(place, table, layout, None, 1).limit(None).order_by(None).subquery()
        count = connection.execute(sa.select(sa.func.count()).select_from(rows)).scalar_one()
        # The key alone: some other cell of the row may hold what cannot be read.
        key = [table.c[name] for name in layout.key]
        first = connection.execute(_chunk(place, table, layout, None, 1).with_only_columns(*key)).first()
    return int(count), None if first is None else tuple(first)


def _check_key(connection: Connection, place: TablePlace, layout: Layout, table: FromClause) -> None:
    """Rows of one key would be lost between two chunks, and rows without one are never read."""
    import sqlalchemy as sa

    columns = [table.c[name] for name in layout.key]
    empty = (
        sa.select(sa.literal(1)).select_from(table).where(sa.or_(*(c.is_(None) for c in columns))).limit(1)
    )
    if connection.execute(empty).first() is not None:
        raise CorpusError(f"{place}: the key is empty in some rows ({', '.join(layout.key)})")
    if _is_unique(connection, place, layout.key):
        return
    twice = sa.select(*columns).group_by(*columns).having(sa.func.count() > 1).limit(1)
    if connection.execute(twice).first() is not None:
        raise CorpusError(
            f"{place}: several rows have the same key ({', '.join(layout.key)}); name columns that are "
            "unique together with --key-column"
        )


def _is_unique(connection: Connection, place: TablePlace, key: tuple[str, ...]) -> bool:
    """Whether the database itself holds the key unique, so that nothing need be counted."""
    import sqlalchemy as sa

    if place.query is not None:
        return False
    inspector = sa.inspect(connection)
    unique = [inspector.get_pk_constraint(place.table, place.schema)["constrained_columns"]]
    unique += [each["column_names"] for each in inspector.get_unique_constraints(place.table, place.schema)]
    return any(columns and set(columns) <= set(key) for columns in unique)


def count_rows(place: TablePlace) -> int:
    """How many rows there are to read."""
    import sqlalchemy as sa

    with open_database(place) as engine, engine.connect() as connection:
        names = list(look_at(connection, place).types)
        found = connection.execute(sa.select(sa.func.count()).select_from(selectable(place, names)))
        return int(found.scalar_one())
