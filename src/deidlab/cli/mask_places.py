"""Where `deidlab mask` reads and writes: files and folders, or tables of a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.output import tell

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace

Source = Annotated[
    str,
    typer.Argument(
        metavar="SRC",
        help="A file, a folder read with its subfolders, - for standard input, or a database's table: "
        "postgresql://HOST/DB?table=NAME, sqlite:///FILE?table=NAME.",
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out", "-o", metavar="DST", help="The file, folder or database's table to write, or - for stdout."
    ),
]
Table = Annotated[
    str | None, typer.Option(metavar="NAME", help="Databases: the table to read, if not in SRC's URL.")
]
Query = Annotated[
    str | None, typer.Option(metavar="SQL", help="Databases: read what this selects instead of a table.")
]
KeyColumn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Databases: the unique column to read in the order of; repeatable [default: the primary key].",
    ),
]
OutTable = Annotated[
    str | None, typer.Option(metavar="NAME", help="Databases: the table to write, if not in DST's URL.")
]
Append = Annotated[
    bool,
    typer.Option(
        "--append", help="Databases: add to a table that is there; ids that it has are passed over."
    ),
]
RunFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Databases: where the unfinished run and its record stand [default: beside an SQLite file, else "
        "here].",
    ),
]


def is_database(text: str) -> bool:
    """Whether a source or destination is a database rather than a file, which then meets no code of one."""
    return "://" in text


def find_source(text: str, table: str | None, query: str | None, key: list[str] | None) -> TablePlace | None:
    """The table to read; None where the source is files."""
    if not is_database(text):
        if table or query or key:
            raise typer.BadParameter("--table, --query and --key-column are for a database as SRC")
        return None
    from deidlab.corpus.database_url import source_place

    return _warn(source_place(text, table, query, tuple(key or ())))


def find_target(text: str, table: str | None, append: bool) -> TablePlace | None:
    """The table to write; None where the destination is files."""
    if not is_database(text):
        if table or append:
            raise typer.BadParameter("--out-table and --append are for a database as DST")
        return None
    from deidlab.corpus.database_url import target_place

    return _warn(target_place(text, table))


def run_path(target: TablePlace, folder: Path | None) -> Path:
    """The path that the run's folder and record are named after."""
    return target.stand_in if folder is None else folder / target.stand_in.name


def _warn(place: TablePlace) -> TablePlace:
    if place.has_password:
        # Told even to those who asked for quiet: a secret is at stake.
        tell(
            "warning: a password on the command line can be seen by everybody on this machine; "
            "use PGPASSWORD, PGPASSFILE or ~/.pgpass"
        )
    return place
