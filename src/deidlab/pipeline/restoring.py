"""Masked notes and a map in, the notes as they were out; and the map's own making.

While a run is under way each note's way back lies sealed in its part; at the end all go into the map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus.database_reading import read_table
from deidlab.corpus.files import names_below, private_files, refuse_existing, refuse_foreign, refuse_overlap
from deidlab.corpus.reading import read_corpus
from deidlab.errors import CorpusError
from deidlab.mask import MapReader, MapWriter, restore_text
from deidlab.mask.apply import move_spans
from deidlab.mask.keepmap import Place
from deidlab.pipeline.io.file_sink import choose_destination, is_one_note_file, put_in_place, write_output
from deidlab.pipeline.io.tables import output_format
from deidlab.pipeline.run.map_entries import unpack_entry
from deidlab.pipeline.run.partial import scratch_folder
from deidlab.pipeline.run.parts import Parts
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document, Span


def write_map(path: Path, passphrase: str, entries: Iterable[bytes], overwrite: bool = False) -> None:
    """The encrypted map of packed entries; it gets its name when it is whole."""
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with MapWriter(partial, passphrase.encode()) as writer:
            for data in entries:
                writer.write(unpack_entry(data))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def opened(parts: Parts, seal: Seal) -> Iterator[bytes]:
    """The ways back of all parts, unsealed one at a time."""
    return (seal.open(data) for data in parts.ways_back())


@dataclass(frozen=True, slots=True)
class RestoreJob:
    """What to restore, with which map."""

    source: SourceSettings
    destination: Path
    map_file: Path
    passphrase: str = field(repr=False)
    overwrite: bool = False


def restore_corpus(job: RestoreJob) -> int:
    """Undo a mask: ids, patients, text, annotations and columns as they were. How many notes were restored.

    Of the map only where each note's entry lies is held, so that memory does not grow with the notes' length.
    """
    source = job.source.path
    format = output_format(job.source, job.destination)
    reader = MapReader(job.map_file, job.passphrase.encode())
    places = {entry.masked_id: place for place, entry in reader.places()}
    destination = choose_destination(source, format, job.destination)
    refuse_existing(destination, job.overwrite)
    refuse_overlap((destination,), (source if job.source.table is None else None, job.map_file))
    one_note = is_one_note_file(source, format, destination)
    count = [0]
    table, reading = job.source.table, job.source.reading
    notes = read_corpus(source, format.name, reading) if table is None else read_table(table, reading)
    with private_files(), scratch_folder(destination) as scratch:
        path = scratch / f"final{destination.suffix}"
        documents = _restored(notes, reader, places, count)
        # Which columns there were is known once a row was seen.
        first = next(documents, None)
        rest = documents if first is None else _chain(first, documents)
        columns = () if first is None else tuple(first.meta)
        annotated = first is not None and bool(first.spans)
        write_output(rest, path, format, job.source.reading, columns, annotated, one_note)
        if path.is_dir() and destination.is_dir():
            new = frozenset(names_below(path))
            refuse_foreign(destination, new.__contains__)
        if path.exists():
            put_in_place(path, destination, scratch / "old")
    return count[0]


def _chain(first: Document, rest: Iterator[Document]) -> Iterator[Document]:
    yield first
    yield from rest


def _restored(
    notes: Iterable[Document], reader: MapReader, places: dict[str, Place], count: list[int]
) -> Iterator[Document]:
    only = next(iter(places.values())) if len(places) == 1 else None
    for note in notes:
        place = places.get(note.id, only)
        if place is None:
            raise CorpusError(f"document {note.id} is not in the map; is it the map of this run?")
        entry = reader.entry_at(place)
        text = restore_text(note.text, entry)
        back = [(Span(start, end, "x"), original) for start, end, original in entry.pieces if end > start]
        spans = (*move_spans(note.spans, back), *entry.spans)
        count[0] += 1
        yield Document(entry.id, entry.patient, text, spans, entry.meta)
