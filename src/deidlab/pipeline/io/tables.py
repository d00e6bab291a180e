"""A database's table as where a run's notes come from or go to.

The run's own record stays on disk. Of the source it holds, sealed, the last key of when the run began (rows
that come later are not part of it) and the key that each pass has reached, so that a run goes on from there.
The source is told from a changed one by its number of rows and first key, and rows that are done are read
once more and compared with the digests that the state has of them.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_cells import key_from_json, key_to_json, type_of_cells, type_to_write
from deidlab.corpus.database_reading import (
    check_source,
    count_rows,
    find_layout,
    measure_rows,
    pin_place,
    read_rows,
    read_table,
)
from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.database_writing import Writing, check_target, write_rows
from deidlab.corpus.records import document_to_record
from deidlab.pipeline.io.checking import check_encoding
from deidlab.pipeline.io.kinds import Rendering, Sink, Source
from deidlab.pipeline.io.notes import BEGINNING, Note, Start, to_note, with_patients
from deidlab.pipeline.io.pinning import changed
from deidlab.pipeline.settings import SinkSettings, SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

    from deidlab.pipeline.run.partial import Partial

_LAST, _REACHED, _ROWS, _TOKEN = "last key", "reached", "pin rows", "writing token"
_AT_ONCE = 512
_PEEK = 100


@dataclass(frozen=True, slots=True)
class TableSource(Source):
    """A table, or what a query selects, read in the order of its key."""

    settings: SourceSettings
    place: TablePlace
    format: None = None

    def check(self, kept: tuple[str, ...] = ()) -> None:
        check_encoding(self.settings.reading.encoding)
        check_source(self.place, self.settings.reading, kept)

    def count(self) -> int | None:
        return count_rows(self.place)

    def documents(self) -> Iterator[Document]:
        return read_table(self.place, self.settings.reading)

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        rows = read_rows(self.place, self.settings.reading, start.key, start.note)
        notes = (to_note(number, raw, key) for number, (key, raw) in enumerate(rows, start=start.note))
        return islice(with_patients(notes, self.settings.patient_from), self.settings.limit)

    def start(self, partial: Partial, stage: str) -> Start:
        kept = partial.state.setting(f"{_REACHED} {stage}")
        if kept is None:
            return BEGINNING
        task, note, key = json.loads(partial.seal.open(bytes.fromhex(kept)))
        return Start(task, note, key_from_json(key))

    def reach(self, partial: Partial, stage: str, task: int, notes: Sequence[Note]) -> None:
        key = notes[-1].key
        assert key is not None
        place = [task + 1, notes[-1].number + 1, key_to_json(key)]
        sealed = partial.seal.close(json.dumps(place).encode())
        partial.state.put_later(f"{_REACHED} {stage}", sealed.hex())

    def pin(self, partial: Partial, role: str = "source") -> TableSource:
        if role != "source":
            return self  # of what is only looked up, no row counts as done
        pinned = replace(self, place=self._as_begun(partial))
        pinned._pin_rows(partial)
        pinned._check_rows_done(partial, pinned.start(partial, "find"))
        return pinned

    def pinned(self, partial: Partial, role: str = "source") -> dict[str, str]:
        kept = partial.state.setting(_ROWS) if role == "source" else None
        return {"format": "database", **({} if kept is None else {"rows": kept})}

    def _as_begun(self, partial: Partial) -> TablePlace:
        """The place up to the key that was the last when the run began."""
        kept = partial.state.setting(_LAST)
        if kept is not None:
            key, cells = json.loads(partial.seal.open(bytes.fromhex(kept)))
            return replace(self.place, key=tuple(key), last=key_from_json(cells))
        place = pin_place(self.place, self.settings.reading)
        assert place.last is not None
        sealed = partial.seal.close(json.dumps([place.key, key_to_json(place.last)]).encode())
        partial.state.put_setting(_LAST, sealed.hex())
        return place

    def _pin_rows(self, partial: Partial) -> None:
        n_rows, first = measure_rows(self.place, self.settings.reading)
        told = partial.seal.digest("rows", json.dumps([n_rows, first and key_to_json(first)])).hex()
        kept = partial.state.setting(_ROWS)
        if kept is None:
            partial.state.put_setting(_ROWS, told)
        elif kept != told:
            raise changed(self.place, "rows were added or removed")

    def _check_rows_done(self, partial: Partial, start: Start) -> None:
        """Raise where a row that an earlier process was through with is not as it was."""
        if start.key is None:
            return
        notes = replace(self, place=replace(self.place, last=start.key)).notes()
        n_rows = 0
        while batch := list(islice(notes, _AT_ONCE)):
            n_rows += len(batch)
            kept = partial.state.digests([note.number for note in batch])
            # One that failed has no digests, and is listed.
            if any(kept.get(note.number, now) != now for note in batch for now in (_digests(note, partial),)):
                raise changed(self.place, "rows changed")
        if n_rows != start.note - 1:
            raise changed(self.place, "rows were added or removed")

    def types(self) -> dict[str, TypeEngine[Any]]:
        """The types of its columns, as another table can have them."""
        from deidlab.corpus.database import open_database

        with open_database(self.place) as engine, engine.connect() as connection:
            types = find_layout(connection, self.place, self.settings.reading).types
        return {name: type_to_write(type) for name, type in types.items()}


def _digests(note: Note, partial: Partial) -> tuple[bytes, ...] | None:
    document, seal = note.document, partial.seal
    if document is None:
        return None
    named = (("document", document.id), ("patient", document.patient), ("text", document.text))
    return tuple(seal.digest(use, value) for use, value in named)


@dataclass(frozen=True, slots=True)
class TableSink(Sink):
    """A table that rows are added to, in chunks that are in their place once they are written."""

    path: Path
    place: TablePlace
    settings: SinkSettings
    source: Source
    kind: str = "database"

    @property
    def rendering(self) -> Rendering:
        return document_to_record

    def check(self, partial: Partial) -> None:
        names = (*self.source.settings.reading.own_columns, *self._others)
        check_target(self.place, self.source.settings.table, names, self._writing(partial))

    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        first = list(islice(notes, _PEEK))
        columns = self._columns(first, annotated)
        rows = (_row(record, self._others, annotated) for record in chain(first, notes))
        return {"there_before": write_rows(self.place, columns, rows, self._writing(partial)).there}

    @property
    def _others(self) -> tuple[str, ...]:
        """The columns beside id, patient and text: those that are masked, and those kept as they are."""
        return (*self.source.settings.reading.field_columns, *self.settings.writing.columns)

    def _writing(self, partial: Partial) -> Writing:
        """Who writes: the token is this run's own, and gone with its folder."""
        token = partial.state.setting(_TOKEN)
        if token is None:
            token = secrets.token_hex(16)
            partial.state.put_setting(_TOKEN, token)
        return Writing(partial.job, token, self.settings.append, self.settings.overwrite)

    def _columns(self, first: Iterable[dict[str, Any]], annotated: bool) -> dict[str, TypeEngine[Any]]:
        """The columns with their types: the source's, where it is a table and values are kept."""
        import sqlalchemy as sa

        known = self.source.types() if isinstance(self.source, TableSource) else {}
        name, patient, text = self.source.settings.reading.own_columns
        masked = (name, patient, text, *self.source.settings.reading.field_columns)
        types: dict[str, TypeEngine[Any]] = dict.fromkeys(masked, sa.Text())
        if self.settings.writing.ids_kept:
            types |= {each: known[each] for each in (name, patient) if each in known}
        for column in self.settings.writing.columns:
            types[column] = known.get(column) or type_of_cells(each["meta"].get(column) for each in first)
        if annotated:
            types["spans"] = sa.JSON()
        return types


def _row(record: dict[str, Any], columns: tuple[str, ...], annotated: bool) -> list[Any]:
    kept = [record["meta"].get(column) for column in columns]
    return [record["id"], record["patient"], record["text"], *kept, *([record["spans"]] if annotated else [])]
