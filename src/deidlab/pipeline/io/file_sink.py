"""Masked documents in, a corpus of the source's own format out, under the name that was asked for.

Folders stay folders and files files; a table keeps the names of its columns for text, id and patient.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.corpus import ReadSettings, write_corpus
from deidlab.corpus.files import refuse_nul
from deidlab.corpus.formats import Format
from deidlab.corpus.jsonl import span_to_record
from deidlab.errors import CorpusError
from deidlab.types import Document

_ROWS = 1024


def choose_destination(source: Path, format: Format, destination: Path) -> Path:
    """The file or folder that will be written: one file for formats that are one file, a folder otherwise."""
    if format.write is not None and (destination.is_dir() or (source.is_dir() and not destination.suffix)):
        return destination / f"corpus{format.suffixes[0]}"
    if is_one_note_file(source, format, destination) and destination.is_dir():
        raise CorpusError(f"{destination}: is a folder; name a file for one note")
    return destination


def is_one_note_file(source: Path, format: Format, destination: Path) -> bool:
    """Whether one note's file becomes one file, as for `mask note.txt --out masked.txt`."""
    one = format.render is not None and format.name != "brat" and not source.is_dir()
    return one and destination.name.endswith(format.suffixes)


def write_output(
    documents: Iterable[Document],
    path: Path,
    format: Format,
    reading: ReadSettings,
    columns: tuple[str, ...],
    annotated: bool,
    one_note: bool,
) -> None:
    """Write to a path that nobody looks at yet."""
    if one_note:
        _write_one(documents, path, format)
    elif format.name in ("csv", "parquet"):
        names = (reading.id_column or "id", reading.patient_column or "patient", reading.text_column)
        header = (*names, *columns, *(("spans",) if annotated else ()))
        rows = (_row(document, columns, annotated, format.name == "csv") for document in documents)
        (_write_csv if format.name == "csv" else _write_parquet)(header, rows, path)
    else:
        write_corpus(documents, path, format.name, overwrite=True)


def _write_one(documents: Iterable[Document], path: Path, format: Format) -> None:
    assert format.render is not None
    for document in documents:
        files = format.render(document, Counter())
        path.write_bytes(next(iter(files.values())))


def _row(document: Document, columns: tuple[str, ...], annotated: bool, as_text: bool) -> list[Any]:
    refuse_nul(document.text, Path(document.id))
    spans = json.dumps([span_to_record(span) for span in document.spans], ensure_ascii=False)
    kept = [document.meta.get(column) for column in columns]
    if as_text:
        kept = [
            json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell for cell in kept
        ]
    return [document.id, document.patient, document.text, *kept, *((spans,) if annotated else ())]


def _write_csv(header: tuple[str, ...], rows: Iterator[list[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        # All is quoted: left to itself the writer leaves a lone CR bare, where readers then break the line.
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)


def _write_parquet(header: tuple[str, ...], rows: Iterator[list[Any]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    held = list(islice(rows, _ROWS))
    # Columns that were kept have the type that their first rows show.
    types = [pa.array([row[index] for row in held]).type for index in range(len(header))]
    types = [pa.large_string() if kind in (pa.null(), pa.string()) else kind for kind in types]
    schema = pa.schema(list(zip(header, types, strict=True)))
    try:
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            while held:
                cells = [
                    pa.array(column, kind)
                    for column, kind in zip(zip(*held, strict=True), types, strict=True)
                ]
                writer.write_table(pa.Table.from_arrays(cells, schema=schema))
                held = list(islice(rows, _ROWS))
    except pa.ArrowException:
        raise CorpusError("a column that was kept holds values of several types; write csv") from None


def put_in_place(path: Path, destination: Path, aside: Path) -> None:
    """Give the finished output its name; what stood there goes aside first."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    if destination.exists() and (destination.is_dir() or path.is_dir()):
        destination.rename(aside)
    path.replace(destination)
    if aside.is_dir():
        shutil.rmtree(aside)
    else:
        aside.unlink(missing_ok=True)
