"""The one table of the house: values as they were counted, and how each column prints.

Whatever shows figures builds a `Table`. It is drawn on the terminal, as Markdown, CSV and JSON here, as LaTeX
in `latex` and as HTML in `pages`. So the number in a CSV file has all its digits, the one on a page four, and
both are the same number. A cell that is text already stays as it is, whatever the form of its column.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from deidlab.evaluate.intervals import Interval

if TYPE_CHECKING:
    from rich.console import Console

NOTHING = "–"
Form = Literal[
    "text", "code", "swatch", "flag", "count", "ratio", "ends", "signed", "rate", "p", "plain", "seconds",
    "money", "percent", "share",
]  # fmt: skip
"""How a column prints. The first four are set left, the others right; `ends` are those of an interval.

On a page `code` stands in a fixed pitch, a `swatch` under its colour, and a `share` is a bar.
"""

Value = str | int | float | bool | Interval | None


@dataclass(frozen=True, slots=True)
class Column:
    """`key` names it for programs, `title` for people; on a page, a `group` is a heading over neighbours."""

    key: str
    title: str
    form: Form = "ratio"
    group: str = ""

    @property
    def is_text(self) -> bool:
        return self.form in ("text", "code", "swatch", "flag")

    @property
    def heading(self) -> str:
        """The title where there are no headings above it."""
        return f"{self.group} {self.title}".strip()


@dataclass(frozen=True, slots=True)
class Table:
    """`key` is also the name of the table's files; `marked` are rows to set off, such as the best."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    key: str = ""
    marked: frozenset[int] = field(default=frozenset())

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table '{self.title}': a row has {len(row)} cells, not {len(self.columns)}")

    @property
    def n_left(self) -> int:
        """The columns that are set left where columns cannot be told apart: the first, and text after it."""
        numbers = (index for index, column in enumerate(self.columns) if index and not column.is_text)
        return next(numbers, len(self.columns))

    def text_rows(self) -> Iterator[tuple[str, ...]]:
        for row in self.rows:
            yield tuple(
                show_value(value, column.form) for value, column in zip(row, self.columns, strict=True)
            )


_Spec = tuple[str, str] | tuple[str, str, Form] | tuple[str, str, Form, str]


def columns_of(*columns: _Spec) -> tuple[Column, ...]:
    """Columns as their keys, titles, forms and groups."""
    return tuple(Column(*column) for column in columns)


def text_table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[Value]], n_text: int = 1, note: str = ""
) -> Table:
    """A table whose columns are known by their titles alone: text to the left, numbers to the right."""
    columns = (Column(name, name, "text" if index < n_text else "plain") for index, name in enumerate(names))
    return Table(title, tuple(columns), tuple(tuple(row) for row in rows), note)


def show_value(value: Value, form: Form) -> str:
    """The text of a cell; what is not there prints as –."""
    if isinstance(value, Interval):
        return _show_interval(value, form)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _show_number(value, form)


def _show_interval(value: Interval, form: Form) -> str:
    if value.value is None and form != "ends":
        return NOTHING
    if value.low is None or value.high is None:
        return NOTHING if form == "ends" else show_value(value.value, form)
    if form == "ends":
        return f"{value.low:.4f}–{value.high:.4f}"
    low, high = show_value(value.low, form), show_value(value.high, form)
    return f"{show_value(value.value, form)} ({low}{' to ' if form == 'signed' else '–'}{high})"


def _show_number(value: float, form: Form) -> str:
    if form == "count":
        return f"{value:,.0f}"
    if form == "signed":
        return f"{value:+.4f}"
    if form == "rate":
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if form == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if form == "seconds":
        return show_seconds(value)
    if form == "money":
        return f"{value:,.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"
    if form == "percent":
        return "< 0.01 %" if 0 < value < 0.0001 else f"{100 * value:.2f} %"
    return f"{value:.4f}" if form in ("ratio", "share") else show_plain(value)


def show_plain(value: float) -> str:
    """A number as people write a setting: 0.00001 rather than 1e-05."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.8f}".rstrip("0") if 1e-6 <= abs(value) < 1e-3 else f"{value:g}"


def show_seconds(value: float) -> str:
    if value < 100:
        return f"{value:.1f} s"
    minutes = value / 60
    return f"{minutes:.1f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def print_table(table: Table, console: Console | None = None) -> None:
    """Draw the table on the terminal as it is; in a pipe or a file, wide enough that nothing is cut."""
    from rich.console import Console
    from rich.table import Table as Drawing
    from rich.text import Text

    drawing = Drawing(
        title=table.title or None, title_justify="left", caption=table.note or None, caption_justify="left"
    )
    for index, column in enumerate(table.columns):
        side: Literal["left", "right"] = "left" if index < table.n_left else "right"
        drawing.add_column(column.heading, justify=side, overflow="fold")
    for row in table.text_rows():
        drawing.add_row(*(Text(cell) for cell in row))
    (console or (Console() if sys.stdout.isatty() else Console(width=400))).print(drawing)


def table_to_markdown(table: Table, heading: str = "##") -> str:
    """A GitHub-flavoured table under its title."""
    marks = ["---" if index < table.n_left else "---:" for index in range(len(table.columns))]
    lines = [f"{heading} {table.title}", ""] if table.title else []
    lines += map(_markdown_row, ([column.heading for column in table.columns], marks, *table.text_rows()))
    return "\n".join([*lines, *(["", table.note] if table.note else [])]) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table_to_csv(table: Table) -> str:
    """Keys in the head, every digit in the rows; a figure with an interval takes three columns.

    The title and the note stay out, so that programs can read it.
    """
    with_ends = [any(isinstance(row[at], Interval) for row in table.rows) for at in range(len(table.columns))]
    head: list[str] = []
    for column, wide in zip(table.columns, with_ends, strict=True):
        head += (column.key, f"{column.key}_low", f"{column.key}_high") if wide else (column.key,)
    return csv_text(head, (_csv_cells(row, with_ends) for row in table.rows))


def _csv_cells(row: Sequence[Value], with_ends: Sequence[bool]) -> Iterator[Any]:
    for value, wide in zip(row, with_ends, strict=True):
        if isinstance(value, Interval):
            yield from (value.value, value.low, value.high)
        else:
            # A name that a spreadsheet would take for a formula is kept as text.
            yield f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
            yield from (None, None) if wide else ()


def csv_text(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV under their head; None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return buffer.getvalue()


def table_to_rows(table: Table) -> list[dict[str, Any]]:
    """A row an object, for JSON; a figure with an interval is an object of its own."""
    return [
        {column.key: _plain(value) for column, value in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def _plain(value: Value) -> Any:
    if isinstance(value, Interval):
        return {"value": value.value, "low": value.low, "high": value.high}
    return value
