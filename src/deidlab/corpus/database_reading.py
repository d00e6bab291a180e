"""A table or query in, its rows as raw documents out, in the order of their key and a chunk at a time.

Each chunk is a short query of its own that begins after the last key (never OFFSET), so that memory stays
flat, no transaction is held open for hours, and reading goes on from any key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database import Layout, look_at, open_database, selectable
from deidlab.corpus.database_cells import key_to_json, python_type, to_plain
from deidlab.corpus.database_url import Key, TablePlace
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings, build_document
from deidlab.corpus.table import find_columns, row_to_raw
from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document

if TYPE_CHECKING:
    from sqlalchemy import Connection, FromClause

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
            with engine.connect() as connection:
                rows = connection.execute(_chunk(place, table, layout, after, n_rows)).mappings().all()
            size = 0
            for row in rows:
                cells = {name: to_plain(cell) for name, cell in row.items()}
                text = cells[settings.text_column]
                size += len(text) if isinstance(text, str) else 0
                after = tuple(row[name] for name in layout.key)
                yield after, _to_raw(cells, after, path, number, settings)
                number += 1
            if len(rows) < n_rows:
                return
            n_rows = max(1, min(_LARGEST_CHUNK, _CHARACTERS_A_CHUNK * len(rows) // max(size, 1)))


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


def _to_raw(
    cells: dict[str, Any], key: Key, path: Any, number: int, settings: ReadSettings
) -> RawDocument | BadDocument:
    text = cells[settings.text_column]
    where = f"row {number} in the order of the key"
    if text is None:
        return BadDocument(path, f"{where} has no text", _name(cells, key, settings))
    if isinstance(text, str) and "\0" in text:
        return BadDocument(path, f"{where} has a NUL; this is not text", _name(cells, key, settings))
    return row_to_raw(cells, path, where, _name(cells, key, settings), settings)


def _name(cells: dict[str, Any], key: Key, settings: ReadSettings) -> str:
    """The row's id, or its key where it has none."""
    found = cells.get(settings.id_column or "id")
    return "-".join(str(to_plain(cell)) for cell in key) if found in (None, "") else str(found)


def find_layout(connection: Connection, place: TablePlace, settings: ReadSettings) -> Layout:
    """What is there to read; raises where a column that was asked for is not there, or there is no key."""
    layout = look_at(connection, place)
    find_columns(list(layout.types), place.stand_in, settings)
    missing = [name for name in layout.key if name not in layout.types]
    if missing:
        raise CorpusError(f"{place}: there is no column '{missing[0]}' (--key-column)")
    if not layout.key:
        raise ConfigError(f"{place}: there is no primary key; name a unique column with --key-column")
    return layout


def check_source(place: TablePlace, settings: ReadSettings, kept: tuple[str, ...] = ()) -> None:
    """Raise, before any work, where a column that is read or kept is not there."""
    with open_database(place) as engine, engine.connect() as connection:
        types = find_layout(connection, place, settings).types
    for name in kept:
        if name not in types:
            raise CorpusError(f"{place}: there is no column '{name}' (--keep-column)")
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
