"""A database with notes in it, PostgreSQL or SQLite, for the tests of both."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deidlab.types import Document
from tests.postgres import PASSWORD, Server

KINDS = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Clinic:
    """`url` names the database; `select` and `execute` look at it and change it, past DeidLab."""

    kind: str
    folder: Path
    server: Server | None = None

    @property
    def file(self) -> Path:
        return self.folder / "clinic.db"

    def url(self, table: str | None = None) -> str:
        if self.server is None:
            return f"sqlite:///{self.file}" + (f"?table={table}" if table else "")
        return self.server.url() + (f"&table={table}" if table else "")

    def environment(self) -> dict[str, str]:
        return {} if self.server is None else {"PGPASSWORD": PASSWORD}

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        if self.server is not None:
            with self.server.connect() as connection:
                yield connection
            return
        with contextlib.closing(sqlite3.connect(self.file)) as connection, connection:
            yield connection

    def execute(self, *statements: str) -> None:
        with self.connect() as connection:
            for statement in statements:
                connection.execute(statement)

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        mark = "?" if self.server is None else "%s"
        marks = ", ".join([mark] * len(rows[0]))
        with self.connect() as connection:
            cursor = connection.cursor()
            cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return [tuple(row) for row in connection.execute(sql).fetchall()]

    def fill(self, documents: Iterable[Document], table: str = "notes") -> None:
        """A table of notes, with a key that is a bigint and not in the order in which rows are put in."""
        self.execute(
            f"CREATE TABLE {table} (nr BIGINT PRIMARY KEY, name TEXT, mrn TEXT, body TEXT, ward VARCHAR(8), seen DATE, "
            "price NUMERIC(8, 2))"
        )
        rows = [
            (
                5_000_000_000 + 3 * number,
                each.id,
                each.patient,
                each.text,
                f"W{number % 4}",
                "2068-01-02",
                3.5,
            )
            for number, each in enumerate(documents)
        ]
        self.insert(table, rows[::-1])


COLUMNS = ("--text-column", "body", "--id-column", "name", "--patient-column", "mrn")


def open_clinic(kind: str, folder: Path, request: pytest.FixtureRequest) -> Clinic:
    """An empty database of that kind; the server is asked for only where it is needed."""
    if kind == "sqlite":
        return Clinic(kind, folder)
    server = request.getfixturevalue("server")
    server.fresh_database()
    return Clinic(kind, folder, server)
