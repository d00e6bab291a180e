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

from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.corpus.records import record_to_raw
from deidlab.errors import CorpusError, MissingColumnError

_BYTES = "cells of bytes"


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
    return skipping(record_to_raw(record, path, where, default_id), skipped)


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
