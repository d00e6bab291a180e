"""A text, a list of texts or a column of a data frame in; its rows out, and a column of the same kind again.

A row without a text (None, NaN, pandas' NA) stays as it is. Any other row that is not text is refused, by
its place: what a number, a date or bytes would mean as a note, only the caller knows. Neither pandas nor
polars is imported here: whoever hands in their columns has done so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deidlab.errors import CorpusError

_TAKEN = "a text, a list of texts, or a text column of pandas or polars"


@dataclass(frozen=True, slots=True)
class Column:
    """Rows, which of them hold nothing, and how a column of their kind is made of others."""

    rows: Sequence[Any] = field(repr=False)
    missing: Sequence[bool] = field(repr=False)
    like: Callable[[list[Any]], Any] = field(repr=False)

    def texts(self) -> list[str | None]:
        """The rows as texts, None where there is none; a row of another kind is an error."""
        return [
            None if missing else _text(row, number)
            for number, (row, missing) in enumerate(zip(self.rows, self.missing, strict=True))
        ]

    def with_texts(self, texts: Sequence[str | None]) -> Any:
        """A column of the same kind; what was missing stands there as it was."""
        return self.like(
            [
                row if missing else text
                for row, missing, text in zip(self.rows, self.missing, texts, strict=True)
            ]
        )


def to_column(values: Any, name: str = "texts") -> Column:
    """What was handed in, as rows; anything that has no rows, or no order, is an error."""
    if isinstance(values, str):
        return Column([values], [False], lambda rows: rows[0])
    if isinstance(values, list | tuple):
        kind = type(values) if type(values) in (list, tuple) else list
        return Column(values, [_is_missing(value) for value in values], kind)
    library, kind_name = type(values).__module__.partition(".")[0], type(values).__name__
    if library == "pandas" and kind_name == "Series":
        return _of_pandas(values)
    if library == "polars" and kind_name == "Series":
        return _of_polars(values)
    if kind_name in ("DataFrame", "LazyFrame"):
        raise CorpusError(f"{name}: a table has several columns; hand in the one with the notes")
    raise CorpusError(f"{name}: {_article(values)} was given, and {_TAKEN} is needed")


def _of_pandas(series: Any) -> Column:
    pandas = sys.modules["pandas"]
    # Text stays the dtype it was; a category knows only the values that it had.
    dtype = series.dtype if isinstance(series.dtype, pandas.StringDtype) else object

    def like(rows: list[Any]) -> Any:
        return pandas.Series(rows, index=series.index, name=series.name, dtype=dtype)

    return Column(series.tolist(), series.isna().tolist(), like)


def _of_polars(series: Any) -> Column:
    polars = sys.modules["polars"]

    def like(rows: list[Any]) -> Any:
        return polars.Series(series.name, rows, dtype=polars.String)

    rows = series.to_list()
    return Column(rows, [_is_missing(row) for row in rows], like)


def read_patients(patients: Any, n_rows: int) -> list[str | None]:
    """The patient of each row, None where it is not said; whole numbers are names too."""
    column = to_column(patients, "patients")
    if len(column.rows) != n_rows:
        raise CorpusError(f"patients: {len(column.rows)} were given for {n_rows} notes; each note has one")
    return [
        None if missing else _patient(row, number)
        for number, (row, missing) in enumerate(zip(column.rows, column.missing, strict=True))
    ]


def _patient(row: Any, number: int) -> str | None:
    if isinstance(row, int) and not isinstance(row, bool):
        return str(row)
    if isinstance(row, str):
        return row.strip() or None
    # An id that went through a float is not the id any more: 12 has become 12.0, and a long one rounded.
    raise CorpusError(
        f"patients: row {number} (the first is 0) is {_article(row)}; make the column text or whole "
        "numbers first"
    )


def _text(row: Any, number: int) -> str:
    if isinstance(row, str):
        return row
    raise CorpusError(
        f"row {number} (the first is 0) is {_article(row)} and not text; make the column text first, or None "
        "where there is no note"
    )


def _is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA, of which nothing can be asked whether it is true."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def _article(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
