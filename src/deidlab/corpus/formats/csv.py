"""CSV and TSV: one row a note, under a header; `.tsv` is cut at tabs."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.corpus.files import bounded_lines, refuse_nul
from deidlab.corpus.format import Counted, Format, OneTable, blocks_of, register
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, BadDocument, RawDocument, ReadSettings
from deidlab.corpus.records import OWN_KEYS, span_to_record
from deidlab.corpus.table import find_columns, row_to_raw, skipping, to_json
from deidlab.errors import CorpusError, UsageError
from deidlab.inputfile import open_input
from deidlab.types import Document

_PEEK_BYTES = 64 * 1024
_SAME_NAME = "cells of columns that have the same name"


def _delimiter(path: Path) -> str:
    return "\t" if path.suffix == ".tsv" else ","


def _encoding(settings: ReadSettings) -> str:
    # The mark that spreadsheets put first is no part of the first column's name.
    return "utf-8-sig" if settings.encoding.lower() in ("utf-8", "utf8") else settings.encoding


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    csv.field_size_limit(MAX_NOTE_CHARACTERS)
    try:
        with open_input(path) as binary:
            stream = io.TextIOWrapper(binary, encoding=_encoding(settings), newline="")
            lines = bounded_lines(stream, path, MAX_NOTE_CHARACTERS)
            rows = csv.reader(lines, delimiter=_delimiter(path), strict=True)
            yield from _read_rows(rows, path, settings)
    except (OSError, LookupError) as error:
        raise CorpusError(f"{path}: {getattr(error, 'strerror', None) or 'cannot be read'}") from None


def _read_rows(rows: Any, path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    number = 0
    try:
        header = next(rows, None)
        if header is None:
            raise CorpusError(f"{path}: the file is empty")
        find_columns(header, path, settings, "; is the row with the columns' names missing?")
        repeated = [name for name, count in Counter(header).items() if count > 1]
        for number, cells in enumerate(rows, start=1):
            where = f"row {number} (line {rows.line_num})"
            if len(cells) != len(header):
                yield BadDocument(path, f"{where} has {len(cells)} cells, not {len(header)}")
            elif any("\0" in cell for cell in cells):
                yield BadDocument(path, f"{where} has a NUL; this is not a text file")
            else:
                row = dict(zip(header, cells, strict=True))
                skipped = Counter({_SAME_NAME: sum(row.pop(name, None) is not None for name in repeated)})
                raw = row_to_raw(row, path, where, f"{path.stem}-{number}", settings)
                yield skipping(raw, skipped)
    except UnicodeError:
        raise CorpusError(
            f"{path}: not {settings.encoding} after row {number} (line {rows.line_num}); see --encoding"
        ) from None
    except csv.Error:
        raise CorpusError(
            f"{path}: not CSV after row {number} (line {rows.line_num}): a quote is never closed, "
            "or a cell is larger than 64 Mi"
        ) from None


def columns(path: Path, shown: Path, settings: ReadSettings) -> list[str] | None:
    """The first row; None where the file has none that can be told, which its reader will say."""
    try:
        with open_input(path) as stream:
            data = stream.read(_PEEK_BYTES)
    except OSError:
        data = b""
    try:
        # A character that is cut at the end is none of the encoding's faults.
        decoder = codecs.getincrementaldecoder(_encoding(settings))("strict")
        text = decoder.decode(data, len(data) < _PEEK_BYTES)
    except (UnicodeError, ValueError, LookupError):
        raise UsageError(f"{shown}: is not {settings.encoding}; name the right one with --encoding") from None
    csv.field_size_limit(max(csv.field_size_limit(), _PEEK_BYTES))
    lines = text.splitlines(keepends=True)
    try:
        return next(csv.reader(lines, delimiter=_delimiter(path), strict=True), None)
    except csv.Error:
        return None


def to_row(document: Document) -> Sequence[Any]:
    refuse_nul(document.text, Path(document.id))
    spans = [span_to_record(span) for span in document.spans]
    return document.id, document.patient, document.text, to_json(spans), to_json(document.meta)


def write(rows: Iterable[Sequence[Any]], path: Path, header: Sequence[str] = OWN_KEYS) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        # All is quoted: left to itself the writer leaves a lone CR bare, where readers then break the line.
        writer = csv.writer(stream, delimiter=_delimiter(path), lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)


def to_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def count(path: Path) -> int:
    """Lines that end outside quotes, but for the header."""
    n, quoted, last = 0, False, b""
    for block in blocks_of(path):
        for number, piece in enumerate(block.split(b'"')):
            quoted ^= number > 0
            n += 0 if quoted else piece.count(b"\n")
        last = block
    return max(0, n - 1 + (bool(last) and not last.endswith(b"\n")))


def sample(paths: Sequence[Path], n_sample: int) -> Counted:
    """As many rows as the whole size holds of rows like the first ones."""
    csv.field_size_limit(MAX_NOTE_CHARACTERS)
    size = sum(path.stat().st_size for path in paths)
    with open_input(paths[0]) as stream:
        # One byte is one character in this encoding, so that nothing can be wrong with it.
        lines = (line.decode("latin-1") for line in stream)
        rows = csv.reader(lines, delimiter=_delimiter(paths[0]))
        n_rows = sum(1 for _ in islice(rows, n_sample + 1)) - 1
        whole = next(rows, None) is None
        read = stream.tell()
    if whole and len(paths) == 1:
        return Counted(max(0, n_rows))
    return Counted(round(size / max(read, 1) * max(n_rows, 1)), False)


FORMAT = register(
    Format(
        name="csv",
        aliases=("tsv",),
        suffixes=(".csv", ".tsv"),
        read=read,
        one=OneTable(to_row, write, write, to_cell),
        count=count,
        sample=sample,
        columns=columns,
        media_type="text/csv",
    )
)
