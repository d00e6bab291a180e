"""One table in, the same table as Markdown, CSV or a drawing on the terminal out."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are text already; the first `n_text_columns` columns are set left, the others right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_text_columns: int = 1
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table '{self.title}': a row has {len(row)} cells, not {len(self.columns)}")


def table_to_markdown(table: Table, heading: str = "##") -> str:
    """A GitHub-flavoured table under its title."""
    marks = ["---" if i < table.n_text_columns else "---:" for i in range(len(table.columns))]
    lines = [f"{heading} {table.title}", ""] if table.title else []
    lines += [_markdown_row(table.columns), _markdown_row(marks)]
    lines += [_markdown_row(row) for row in table.rows]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table_to_csv(table: Table) -> str:
    """The header and the rows; the title and the note stay out, so that programs can read it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return buffer.getvalue()


def _wide_console() -> Console:
    """The terminal as it is; in a pipe or a file, wide enough that nothing is cut."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=400)


def print_table(table: Table, console: Console | None = None) -> None:
    """Draw the table on the terminal."""
    from rich.table import Table as Drawing
    from rich.text import Text

    drawing = Drawing(
        title=table.title or None, title_justify="left", caption=table.note or None, caption_justify="left"
    )
    for index, column in enumerate(table.columns):
        drawing.add_column(
            column, justify="left" if index < table.n_text_columns else "right", overflow="fold"
        )
    for row in table.rows:
        drawing.add_row(*(Text(cell) for cell in row))
    (console or _wide_console()).print(drawing)
