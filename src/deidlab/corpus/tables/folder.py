"""A folder of CSV, TSV or Parquet files, each a table under its name; written aside, then put in place."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_cells import from_plain
from deidlab.corpus.files import bounded_lines
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS
from deidlab.corpus.tables import ENDINGS
from deidlab.corpus.tables.plan import ColumnPlan, TablePlan
from deidlab.corpus.tables.schema import Column, Schema, Table
from deidlab.corpus.tables.stores import Filled, Filling, Row, Snapshot, Store, Target, plain_cell
from deidlab.errors import ConfigError, CorpusError, needing
from deidlab.inputfile import open_input, require_regular

if TYPE_CHECKING:
    from pyarrow import DataType

_PARQUET = ".parquet"
_AT_ONCE = 5000
_ARROW = {
    "int2": "int16", "int4": "int32", "int8": "int64", "float": "float64", "bool": "bool", "text": "string",
    "date": "date32", "timestamp": "timestamp[us]",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FolderStore(Store):
    """The folder; all its files are of one kind."""

    folder: Path

    @property
    def files(self) -> Path | None:
        return self.folder

    @property
    def path(self) -> Path:
        return self.folder

    def schema(self) -> Schema:
        files = self._files()
        tables = tuple(Table(name, _columns(path)) for name, path in sorted(files.items()))
        return Schema(tables, self.ending)

    @property
    def ending(self) -> str:
        """What its files end in."""
        endings = {path.suffix for path in self._files().values()}
        if len(endings) > 1:
            raise CorpusError(f"{self.folder}: files of several kinds; take one folder for each")
        return endings.pop()

    def _files(self) -> dict[str, Path]:
        try:
            found = [path for path in self.folder.iterdir() if path.suffix in ENDINGS]
        except OSError as error:
            raise CorpusError(f"{self.folder}: {error.strerror or 'cannot be read'}") from None
        if not found:
            raise CorpusError(f"{self.folder}: no .csv, .tsv or .parquet files in this folder")
        for path in found:
            require_regular(path)
        return {path.stem: path for path in found}

    @contextlib.contextmanager
    def open(self) -> Iterator[Snapshot]:
        yield _Files(self._files())


@dataclass(frozen=True, slots=True)
class _Files(Snapshot):
    paths: dict[str, Path]

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
        path = self.paths[table]
        return _parquet_rows(path, columns) if path.suffix == _PARQUET else _csv_rows(path, columns)

    def count(self, table: str) -> int:
        path = self.paths[table]
        if path.suffix == _PARQUET:
            return int(_parquet(path).metadata.num_rows)
        return sum(1 for _ in _csv_cells(path)) - 1


def _columns(path: Path) -> tuple[Column, ...]:
    if path.suffix == _PARQUET:
        schema = _parquet(path).schema_arrow
        found = [Column(each.name, _plain_type(each.type), True, str(each.type)) for each in schema]
    else:
        header = next(_csv_cells(path), None)
        if not header:
            raise CorpusError(
                f"{path.parent}: a file is empty; a first row with the columns' names is needed"
            )
        found = [Column(name, "text") for name in header]
    if len({each.name for each in found}) < len(found):
        raise CorpusError(
            f"{path.parent}: in a file two columns have the same name; is its row of names missing?"
        )
    return tuple(found)


def _csv_cells(path: Path) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_NOTE_CHARACTERS)
    try:
        with open_input(path) as binary:
            stream = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
            lines = bounded_lines(stream, path, MAX_NOTE_CHARACTERS)
            yield from csv.reader(lines, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True)
    except OSError as error:
        raise CorpusError(f"{path.parent}: a file cannot be read ({error.strerror})") from None
    except UnicodeError:
        raise CorpusError(f"{path.parent}: a file is not UTF-8") from None
    except csv.Error:
        raise CorpusError(
            f"{path.parent}: a file is not CSV: a quote is never closed, or a cell too large"
        ) from None


def _csv_rows(path: Path, columns: Sequence[str]) -> Iterator[Row | None]:
    cells = _csv_cells(path)
    header = next(cells)
    places = [header.index(name) for name in columns]
    for row in cells:
        sound = len(row) == len(header) and not any("\0" in cell for cell in row)
        # An empty cell is nothing: CSV knows no other.
        yield tuple(row[place] or None for place in places) if sound else None


def _parquet(path: Path) -> Any:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError):
        raise CorpusError(f"{path.parent}: a file is not Parquet, or damaged") from None


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[Row | None]:
    import pyarrow as pa

    try:
        for batch in _parquet(path).iter_batches(_AT_ONCE, columns=list(columns)):
            for row in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                yield tuple(plain_cell(cell) for cell in row)
    except pa.ArrowException:
        raise CorpusError(f"{path.parent}: a file is damaged") from None


def _plain_type(type: DataType) -> str:
    import pyarrow.types as kinds

    if kinds.is_timestamp(type):
        return "timestamptz" if type.tz else "timestamp"
    known = (
        (kinds.is_int8, "int2"), (kinds.is_int16, "int2"), (kinds.is_int32, "int4"), (kinds.is_int64, "int8"),
        (kinds.is_unsigned_integer, "int8"), (kinds.is_floating, "float"), (kinds.is_boolean, "bool"),
        (kinds.is_date, "date"), (kinds.is_time, "time"), (kinds.is_string, "text"),
        (kinds.is_large_string, "text"), (kinds.is_decimal, "number"),
    )  # fmt: skip
    return next((name for is_such, name in known if is_such(type)), "other")


@dataclass(frozen=True, slots=True)
class FolderTarget(Target):
    """A folder that is not there yet; `to` is csv or parquet, else what the source has."""

    path: Path
    to: str | None = None
    kind: str = "folder"

    @property
    def files(self) -> Path | None:
        return self.path

    def fill(self, filling: Filling, rows: Iterable[tuple[int, Row]], unnamed: Path) -> Filled:
        ending = f".{self.to}" if self.to else filling.schema.dialect
        if ending not in ENDINGS:
            raise ConfigError("which files? Say --to csv or --to parquet")
        unnamed.mkdir(mode=0o700)
        groups = groupby(rows, key=lambda row: row[0])
        number, group = next(groups, (-1, iter(())))
        for place, table in enumerate(filling.plan.tables):
            if not table.kept:
                continue
            # Tables come in order; one without rows is there all the same.
            own: Iterable[Row] = (cells for _, cells in group) if place == number else ()
            path = unnamed / f"{table.name}{ending}"
            if ending == _PARQUET:
                _write_parquet(path, table, filling.schema, own)
            else:
                _write_csv(path, table, own)
            if place == number:
                number, group = next(groups, (-1, iter(())))
        return Filled({})


def _write_csv(path: Path, table: TablePlan, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow([each.name for each in table.kept])
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)


def _write_parquet(path: Path, table: TablePlan, schema: Schema, rows: Iterable[Row]) -> None:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    fields = pa.schema([pa.field(each.name, _arrow_type(each, schema, table.name)) for each in table.kept])
    source = iter(rows)
    try:
        with pq.ParquetWriter(path, fields) as writer:
            while chunk := list(islice(source, _AT_ONCE)):
                columns = zip(*chunk, strict=True)
                arrays = [
                    pa.array([_as_type(cell, each.type) for cell in cells], field.type)
                    for cells, field, each in zip(columns, fields, table.kept, strict=True)
                ]
                writer.write_table(pa.Table.from_arrays(arrays, schema=fields))
    except (pa.ArrowException, OverflowError, TypeError):
        raise CorpusError(f"{path.parent.name}: a value does not fit its column's type in Parquet") from None


def _arrow_type(column: ColumnPlan, schema: Schema, table: str) -> DataType:
    import pyarrow as pa

    known = next((each for each in schema.table(table).columns if each.name == column.name), None)
    for alias in (
        known.declared if known and schema.dialect == _PARQUET else "",
        _ARROW.get(column.type, ""),
    ):
        with contextlib.suppress(ValueError):
            if alias:
                return pa.type_for_alias(alias.removesuffix("[day]"))
    return pa.timestamp("us", "UTC") if column.type == "timestamptz" else pa.string()


def _as_type(cell: Any, kind: str) -> Any:
    import datetime as dt

    kinds: dict[str, type] = {
        "date": dt.date, "timestamp": dt.datetime, "timestamptz": dt.datetime, "float": float,
        "int2": int, "int4": int, "int8": int,
    }  # fmt: skip
    return from_plain(cell, kinds.get(kind))
