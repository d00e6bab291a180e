"""The way back: masked notes and the map of their run in, the notes as they were out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from deidlab.corpus.files import names_below, refuse_existing, refuse_foreign, refuse_overlap
from deidlab.errors import CorpusError
from deidlab.files import private_files
from deidlab.mask import MapReader, restore_text
from deidlab.mask.apply import move_spans
from deidlab.mask.keepmap import Place
from deidlab.pipeline.io.file_sink import open_file_sink, put_in_place
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.run.partial import scratch_folder
from deidlab.pipeline.settings import SinkSettings, SourceSettings
from deidlab.types import Document, Span


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
    source = open_source(job.source)
    reader = MapReader(job.map_file, job.passphrase.encode())
    places = {entry.masked_id: place for place, entry in reader.places()}
    sink = open_file_sink(SinkSettings(job.destination), source)
    refuse_existing(sink.path, job.overwrite)
    refuse_overlap((sink.path,), (source.files, job.map_file))
    count = [0]
    with private_files(), scratch_folder(sink.path) as scratch:
        path = scratch / f"final{sink.path.suffix}"
        documents = _restored(source.documents(), reader, places, count)
        # Which columns there were is known once a row was seen.
        first = next(documents, None)
        columns, annotated = (tuple(first.meta), bool(first.spans)) if first else ((), False)
        every = documents if first is None else chain((first,), documents)
        sink.write_to(path, map(sink.rendering, every), columns, annotated)
        if path.is_dir() and sink.path.is_dir():
            new = frozenset(names_below(path))
            refuse_foreign(sink.path, new.__contains__)
        if path.exists():
            put_in_place(path, sink.path, scratch / "old")
    return count[0]


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
