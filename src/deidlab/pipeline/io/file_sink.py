"""Masked notes in, a corpus of the source's own format out, under the name that was asked for.

Folders stay folders and files files; a table keeps the names of its columns for text, id and patient.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial as bind
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus import find_format
from deidlab.corpus.files import refuse_nul
from deidlab.corpus.formats import FORMATS, Format, OneTable
from deidlab.corpus.jsonl import document_to_record
from deidlab.corpus.table import write_csv
from deidlab.corpus.writing import Rendered, render_note, write_rendered
from deidlab.errors import ConfigError, CorpusError
from deidlab.pipeline.io.kinds import Rendering, Sink, Source
from deidlab.pipeline.settings import SinkSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial

_ROW_FILES = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson")
_ROWS = 1024


def open_file_sink(settings: SinkSettings, source: Source) -> FileSink:
    """The sink of a source's own format; rows of another kind go into what the file's name says."""
    format = source.format or _format_of_rows(settings.path)
    if not format.can_write:
        raise CorpusError(
            f"{format.name} cannot be written: convert the corpus first (`deidlab corpus convert`)"
        )
    is_folder = source.files is not None and source.files.is_dir()
    path = settings.path
    if format.one is not None and (path.is_dir() or (is_folder and not path.suffix)):
        path = path / f"corpus{format.suffixes[0]}"
    # One note's file becomes one file, as for `mask note.txt --out masked.txt`.
    one = format.render is not None and format.name != "brat" and not is_folder
    one_note = one and path.name.endswith(format.suffixes)
    if one_note and path.is_dir():
        raise CorpusError(f"{path}: is a folder; name a file for one note")
    names, columns = source.settings.reading.own_columns, settings.writing.columns
    return FileSink(path, format.name, format, one_note, names, columns)


def _format_of_rows(destination: Path) -> Format:
    if destination.suffix not in _ROW_FILES:
        raise ConfigError(f"rows are written to a database or to a file that ends in {', '.join(_ROW_FILES)}")
    return next(each for each in FORMATS.values() if destination.suffix in each.suffixes)


@dataclass(frozen=True, slots=True)
class FileSink(Sink):
    """A file or a folder; `names` are those of the columns for id, patient and text, `columns` those kept."""

    path: Path
    kind: str
    format: Format
    one_note: bool
    names: tuple[str, str, str]
    columns: tuple[str, ...]

    @property
    def files(self) -> Path | None:
        return self.path

    @property
    def rendering(self) -> Rendering:
        # By its name: a format's functions need not travel.
        return to_row if isinstance(self.format.one, OneTable) else bind(to_text, self.format.name)

    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        self.write_to(partial.fresh(self._unnamed), notes, self.columns, annotated)
        return {}

    def put_in_place(self, partial: Partial) -> None:
        put_in_place(partial.folder / self._unnamed, self.path, partial.fresh("old"))

    @property
    def _unnamed(self) -> str:
        return f"final{self.path.suffix}"

    def write_to(self, path: Path, notes: Iterable[Any], columns: tuple[str, ...], annotated: bool) -> None:
        """Write what was rendered to a path that nobody looks at yet."""
        if isinstance(self.format.one, OneTable):
            write, cell = _TABLES[self.format.name]
            header = (*self.names, *columns, *(("spans",) if annotated else ()))
            write((_row(each, columns, annotated, cell) for each in notes), path, header)
        elif self.one_note:
            for _, content in notes:
                path.write_bytes(next(iter(content.values())).encode())
        else:
            write_rendered(map(_from_text, notes), path, self.format, overwrite=True)


def to_text(format: str, document: Document) -> Any:
    """Id and text of a note, or the texts of its files by their endings."""
    note = render_note(document, find_format(format), Counter())
    content = note.content
    return [note.id, content if isinstance(content, str) else {k: v.decode() for k, v in content.items()}]


def _from_text(note: Any) -> Rendered:
    name, content = note
    return Rendered(
        name, content if isinstance(content, str) else {k: v.encode() for k, v in content.items()}
    )


def to_row(document: Document) -> Any:
    """A note with its fields, of which a row is made once all columns are known."""
    refuse_nul(document.text, Path(document.id))
    return document_to_record(document)


def _row(
    record: dict[str, Any], columns: tuple[str, ...], annotated: bool, cell: Callable[[Any], Any]
) -> list[Any]:
    kept = [cell(record["meta"].get(column)) for column in columns]
    spans = [json.dumps(record["spans"], ensure_ascii=False)] if annotated else []
    return [record["id"], record["patient"], record["text"], *kept, *spans]


def _write_parquet(rows: Iterator[list[Any]], path: Path, header: Sequence[str]) -> None:
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


def _text_cell(cell: Any) -> Any:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell


_TABLES: dict[str, tuple[Callable[..., None], Callable[[Any], Any]]] = {
    "csv": (write_csv, _text_cell),
    "parquet": (_write_parquet, lambda cell: cell),
}


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
