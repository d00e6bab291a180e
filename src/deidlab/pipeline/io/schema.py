"""All tables of a plan as where a run's notes come from or go to: a row is a note, in one pass over all."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial as bind
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from deidlab.corpus.raw import BadDocument
from deidlab.corpus.tables.classes import DROP
from deidlab.corpus.tables.plan import TablesPlan, check_plan
from deidlab.corpus.tables.rows import RowPlan, fill_row, row_to_raw
from deidlab.corpus.tables.stores import Filling, Row, Snapshot, Store, Target
from deidlab.errors import CorpusError
from deidlab.pipeline.io.belonging import Belonging, spread
from deidlab.pipeline.io.file_sink import put_in_place
from deidlab.pipeline.io.findings import Findings
from deidlab.pipeline.io.kinds import Rendering, Sink, Source
from deidlab.pipeline.io.notes import BEGINNING, Note, Start, to_note
from deidlab.pipeline.io.pinning import changed
from deidlab.pipeline.settings import SchemaSettings, SinkSettings, SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial

_ROWS, _TOKEN = "pin rows", "writing token"
NOBODY = "rows that lead to no patient"


@dataclass(frozen=True, slots=True)
class SchemaSource(Source):
    """The plan's tables one after another, each in the order that its rows are kept in."""

    settings: SourceSettings
    store: Store
    plan: TablesPlan
    format: None = None
    # Rows are short.
    notes_a_task: ClassVar[int] = 1024

    @property
    def files(self) -> Path | None:
        return self.store.files

    def check(self, kept: tuple[str, ...] = ()) -> None:
        check_plan(self.plan, self.store.schema())

    def count(self) -> int:
        with self.store.open() as snapshot:
            return sum(snapshot.count(table.name) for table in self.plan.tables if table.kept)

    def documents(self) -> Iterator[Document]:
        for note in self.notes():
            if note.document is None:
                raise CorpusError(note.problem)
            yield note.document

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        number = start.note
        with self.store.open() as snapshot:
            known = Belonging.gather(snapshot, self.plan)
            for place, table in enumerate(self.plan.tables):
                for note in (
                    _notes(snapshot, RowPlan.of(self.plan, place), known, number) if table.kept else ()
                ):
                    yield note
                    number = note.number + 1

    def pin(self, partial: Partial, role: str = "source") -> SchemaSource:
        with self.store.open() as snapshot:
            counts = [snapshot.count(table.name) for table in self.plan.tables]
        told = partial.seal.digest("rows", json.dumps(counts)).hex()
        kept = partial.state.setting(_ROWS)
        if kept is None:
            partial.state.put_setting(_ROWS, told)
        elif kept != told:
            raise changed(self.store.path, "rows were added or removed")
        return self


def _notes(snapshot: Snapshot, plan: RowPlan, known: Belonging, number: int) -> Iterator[Note]:
    """The rows of a table as notes, numbered from there."""
    table = plan.table
    read = [n for n, each in enumerate(table.columns) if each.kind != DROP]
    rows = snapshot.rows(table.name, [table.columns[n].name for n in read])
    for place, found in enumerate(rows, 1):
        if found is None:
            said = "the row cannot be read as its file's first row says"
            yield to_note(number, BadDocument(Path(table.name), said, plan.name(place)))
        else:
            yield _note(plan, known, number, place, spread(found, read, len(table.columns)))
        number += 1


def _note(plan: RowPlan, known: Belonging, number: int, place: int, cells: list[Any]) -> Note:
    patient = known.patient_of(plan.table, cells)
    try:
        raw = row_to_raw(plan, place, cells, patient, known.told.get(patient, ()))
    except CorpusError as error:
        return to_note(number, BadDocument(Path(plan.table.name), str(error), plan.name(place)))
    note = to_note(number, raw)
    is_nobodys = not patient and (plan.table.patient is not None or bool(plan.table.via))
    return Note(
        number, note.document, note.problem, note.name, note.place, removed={NOBODY: 1} if is_nobodys else {}
    )


@dataclass(frozen=True, slots=True)
class SchemaSink(Sink):
    """All tables at once, with the constraints of the source."""

    target: Target
    settings: SinkSettings
    source: SchemaSource

    @property
    def path(self) -> Path:  # type: ignore[override]
        return self.settings.path

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.target.kind

    @property
    def files(self) -> Path | None:
        return self.target.files

    @property
    def rendering(self) -> Rendering:
        return bind(fill_row, plan=self.source.plan)

    def check(self, partial: Partial) -> None:
        self.target.check(self.source.store, self._filling(partial))

    def _filling(self, partial: Partial) -> Filling:
        """What is written: the token is this run's own, and gone with its folder."""
        token = partial.state.setting(_TOKEN)
        if token is None:
            token = secrets.token_hex(16)
            partial.state.put_setting(_TOKEN, token)
        schema = self.source.store.schema()
        return Filling(self.source.plan, schema, partial.job, token, self.settings.overwrite)

    def take(self, line: dict[str, Any]) -> Any:
        return line["output"], line["replaced"]

    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        counts: list[Counter[tuple[str, str]]] = [Counter() for _ in self.source.plan.tables]
        with Findings(partial.fresh("findings"), self.source.plan) as findings:
            rows = self._rows(notes, findings, counts)
            filled = self.target.fill(self._filling(partial), rows, partial.fresh(self._unnamed))
            unplaced = findings.unplaced
        tables = {
            table.name: {
                "rows": counts[n]["rows", ""],
                "columns": dict(Counter(each.kind for each in table.columns)),
                "cells": _of(counts[n], "cells"),
                "emptied": _of(counts[n], "emptied"),
            }
            for n, table in enumerate(self.source.plan.tables)
        }
        return {
            "tables": tables, "findings_unplaced": unplaced, "constraints_left_out": filled.left_out,
            "constraints_broken": filled.broken,
        }  # fmt: skip

    def _rows(
        self, notes: Iterable[Any], findings: Findings, counts: list[Counter[tuple[str, str]]]
    ) -> Iterator[tuple[int, Row]]:
        """The rows on their way to the target, counted; findings are placed in their notes as masked."""
        kinds = [[each.kind for each in table.kept] for table in self.source.plan.tables]
        for (number, cells, emptied), replaced in notes:
            filled = (kind for kind, cell in zip(kinds[number], cells, strict=True) if cell is not None)
            counts[number].update((("rows", ""), *(("cells", kind) for kind in filled)))
            counts[number].update(("emptied", name) for name in emptied)
            yield number, tuple(findings.pass_on(number, cells, replaced))

    def put_in_place(self, partial: Partial) -> None:
        if self.target.files is not None:
            put_in_place(partial.folder / self._unnamed, self.target.files, partial.fresh("old"))

    @property
    def _unnamed(self) -> str:
        return f"final{self.path.suffix}"


def _of(counts: Counter[tuple[str, str]], what: str) -> dict[str, int]:
    return {name: n for (kind, name), n in sorted(counts.items()) if kind == what}


def open_schema(settings: SourceSettings, schema: SchemaSettings) -> SchemaSource:
    return SchemaSource(settings, schema.store, schema.plan)
