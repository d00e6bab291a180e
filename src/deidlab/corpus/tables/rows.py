"""A row as a container, and back: its cells are typed fields and texts of one patient, masked together.

A row with texts is searched for what is known of its patient from other tables, too: that stands behind the
row's own pieces, and is never put back. The text that findings point into comes first, so that their offsets
are those of the row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.carriers import KEY, Parts, Piece, typed_label
from deidlab.corpus.carried import in_pieces
from deidlab.corpus.raw import RawDocument
from deidlab.corpus.tables.classes import BIRTH_PARTS, CLASSES, DROP, FROM_NOTE, TEXT
from deidlab.corpus.tables.plan import ColumnPlan, TablePlan, TablesPlan
from deidlab.corpus.tables.schema import WHOLE
from deidlab.errors import CorpusError
from deidlab.types import Document

Told = tuple[str, str]
"""The label and text of something known of a patient."""

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_EMAIL, _URL = re.compile(r"\S+@\S+"), re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_NUMBERS = (*WHOLE, "number", "float")


@dataclass(frozen=True, slots=True)
class RowPlan:
    """A table's plan, with what its rows are taken apart by, reckoned once."""

    number: int
    table: TablePlan
    pieces: tuple[int, ...]
    """The places of the columns that become pieces, in their order; texts that findings point into lead."""
    keys: dict[int, str]
    """The labels of the columns that are keys: which key it is and its type, alike in all tables."""
    own: int | None = None
    """The place of the table's own key, which no other table gives it."""

    @classmethod
    def of(cls, plan: TablesPlan, number: int) -> RowPlan:
        table = plan.tables[number]
        places = [
            n for n, each in enumerate(table.columns) if each.masks and each.kind not in (DROP, *FROM_NOTE)
        ]
        pointed = {column.of for _, column in plan.columns() if column.kind in FROM_NOTE}
        places.sort(key=lambda n: f"{table.name}.{table.columns[n].name}" not in pointed)
        labels = key_labels(plan)
        keys = {n: labels[plan.space(table, each)] for n, each in enumerate(table.columns) if each.is_key}
        own = (n for n in keys if keys[n] == labels.get(f"{table.name}.{table.columns[n].name}"))
        return cls(number, table, tuple(places), keys, next(own, None))

    def name(self, place: int) -> str:
        """The id of the row at a place of its table, from 1: not one by which it could come again."""
        return f"unknown-{self.number:04x}{place:012x}"

    def owner(self, patient: str, cells: Sequence[Any]) -> str:
        """By whom a row is masked: its patient, else the thing that it is of, else itself alone."""
        if patient or self.own is None or cells[self.own] is None:
            return patient
        return f"{self.table.name}.{self.table.columns[self.own].name} {cells[self.own]}"


def key_labels(plan: TablesPlan) -> dict[str, str]:
    """The label of a field with a key of each space."""
    return {space: typed_label(KEY, kind, space) for space, kind in plan.key_kinds().items()}


def row_to_raw(
    row: RowPlan, place: int, cells: Sequence[Any], patient: str, told: Sequence[Told]
) -> RawDocument:
    """The row as a note: `place` is its number in the table, from 1."""
    columns, has_text = row.table.columns, False
    pieces: list[Piece] = []
    places: list[int] = []
    kept = [None if each.masks else cells[n] for n, each in enumerate(columns)]
    for n in row.pieces:
        if cells[n] is None or cells[n] == "":
            kept[n] = cells[n]
            continue
        pieces.append(Piece(_written(row, n, cells), _label(row, n, cells)))
        places.append(n)
        has_text |= columns[n].kind == TEXT
    for n, column in enumerate(columns):
        if column.kind in FROM_NOTE and cells[n] is not None:
            # Of words no more than how many letters they have: they are taken from the masked note.
            kept[n] = _offset(cells[n]) if column.kind == FROM_NOTE[0] else len(str(cells[n]))
    pieces += [Piece(text, label) for label, text in told] if has_text else []
    content = json.dumps([row.number, places, kept]).encode()
    return in_pieces(
        Parts(tuple(pieces), row.owner(patient, cells), row.name(place)), content, Path(row.table.name)
    )


def _offset(cell: Any) -> int | None:
    try:
        return int(cell)
    except (ValueError, TypeError):
        return None


def _written(row: RowPlan, n: int, cells: Sequence[Any]) -> str:
    """The cell as text; of a part of a birth date the whole date."""
    column = row.table.columns[n]
    if column.kind in BIRTH_PARTS:
        known = {each.kind: cells[k] for k, each in enumerate(row.table.columns) if each.kind in BIRTH_PARTS}
        year, month, day = (known.get(kind) for kind in BIRTH_PARTS)
        try:
            return f"{int(year):04}-{int(month or 7):02}-{int(day or 15):02}"  # type: ignore[arg-type]
        except (ValueError, TypeError):
            raise CorpusError("a part of a birth date is no number") from None
    cell = cells[n]
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False)
    return _text_of(cell)


def _text_of(cell: Any) -> str:
    if isinstance(cell, bytes):
        raise CorpusError("a cell holds bytes, which are no text")
    return str(cell)


def _label(row: RowPlan, n: int, cells: Sequence[Any]) -> str:
    column = row.table.columns[n]
    known = CLASSES[column.kind]
    text = str(cells[n])
    if n in row.keys:
        return row.keys[n]
    if column.kind == "contact" and not column.label:
        return "EMAIL" if _EMAIL.fullmatch(text) else "URL" if _URL.fullmatch(text) else known.label
    if known.kind in ("day", "birth") and not _ISO.match(text):
        return known.label  # a date in a form of its own: moved as one in a text is
    return typed_label(known.label, known.kind) if known.kind else column.label or known.label


def fill_row(document: Document, plan: TablesPlan) -> list[Any]:
    """The masked row as the place takes it: the number of its table, its cells, and the columns emptied.

    A cell that its column's type cannot hold is empty; where it must not be, the row fails.
    """
    assert document.container is not None
    number, places, kept = json.loads(document.container.content)
    table = plan.tables[number]
    emptied = []
    for n, region in zip(places, document.container.regions, strict=False):
        kept[n] = _cell(document.text[region.start : region.end], table.columns[n])
        emptied += [table.columns[n].name] if kept[n] is None else []
    cells = []
    for column, cell in zip(table.columns, kept, strict=True):
        if column.kind == DROP:
            continue
        if cell is None and not column.nullable and column.kind not in FROM_NOTE:
            raise CorpusError(f"nothing may stand in a {column.kind} of the row, which must not be empty")
        cells.append(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell)
    return [number, cells, emptied]


def _cell(text: str, column: ColumnPlan) -> Any:
    if not text:
        return None
    if column.type in WHOLE:
        return int(text) if re.fullmatch(r"-?\d{1,19}", text) else None
    if column.type in _NUMBERS:
        return text if re.fullmatch(r"-?\d+(?:\.\d+)?", text) else None
    if column.type in ("date", "timestamp", "timestamptz"):
        return text if _ISO.match(text) else None
    return text if column.type not in ("bool", "time", "json") else None
