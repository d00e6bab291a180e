"""Tables: one row a note, as CSV, TSV or Parquet.

The columns of text, id and patient are named by the settings; `spans` and `meta` are read as we write them
(in CSV as JSON, in Parquet as a list of records and JSON), and every other column goes into `meta`.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deidlab.corpus.files import bounded_lines, refuse_nul
from deidlab.corpus.jsonl import record_to_raw, span_to_record
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError, MissingColumnError
from deidlab.inputfile import open_input, require_regular
from deidlab.types import Document

CSV_SUFFIXES = (".csv", ".tsv")
PARQUET_SUFFIXES = (".parquet", ".pq")
_OWN_COLUMNS = ("id", "patient", "text", "spans", "meta")
_ROWS_A_BATCH = 64
_BYTES, _SAME_NAME = "cells of bytes", "cells of columns that have the same name"


def read_csv(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    csv.field_size_limit(MAX_NOTE_CHARACTERS)
    try:
        with open_input(path) as binary:
            # The mark that spreadsheets put first is no part of the first column's name.
            encoding = "utf-8-sig" if settings.encoding.lower() in ("utf-8", "utf8") else settings.encoding
            stream = io.TextIOWrapper(binary, encoding=encoding, newline="")
            lines = bounded_lines(stream, path, MAX_NOTE_CHARACTERS)
            rows = csv.reader(lines, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True)
            yield from _read_csv_rows(rows, path, settings)
    except (OSError, LookupError) as error:
        raise CorpusError(f"{path}: {getattr(error, 'strerror', None) or 'cannot be read'}") from None


def _read_csv_rows(rows: Any, path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    number = 0
    try:
        header = next(rows, None)
        if header is None:
            raise CorpusError(f"{path}: the file is empty")
        find_columns(header, path, settings, "; is the row with the columns' names missing?")
        repeated = [name for name, count in Counter(header).items() if count > 1]
        for number, cells in enumerate(rows, start=1):
            where = f"row {number} (line {rows.line_num})"
            if len(cells) != len(header):
                yield BadDocument(path, f"{where} has {len(cells)} cells, not {len(header)}")
            elif any("\0" in cell for cell in cells):
                yield BadDocument(path, f"{where} has a NUL; this is not a text file")
            else:
                row = dict(zip(header, cells, strict=True))
                skipped = Counter({_SAME_NAME: sum(row.pop(name, None) is not None for name in repeated)})
                yield _skipping(_row_to_raw(row, path, where, number, settings), skipped)
    except UnicodeError:
        raise CorpusError(
            f"{path}: not {settings.encoding} after row {number} (line {rows.line_num}); see --encoding"
        ) from None
    except csv.Error:
        raise CorpusError(
            f"{path}: not CSV after row {number} (line {rows.line_num}): a quote is never closed, "
            "or a cell is larger than 64 Mi"
        ) from None


def read_parquet(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        require_regular(path)
        with pq.ParquetFile(path) as file:
            find_columns(file.schema_arrow.names, path, settings)
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS_A_BATCH):
                for row in arrow_rows(batch):
                    number += 1
                    yield _row_to_raw(row, path, f"row {number}", number, settings)
    except (pa.ArrowException, UnicodeDecodeError):
        # Arrow's messages may quote cells.
        raise CorpusError(f"{path}: is not a Parquet file that can be read") from None
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def arrow_rows(table: Any) -> Iterator[dict[str, Any] | None]:
    """Arrow's rows as Python's values; None for a row with a value that Python cannot hold."""
    if table.num_rows == 0:
        return
    try:
        rows = table.to_pylist()
    except (ValueError, ArithmeticError):
        # Such as text that is not UTF-8, or a date past the year 9999: it costs its own row alone.
        half = table.num_rows // 2
        if half == 0:
            yield None
            return
        yield from arrow_rows(table.slice(0, half))
        yield from arrow_rows(table.slice(half))
        return
    yield from rows


def find_columns(columns: Sequence[str], path: Path, settings: ReadSettings, hint: str = "") -> None:
    """Raise where a column that was asked for is not there, or is there twice.

    Only names that were asked for are told: without a row of names, what stands in their place is a note.
    """
    wanted = [settings.text_column, settings.id_column, settings.patient_column]
    options = ("--text-column", "--id-column", "--patient-column")
    for column, option in zip(wanted, options, strict=True):
        if column is not None and column not in columns:
            there = f"among its {len(columns)} columns" if len(columns) > 1 else "in its one column"
            raise MissingColumnError(f"{path}: there is no column '{column}' ({option}) {there}{hint}")
    id_column, patient_column, text_column = settings.own_columns
    for column in (text_column, id_column, patient_column, "spans", "meta"):
        if columns.count(column) > 1:
            raise CorpusError(
                f"{path}: {columns.count(column)} columns are called '{column}'; give each a name of its own"
            )


def _row_to_raw(
    row: dict[str, Any] | None, path: Path, where: str, number: int, settings: ReadSettings
) -> RawDocument | BadDocument:
    return row_to_raw(row, path, where, f"{path.stem}-{number}", settings)


def row_to_raw(
    row: dict[str, Any] | None, path: Path, where: str, default_id: str, settings: ReadSettings
) -> RawDocument | BadDocument:
    """A row, by column, as a raw document; `row` is used up, and None stands for one that cannot be read."""
    if row is None:
        return BadDocument(path, f"{where} has a value that cannot be read")
    id_column, patient_column, text_column = settings.own_columns
    record = {"text": row.pop(text_column)}
    for key, column in (("id", id_column), ("patient", patient_column)):
        there = column in row
        cell = row.pop(column, None)
        if isinstance(cell, bytes | bytearray | memoryview | list | dict):
            return BadDocument(path, f"{where}: the {key} in column '{column}' is neither text nor a number")
        # NaN, which stands for nothing in many tables, is not equal to itself.
        if cell not in (None, "") and cell == cell:
            record[key] = str(cell)
        elif there and key == "id":
            return BadDocument(path, f"{where} has no id in column '{column}'")
    skipped: Counter[str] = Counter()
    try:
        record["spans"] = _from_json(row.pop("spans", None)) or []
        meta = _from_json(row.pop("meta", None)) or {}
        record["meta"] = {**{key: _plain(value, skipped) for key, value in row.items()}, **meta}
    except (ValueError, TypeError, RecursionError):
        return BadDocument(path, f"{where}: the columns 'spans' and 'meta' must be as DeidLab writes them")
    return _skipping(record_to_raw(record, path, where, default_id), skipped)


def _skipping(raw: RawDocument | BadDocument, skipped: Counter[str]) -> RawDocument | BadDocument:
    """The same, with what was left out counted."""
    if isinstance(raw, BadDocument) or not any(skipped.values()):
        return raw
    return replace(raw, skipped=skipped + Counter(raw.skipped))


def _from_json(cell: Any) -> Any:
    return json.loads(cell) if isinstance(cell, str) and cell else cell


def _plain(value: Any, skipped: Counter[str]) -> Any:
    """A cell as JSON can hold it; bytes are no text, and are left out."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        skipped[_BYTES] += 1
        return None
    if isinstance(value, dict):
        return {str(key): _plain(each, skipped) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, skipped) for each in value]
    return str(value)


def csv_row(document: Document) -> Sequence[Any]:
    refuse_nul(document.text, Path(document.id))
    spans = [span_to_record(span) for span in document.spans]
    return document.id, document.patient, document.text, _to_json(spans), _to_json(document.meta)


def write_csv(rows: Iterable[Sequence[Any]], path: Path, header: Sequence[str] = _OWN_COLUMNS) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        # All is quoted: left to itself the writer leaves a lone CR bare, where readers then break the line.
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)


def _to_json(value: Any) -> str:
    return json.dumps(dict(value) if not isinstance(value, list) else value, ensure_ascii=False)


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    span = pa.struct(
        [("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()),
         ("score", pa.float64()), ("source", pa.string())]
    )  # fmt: skip
    columns = [("id", pa.string()), ("patient", pa.string()), ("text", pa.large_string()),
               ("spans", pa.list_(span)), ("meta", pa.string())]  # fmt: skip
    schema = pa.schema(columns)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        held: list[dict[str, Any]] = []
        size = 0
        for row in rows:
            held.append(row)
            size += len(row["text"])
            if len(held) == 64 * _ROWS_A_BATCH or size > MAX_NOTE_CHARACTERS:
                writer.write_table(pa.Table.from_pylist(held, schema))
                held, size = [], 0
        writer.write_table(pa.Table.from_pylist(held, schema))


def parquet_row(document: Document) -> dict[str, Any]:
    spans = [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "source": s.source}
        for s in document.spans
    ]
    return {
        "id": document.id,
        "patient": document.patient,
        "text": document.text,
        "spans": spans,
        "meta": _to_json(document.meta),
    }
