"""A database's URL in, the table or query that it names out; nothing is opened here.

    postgresql://user@host/clinic?table=notes      sqlite:///clinic.db?table=notes      duckdb:///clinic.duckdb

`table` and `schema` are ours and leave the URL; the rest is the driver's. A URL may hold a password, so
neither the text of a place nor its repr shows the URL.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from deidlab.errors import ConfigError

Key = tuple[Any, ...]
"""The cells of a row's key columns, in order."""

_SCHEMES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "postgresql+psycopg": "postgresql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
}
_IN_FILES = ("sqlite", "duckdb")
_HIDDEN = frozenset(("password", "passfile", "sslpassword"))


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A table, or what a query selects, in a database; `last` is the key after which nothing is read."""

    kind: str
    url: str = field(repr=False)
    database: str
    table: str = ""
    schema: str | None = None
    query: str | None = field(default=None, repr=False)
    key: tuple[str, ...] = ()
    last: Key | None = field(default=None, repr=False)

    def __str__(self) -> str:
        what = (
            "a query" if self.query is not None else f"table {self.qualified}" if self.table else "all tables"
        )
        return f"{self.kind} {self.database}, {what}"

    @property
    def qualified(self) -> str:
        return f"{self.schema}.{self.table}" if self.schema else self.table

    @property
    def file(self) -> Path | None:
        """The file that is the database, where it is one."""
        return Path(self.database) if self.kind in _IN_FILES else None

    @property
    def stand_in(self) -> Path:
        """A path that names the place where a file would have one: for messages, records and run folders."""
        name = self.qualified or "query"
        if self.file is not None:
            return self.file.with_name(f"{self.file.name}.{name}")
        return Path(f"{Path(self.database).name or 'database'}.{name}")

    @property
    def has_password(self) -> bool:
        parts = urlsplit(self.url)
        return parts.password is not None or any(name in _HIDDEN for name, _ in parse_qsl(parts.query))

    def tell_apart(self) -> tuple[object, ...]:
        """What tells this place from any other; no password, and not the user who looks."""
        parts = urlsplit(self.url)
        options = [each for each in parse_qsl(parts.query) if each[0] not in _HIDDEN]
        where = self.database if self.file is None else str(self.file.resolve())
        what = (self.schema, self.table, self.query, self.key)
        return (self.kind, parts.hostname, parts.port, options, where, *what)


def parse_place(text: str) -> TablePlace:
    """The place that a URL names; its table may still be missing."""
    scheme = text.partition("://")[0].lower()
    if scheme not in _SCHEMES:
        raise ConfigError(
            "not a database that is known here: postgresql://HOST/DATABASE?table=NAME or "
            "sqlite:///FILE?table=NAME"
        )
    try:
        parts = urlsplit(text)
        port = parts.port  # a port that is no number shows here
    except ValueError:
        raise ConfigError(f"the {_SCHEMES[scheme]} URL cannot be read: host or port is not one") from None
    options = parse_qsl(parts.query, keep_blank_values=True)
    ours = {name: value for name, value in options if name in ("table", "schema")}
    theirs = urlencode([(name, value) for name, value in options if name not in ours])
    kind = _SCHEMES[scheme]
    database = unquote(parts.path.removeprefix("/"))
    if kind in _IN_FILES and (parts.netloc or not database or theirs or port):
        raise ConfigError(f"{kind}:///FILE?table=NAME is expected, with three slashes (four for /FILE)")
    if kind == "postgresql" and not database:
        raise ConfigError("the postgresql URL names no database: postgresql://HOST/DATABASE?table=NAME")
    driver = "postgresql+psycopg" if kind == "postgresql" else kind
    url = f"{driver}://{parts.netloc}{parts.path}{'?' if theirs else ''}{theirs}"
    place = TablePlace(kind, url, database, schema=ours.get("schema") or None)
    return with_table(place, ours["table"]) if ours.get("table") else place


def _served(place: TablePlace) -> TablePlace:
    """The place, if a single table of it can be read and written."""
    if place.kind == "duckdb":
        raise ConfigError("of duckdb all tables are masked together: take `deidlab tables plan`")
    return place


def with_table(place: TablePlace, table: str) -> TablePlace:
    """The same with that table, which may be written SCHEMA.TABLE."""
    schema, _, name = table.rpartition(".")
    return replace(place, table=name, schema=schema or place.schema)


def source_place(
    text: str, table: str | None = None, query: str | None = None, key: tuple[str, ...] = ()
) -> TablePlace:
    """A place to read from: one table, or one query with its key."""
    place = _served(parse_place(text))
    if table is not None and place.table:
        raise ConfigError("the source's table is named twice: in its URL and with --table")
    place = with_table(place, table) if table is not None else place
    if query is not None and place.table:
        raise ConfigError("a source is a table or a --query, not both")
    if query is None and not place.table:
        raise ConfigError("which table of the source? Add ?table=NAME to its URL, or say --table or --query")
    if query is not None and not key:
        raise ConfigError("--query needs --key-column: the column, unique in each row, to read in order of")
    return replace(place, query=query and query.strip().rstrip(";"), key=key)


def target_place(text: str, table: str | None = None) -> TablePlace:
    """A place to write to: one table."""
    place = _served(parse_place(text))
    if table is not None and place.table:
        raise ConfigError("the destination's table is named twice: in its URL and with --out-table")
    place = with_table(place, table) if table is not None else place
    if not place.table:
        raise ConfigError(
            "which table to write? Add ?table=NAME to the destination's URL, or say --out-table"
        )
    return place
