"""A source and how it is to be read in; what is wrong with that out, in one line, before any note has failed.

A wrong column, delimiter or encoding is wrong for every note: it is told at once, instead of note by note.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from deidlab.corpus.format import Format
from deidlab.corpus.raw import ReadSettings
from deidlab.corpus.reading import corpus_files
from deidlab.corpus.table import find_columns
from deidlab.errors import DeidError, UsageError
from deidlab.inputfile import open_input
from deidlab.pipeline.settings import SourceSettings

_PEEK_BYTES = 64 * 1024
_PEEK_NOTES = 20


def check_files(source: SourceSettings, format: Format, kept: tuple[str, ...]) -> None:
    """Raise where the options do not suit the files; `kept` are columns that are carried over."""
    check_stream(source, format)
    if format.columns is not None:
        _check_kept(source, kept, _check_tables(source, format))
    elif format.first_notes is not None:
        _check_decodes(source, format)


def check_stream(source: SourceSettings, format: Format) -> None:
    """The same for what can be read only once, as far as it can be told beforehand."""
    check_encoding(source.reading.encoding)
    if format.columns is None:
        _refuse_columns(source.reading, format)


def check_encoding(encoding: str) -> None:
    try:
        b"a".decode(encoding)
    except UnicodeError:
        return  # half a character of an encoding that is known
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding: unknown encoding '{encoding}'; such as utf-8, latin-1 or cp1252"
        ) from None


def _refuse_columns(reading: ReadSettings, format: Format) -> None:
    for _, option in reading.named_columns():
        raise UsageError(f"{option} is for tables (csv, tsv, parquet, databases), and this is {format.name}")


def _check_tables(source: SourceSettings, format: Format) -> set[str]:
    """All columns that there are; raises where no file can be read so. One bad among others fails alone."""
    there: set[str] = set()
    wrong: DeidError | None = None
    assert format.columns is not None
    for number, path in enumerate(corpus_files(source.path, format), start=1):
        # People name files after patients: only what was typed is told.
        shown = Path(f"{source.path}, file {number}") if source.path.is_dir() else path
        try:
            columns = format.columns(path, shown, source.reading)
            if columns is not None:
                find_columns(columns, shown, source.reading)
                there.update(columns)
        except DeidError as error:
            wrong = wrong or error
    if wrong is not None and not there:
        raise wrong
    return there


def _check_kept(source: SourceSettings, kept: tuple[str, ...], there: set[str]) -> None:
    for name in kept:
        if name in source.reading.field_columns:
            raise UsageError(f"--keep-column {name}: that column is masked; it cannot be kept as well")
        if name in (*source.reading.own_columns, "spans"):
            raise UsageError(f"--keep-column {name}: that is a column of the note itself; name another")
        if there and name not in there and "meta" not in there:
            raise UsageError(f"{source.path}: there is no column '{name}' (--keep-column)")


def _check_decodes(source: SourceSettings, format: Format) -> None:
    """Raise where not one of the first notes is in the encoding."""
    pieces = list(islice(_first_notes(source, format), _PEEK_NOTES))
    if pieces and all(_decode(piece, source.reading.encoding) is None for piece in pieces):
        n = "the note is" if len(pieces) == 1 else f"the first {len(pieces)} notes are"
        raise UsageError(
            f"{source.path}: {n} not {source.reading.encoding}; name the right one with --encoding"
        )


def _first_notes(source: SourceSettings, format: Format) -> Iterator[bytes]:
    """The beginning of each note where a file or a line is one; elsewhere that of each file."""
    for path in corpus_files(source.path, format):
        if format.first_notes is not None:
            yield from format.first_notes(_first_bytes(path))


def _first_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with open_input(path) as stream:
            return stream.read(_PEEK_BYTES)
    except OSError:
        return b""


def _decode(data: bytes, encoding: str) -> str | None:
    """The text, but for a character that is cut at the end; None where it is none."""
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(data, len(data) < _PEEK_BYTES)
    except (UnicodeError, ValueError, LookupError):
        return None
