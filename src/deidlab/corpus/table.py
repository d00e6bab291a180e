"""A row of a table in, a raw document out: what CSV, TSV, Parquet and databases share.

The columns of text, id and patient are named by the settings; `spans` and `meta` are read as we write them
(in CSV as JSON, in Parquet as a list of records and JSON), and every other column goes into `meta`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deidlab.carriers import Piece
from deidlab.corpus.carried import join_pieces
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.corpus.records import record_to_raw
from deidlab.errors import CorpusError, MissingColumnError
from deidlab.types import Container, Document

_BYTES = "cells of bytes"


def find_columns(columns: Sequence[str], path: Path, settings: ReadSettings, hint: str = "") -> None:
    """Raise where a column that was asked for is not there, or is there twice.

    Only names that were asked for are told: without a row of names, what stands in their place is a note.
    """
    wanted = dict(settings.named_columns())
    for column, option in {settings.text_column: "--text-column", **wanted}.items():
        if column not in columns:
            there = f"among its {len(columns)} columns" if len(columns) > 1 else "in its one column"
            raise MissingColumnError(f"{path}: there is no column '{column}' ({option}) {there}{hint}")
    id_column, patient_column, text_column = settings.own_columns
    for column in (text_column, id_column, patient_column, *settings.field_columns, "spans", "meta"):
        if columns.count(column) > 1:
            raise CorpusError(
                f"{path}: {columns.count(column)} columns are called '{column}'; give each a name of its own"
            )


def row_to_raw(
    row: dict[str, Any] | None, path: Path, where: str, default_id: str, settings: ReadSettings
) -> RawDocument | BadDocument:
    """A row, by column, as a raw document; `row` is used up, and None stands for one that cannot be read."""
    if row is None:
        return BadDocument(path, f"{where} has a value that cannot be read")
    id_column, patient_column, text_column = settings.own_columns
    fields = {column: row.pop(column) for column in settings.field_columns}
    text = row.pop(text_column)
    record = {"text": "" if fields and _as_text(text) == "" else text}
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
    raw = skipping(record_to_raw(record, path, where, default_id), skipped)
    return _with_fields(raw, fields, settings, where) if fields else raw


def _with_fields(
    raw: RawDocument | BadDocument, fields: dict[str, Any], settings: ReadSettings, where: str
) -> RawDocument | BadDocument:
    """The row as a container: typed fields first, whose dates date the text, then its texts."""
    if isinstance(raw, BadDocument):
        return raw
    if raw.annotations:
        return BadDocument(raw.path, f"{where}: spans mark one text, and several columns were named", raw.id)
    cells = {column: _as_text(value) for column, value in fields.items()}
    if any(cell is None or "\0" in cell for cell in cells.values()):
        return BadDocument(raw.path, f"{where}: a column to mask holds bytes, a list or a NUL", raw.id)
    typed = settings.typed_columns
    pieces = [Piece(cells[each] or "", label, _caption(each)) for each, label in typed.items()]
    pieces += [Piece(raw.text), *(Piece(cells[each] or "") for each in settings.text_columns[1:])]
    text, regions = join_pieces(pieces)
    columns = (*typed, settings.text_column, *settings.text_columns[1:])
    return replace(raw, text=text, container=Container(b"", regions, columns))


def _as_text(value: Any) -> str | None:
    """A cell as text; None for what is none. NaN, which stands for nothing, is not equal to itself."""
    if value is None or value != value:
        return ""
    if isinstance(value, bytes | bytearray | memoryview | list | dict):
        return None
    # A column of whole numbers with gaps becomes one of fractions in many tools.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _caption(column: str) -> str:
    """What stands before a field in the note: a date of birth is told by it."""
    words = column.replace("_", " ").lower()
    return "DOB" if "birth" in words or words == "dob" else words


def row_of(document: Document) -> Document:
    """The note of a row as a row again: the first text, and all other columns among its fields."""
    assert document.container is not None
    regions = dict(zip(document.container.columns, document.container.regions, strict=True))
    cells = {column: document.text[each.start : each.end] for column, each in regions.items()}
    first = next(column for column, each in regions.items() if not each.label)
    return replace(document, text=cells.pop(first), spans=(), meta={**document.meta, **cells}, container=None)


def skipping(raw: RawDocument | BadDocument, skipped: Counter[str]) -> RawDocument | BadDocument:
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


def read_meta(held: Any) -> dict[str, Any]:
    """A note's fields as another tool kept them for us; none where it did not."""
    try:
        meta = _from_json(held)
    except (ValueError, RecursionError):
        return {}
    return meta if isinstance(meta, dict) else {}


def to_json(value: Any) -> str:
    """A list or a mapping as a cell of text."""
    return json.dumps(dict(value) if not isinstance(value, list) else value, ensure_ascii=False)
