"""Tables of a database as source and destination."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options.output import OUTPUT
from deidlab.cli.options.reading import READING
from deidlab.cli.output import tell
from deidlab.options import option

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace


@dataclass(frozen=True, slots=True)
class FromTableOptions:
    """What is read of a database."""

    GROUP: ClassVar[str] = READING

    table: str | None = option(
        None, metavar="NAME", help="Databases: the table to read, if not in SRC's URL."
    )
    query: str | None = option(
        None, metavar="SQL", help="Databases: read what this selects instead of a table."
    )
    key_column: tuple[str, ...] = option(
        (),
        metavar="NAME",
        help="Databases: the column, unique in each row, in whose order rows are read. Repeatable "
        "[default: the primary key].",
    )

    def find_source(self, text: str) -> TablePlace | None:
        """The table to read; None where the source is files."""
        if not is_database(text):
            if self != FromTableOptions():
                raise typer.BadParameter("--table, --query and --key-column are for a database as SRC")
            return None
        from deidlab.corpus.database_url import source_place

        return warn_of_password(source_place(text, self.table, self.query, self.key_column))


@dataclass(frozen=True, slots=True)
class ToTableOptions:
    """What is written to a database."""

    GROUP: ClassVar[str] = OUTPUT

    out_table: str | None = option(
        None, metavar="NAME", help="Databases: the table to write, if not in DST's URL."
    )
    append: bool = option(
        False, help="Databases: add to a table that is there; rows whose ids it has are left as they are."
    )
    run_folder: Path | None = option(
        None,
        metavar="FOLDER",
        help="Databases: the folder for the unfinished run and its record [default: beside an SQLite file, "
        "else here].",
    )

    def find_target(self, text: str) -> TablePlace | None:
        """The table to write; None where the destination is files."""
        if not is_database(text):
            if self.out_table or self.append:
                raise typer.BadParameter("--out-table and --append are for a database as DST")
            return None
        from deidlab.corpus.database_url import target_place

        return warn_of_password(target_place(text, self.out_table))

    def run_path(self, target: TablePlace) -> Path:
        """The path that the run's folder and record are named after."""
        stand_in = target.stand_in
        return stand_in if self.run_folder is None else self.run_folder / stand_in.name


def is_database(text: str) -> bool:
    """Whether a source or destination is a database rather than a file, which then meets no code of one."""
    return "://" in text


def warn_of_password(place: TablePlace) -> TablePlace:
    """The place; where its URL has a password, the person who typed it is told."""
    if place.has_password:
        # Told even to those who asked for quiet: a secret is at stake.
        tell(
            "warning: a password on the command line can be seen by everybody on this machine; "
            "use PGPASSWORD, PGPASSFILE or ~/.pgpass"
        )
    return place
