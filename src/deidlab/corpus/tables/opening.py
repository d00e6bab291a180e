"""A URL or a path in, the place of tables that it names out: the one list of their kinds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.database_url import parse_place
from deidlab.corpus.tables.folder import FolderStore, FolderTarget
from deidlab.corpus.tables.stores import Store, Target
from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace


def open_store(text: str) -> Store:
    """The place to read; `text` is a database's URL or a folder."""
    if "://" not in text:
        return FolderStore(Path(text))
    place = _whole(text)
    if place.kind == "duckdb":
        from deidlab.corpus.tables.duck import DuckStore

        return DuckStore(place)
    from deidlab.corpus.tables.database import DatabaseStore

    return DatabaseStore(place)


def open_target(text: str, to: str | None = None) -> Target:
    """The place to write; `to` is the format of files, else the source's."""
    if "://" not in text:
        return FolderTarget(Path(text), to)
    place = _whole(text)
    if place.kind == "duckdb":
        from deidlab.corpus.tables.duck_filling import DuckTarget

        return DuckTarget(place)
    from deidlab.corpus.tables.filling import DatabaseTarget

    return DatabaseTarget(place)


def _whole(text: str) -> TablePlace:
    place = parse_place(text)
    if place.table:
        raise ConfigError("a whole database is meant: leave ?table= out of the URL")
    return place
