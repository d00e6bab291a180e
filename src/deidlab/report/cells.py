"""A table of raw values in, its text for people and its rows for programs out.

Every table of a study's report is a `DataTable`: values as they were counted, and how each column prints.
So the number in a CSV file has all its digits, the one on a page four, and both are the same number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from deidlab.evaluate.resample import Interval
from deidlab.report.score.cells import NOTHING
from deidlab.report.tables import Table

Form = Literal[
    "text", "count", "ratio", "signed", "rate", "p", "plain", "seconds", "money", "flag", "percent"
]
"""How a column prints; all but `text` and `flag` are numbers and are set right."""

Value = str | int | float | bool | Interval | None


@dataclass(frozen=True, slots=True)
class Column:
    """`key` names it for programs, `title` for people."""

    key: str
    title: str
    form: Form = "ratio"

    @property
    def is_text(self) -> bool:
        return self.form in ("text", "flag")


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table whose `key` is also the name of its files. `marked` are rows to set off, such as the best."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    marked: frozenset[int] = field(default=frozenset())

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table '{self.key}': a row has {len(row)} cells, not {len(self.columns)}")

    def text_rows(self) -> Iterator[tuple[str, ...]]:
        for row in self.rows:
            yield tuple(
                show_value(value, column.form) for value, column in zip(row, self.columns, strict=True)
            )


def columns_of(*columns: tuple[str, str] | tuple[str, str, Form]) -> tuple[Column, ...]:
    return tuple(Column(*column) for column in columns)


def show_value(value: Value, form: Form) -> str:
    """The text of a cell; what is not there prints as –."""
    if value is None or (isinstance(value, Interval) and value.value is None):
        return NOTHING
    if isinstance(value, Interval):
        if value.low is None or value.high is None:
            return show_value(value.value, form)
        low, high = show_value(value.low, form), show_value(value.high, form)
        between = " to " if form == "signed" else "–"
        return f"{show_value(value.value, form)} ({low}{between}{high})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return _show_number(value, form)


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
        return f"{100 * value:.4f} %"
    return f"{value:.4f}" if form == "ratio" else show_plain(value)


def show_plain(value: float) -> str:
    """A number as people write a setting: 0.00001 rather than 1e-05."""
    if isinstance(value, float) and 1e-6 <= abs(value) < 1e-3:
        return f"{value:.8f}".rstrip("0")
    return f"{value:g}"


def show_seconds(value: float) -> str:
    if value < 100:
        return f"{value:.1f} s"
    minutes = value / 60
    return f"{minutes:.1f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def to_table(table: DataTable) -> Table:
    """The table as text, for a terminal or a page."""
    n_text = 0
    while n_text < len(table.columns) and table.columns[n_text].is_text:
        n_text += 1
    titles = tuple(column.title for column in table.columns)
    return Table(table.title, titles, tuple(table.text_rows()), max(1, n_text), table.note)


def to_csv(table: DataTable) -> str:
    """Keys in the head, every digit in the rows; a figure with an interval takes three columns."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    spread = [
        any(isinstance(row[index], Interval) for row in table.rows) for index in range(len(table.columns))
    ]
    head: list[str] = []
    for column, wide in zip(table.columns, spread, strict=True):
        head += (column.key, f"{column.key}_low", f"{column.key}_high") if wide else (column.key,)
    writer.writerow(head)
    for row in table.rows:
        cells: list[Any] = []
        for value, wide in zip(row, spread, strict=True):
            if isinstance(value, Interval):
                cells += (value.value, value.low, value.high)
            else:
                cells += (value, None, None) if wide else (value,)
        writer.writerow(["" if cell is None else _safe(cell) for cell in cells])
    return buffer.getvalue()


def _safe(cell: Any) -> Any:
    """A name that a spreadsheet would take for a formula is kept as text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


def to_rows(table: DataTable) -> list[dict[str, Any]]:
    """A row an object, for JSON; a figure with an interval is an object of its own."""
    return [
        {column.key: _plain(value) for column, value in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def _plain(value: Value) -> Any:
    if isinstance(value, Interval):
        return {"value": value.value, "low": value.low, "high": value.high}
    return value
