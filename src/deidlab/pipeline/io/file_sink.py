"""Masked notes in, a corpus out, in the format of the new name or else the source's own.

Folders stay folders and files files; a table keeps the names of its columns for text, id and patient.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial as bind
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.corpus.files import refuse_nul
from deidlab.corpus.format import FORMATS, Format, OneTable
from deidlab.corpus.formats import find_format, formats_to_write, refuse_misnamed
from deidlab.corpus.records import document_to_record
from deidlab.corpus.writing import Rendered, render_note, write_rendered
from deidlab.errors import ConfigError, CorpusError
from deidlab.pipeline.io.kinds import Rendering, Sink, Source
from deidlab.pipeline.settings import SinkSettings
from deidlab.types import Document

if TYPE_CHECKING:
    from deidlab.pipeline.run.partial import Partial


def open_file_sink(settings: SinkSettings, source: Source) -> FileSink:
    """The sink of the format that the new name tells, else of the source's own."""
    is_folder = source.files is not None and source.files.is_dir()
    format = format_of_output(settings.path, source.format, is_note=_is_note(source))
    if not format.can_write:
        raise CorpusError(
            f"{format.name} cannot be written: convert the corpus first (`deidlab corpus convert`)"
        )
    format.require()
    path = settings.path
    if format.one is not None and (path.is_dir() or (is_folder and not path.suffix)):
        path = path / f"corpus{format.suffixes[0]}"
    # One note's file becomes one file, as for `mask note.txt --out masked.txt`.
    one_note = _is_note(source) and format.is_one_file_a_note and path.name.endswith(format.suffixes)
    if one_note and path.is_dir():
        raise CorpusError(f"{path}: is a folder; name a file for one note")
    reading = source.settings.reading
    if reading.field_columns and not isinstance(format.one, OneTable):
        raise ConfigError("several columns are written into a table: name a file of csv, tsv or parquet")
    names, columns = reading.own_columns, (*reading.field_columns, *settings.writing.columns)
    return FileSink(path, format.name, format, one_note, names, columns)


def _is_note(source: Source) -> bool:
    """Whether the source is the file of a single note."""
    format, files = source.format, source.files
    return format is not None and format.is_note_a_file and files is not None and not files.is_dir()


def format_of_output(path: Path, own: Format | None, is_note: bool) -> Format:
    """What the new file's name says; a name that says nothing, or names a folder, leaves it to the source."""
    named = formats_to_write(path.name)
    if own is not None and (path.is_dir() or own in named):
        return own
    # A note's file becomes a note's file where it can; many notes need a format that holds them in one.
    fitting = [each for each in named if each.one is not None or (is_note and each.is_one_file_a_note)]
    if fitting:
        return min(fitting, key=lambda each: is_note and not each.is_note_a_file)
    if own is None:
        endings = (each.suffixes for each in FORMATS.values() if each.one is not None)
        shown = ", ".join(dict.fromkeys(chain.from_iterable(endings)))
        raise ConfigError(f"rows are written to a database or to a file that ends in {shown}")
    refuse_misnamed(path, own)
    return own


@dataclass(frozen=True, slots=True)
class FileSink(Sink):
    """A file or a folder; `names` are those of the columns for id, patient and text, `columns` all others."""

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

    def written(self, partial: Partial) -> Path | None:
        return partial.folder / self._unnamed

    def put_in_place(self, partial: Partial) -> None:
        put_in_place(partial.folder / self._unnamed, self.path, partial.fresh("old"))

    @property
    def _unnamed(self) -> str:
        return f"final{self.path.suffix}"

    def write_to(self, path: Path, notes: Iterable[Any], columns: tuple[str, ...], annotated: bool) -> None:
        """Write what was rendered to a path that nobody looks at yet."""
        one = self.format.one
        if isinstance(one, OneTable):
            header = (*self.names, *columns, *(("spans",) if annotated else ()))
            one.write_cells((_row(each, columns, annotated, one.cell) for each in notes), path, header)
        elif self.one_note:
            for _, content in notes:
                path.write_bytes(_as_bytes(next(iter(content.values()))))
        else:
            write_rendered(map(_from_text, notes), path, self.format, overwrite=True)


def to_text(format: str, document: Document) -> Any:
    """Id and text of a note, or the texts of its files by their endings."""
    note = render_note(document, find_format(format), Counter())
    content = note.content
    return [note.id, content if isinstance(content, str) else {k: _as_text(v) for k, v in content.items()}]


def _as_text(data: bytes) -> str | list[str]:
    """Bytes as JSON can hold them: those of a letter or a picture are no text."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode()]


def _as_bytes(held: str | list[str]) -> bytes:
    return held.encode() if isinstance(held, str) else base64.b64decode(held[0])


def _from_text(note: Any) -> Rendered:
    name, content = note
    return Rendered(
        name, content if isinstance(content, str) else {k: _as_bytes(v) for k, v in content.items()}
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
