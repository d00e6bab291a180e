"""A database's table as where a run's notes come from or go to: what mask needs beside reading and writing.

The run's own record stays on disk. Of the source it holds, sealed, the last key of when the run began (rows
that come later are not part of it) and the key that each pass has reached, so that a run goes on from there.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_cells import key_from_json, key_to_json, type_of_cells, type_to_write
from deidlab.corpus.database_reading import check_source, find_layout, pin_place
from deidlab.corpus.database_url import TablePlace
from deidlab.corpus.database_writing import Writing, Written, check_target, write_rows
from deidlab.corpus.formats import FORMATS, Format, find_format, recognise_format
from deidlab.corpus.jsonl import span_to_record
from deidlab.errors import ConfigError
from deidlab.pipeline.io.notes import Note, Start
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

    from deidlab.pipeline.masking import MaskJob
    from deidlab.pipeline.run.partial import Partial

_LAST, _REACHED, _TOKEN = "last key", "reached", "writing token"
_FILES = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson")
_PEEK = 100


def output_format(source: SourceSettings, destination: Path, sink: TablePlace | None = None) -> Format:
    """The format that is written: the source's own; for a table's rows, the one that the file's name says."""
    if sink is not None:
        return FORMATS["jsonl"]  # what a line of it can hold, a row can
    if source.table is None:
        return find_format(source.format) if source.format else recognise_format(source.path)
    if destination.suffix not in _FILES:
        raise ConfigError(f"rows are written to a database or to a file that ends in {', '.join(_FILES)}")
    return next(each for each in FORMATS.values() if destination.suffix in each.suffixes)


def pin_source(job: MaskJob, partial: Partial) -> MaskJob:
    """The job with its source as it was when the run began."""
    place = job.source.table
    if place is None:
        return job
    seal, state = Seal(job.settings.key), partial.state
    kept = state.setting(_LAST)
    if kept is not None:
        key, cells = json.loads(seal.open(bytes.fromhex(kept)))
        place = replace(place, key=tuple(key), last=key_from_json(cells))
    else:
        place = pin_place(place, job.source.reading)
        assert place.last is not None
        sealed = seal.close(json.dumps([place.key, key_to_json(place.last)]).encode())
        state.put_setting(_LAST, sealed.hex())
    return replace(job, source=replace(job.source, table=place))


def reached(source: SourceSettings, partial: Partial, seal: Seal, stage: str) -> Start:
    """Where that pass goes on: from the beginning, unless the source has keys to go on from."""
    kept = partial.state.setting(f"{_REACHED} {stage}")
    if kept is None or source.table is None:
        return Start()
    task, note, key = json.loads(seal.open(bytes.fromhex(kept)))
    return Start(task, note, key_from_json(key))


def reach(
    source: SourceSettings, partial: Partial, seal: Seal, stage: str, task: int, notes: Sequence[Note]
) -> None:
    """Note down that a pass is through with a task, and so with all before it."""
    if source.table is not None and notes[-1].key is not None:
        place = [task + 1, notes[-1].number + 1, key_to_json(notes[-1].key)]
        sealed = seal.close(json.dumps(place).encode())
        partial.state.put_later(f"{_REACHED} {stage}", sealed.hex())


def check_tables(job: MaskJob, partial: Partial, identity: str) -> None:
    """Raise, before any work, where a table cannot be read or written."""
    if job.source.table is not None:
        check_source(job.source.table, job.source.reading, job.writing.columns)
    if job.sink is not None:
        names = (*_own_columns(job.source), *job.writing.columns)
        check_target(job.sink, job.source.table, names, _writing(job, partial, identity))


def write_to_table(
    documents: Iterator[Document], job: MaskJob, partial: Partial, identity: str, annotated: bool
) -> Written:
    """The masked notes into the table, in their order."""
    assert job.sink is not None
    first = list(islice(documents, _PEEK))
    columns = _columns(job, first, annotated)
    rows = (_row(document, job.writing.columns, annotated) for document in chain(first, documents))
    return write_rows(job.sink, columns, rows, _writing(job, partial, identity))


def _writing(job: MaskJob, partial: Partial, identity: str) -> Writing:
    """Who writes: the token is this run's own, and gone with its folder."""
    token = partial.state.setting(_TOKEN)
    if token is None:
        token = secrets.token_hex(16)
        partial.state.put_setting(_TOKEN, token)
    return Writing(identity, token, job.append, job.overwrite)


def _own_columns(source: SourceSettings) -> tuple[str, str, str]:
    reading = source.reading
    return reading.id_column or "id", reading.patient_column or "patient", reading.text_column


def _row(document: Document, columns: tuple[str, ...], annotated: bool) -> list[Any]:
    kept = [document.meta.get(column) for column in columns]
    spans = [[span_to_record(span) for span in document.spans]] if annotated else []
    return [document.id, document.patient, document.text, *kept, *spans]


def _columns(job: MaskJob, first: Iterable[Document], annotated: bool) -> dict[str, TypeEngine[Any]]:
    """The destination's columns with their types: the source's, where it is a table and values are kept."""
    import sqlalchemy as sa

    known = _types_of_source(job.source)
    name, patient, text = _own_columns(job.source)
    types: dict[str, TypeEngine[Any]] = dict.fromkeys((name, patient, text), sa.Text())
    if job.writing.ids_kept:
        types |= {each: known[each] for each in (name, patient) if each in known}
    for column in job.writing.columns:
        types[column] = known.get(column) or type_of_cells(each.meta.get(column) for each in first)
    if annotated:
        types["spans"] = sa.JSON()
    return types


def _types_of_source(source: SourceSettings) -> dict[str, TypeEngine[Any]]:
    if source.table is None:
        return {}
    from deidlab.corpus.database import open_database

    with open_database(source.table) as engine, engine.connect() as connection:
        types = find_layout(connection, source.table, source.reading).types
    return {name: type_to_write(type) for name, type in types.items()}
