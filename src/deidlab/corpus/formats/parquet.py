"""Parquet: one row a note, spans as a list of records, meta as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.corpus.format import Counted, Format, OneTable, longer_than_first, register
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, BadDocument, RawDocument, ReadSettings
from deidlab.corpus.table import find_columns, row_to_raw, to_json
from deidlab.errors import CorpusError, needing
from deidlab.inputfile import require_regular
from deidlab.types import Document

_ROWS_A_BATCH = 64
_ROWS_HELD = 1024


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        require_regular(path)
        with pq.ParquetFile(path) as file:
            find_columns(file.schema_arrow.names, path, settings)
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS_A_BATCH):
                for row in arrow_rows(batch):
                    number += 1
                    yield row_to_raw(row, path, f"row {number}", f"{path.stem}-{number}", settings)
    except (pa.ArrowException, UnicodeDecodeError):
        # Arrow's messages may quote cells.
        raise CorpusError(f"{path}: is not a Parquet file that can be read") from None
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def arrow_rows(table: Any) -> Iterator[dict[str, Any] | None]:
    """Arrow's rows as Python's values; None for a row with a value that Python cannot hold."""
    if table.num_rows == 0:
        return
    try:
        rows = table.to_pylist()
    except (ValueError, ArithmeticError):
        # Such as text that is not UTF-8, or a date past the year 9999: it costs its own row alone.
        half = table.num_rows // 2
        if half == 0:
            yield None
            return
        yield from arrow_rows(table.slice(0, half))
        yield from arrow_rows(table.slice(half))
        return
    yield from rows


def columns(path: Path, shown: Path, settings: ReadSettings) -> list[str] | None:
    """The names of its columns; None where the file cannot be read, which its reader will say."""
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None


def write(rows: Iterable[dict[str, Any]], path: Path) -> None:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    span = pa.struct(
        [("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()),
         ("score", pa.float64()), ("source", pa.string())]
    )  # fmt: skip
    columns = [("id", pa.string()), ("patient", pa.string()), ("text", pa.large_string()),
               ("spans", pa.list_(span)), ("meta", pa.string())]  # fmt: skip
    schema = pa.schema(columns)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        held: list[dict[str, Any]] = []
        size = 0
        for row in rows:
            held.append(row)
            size += len(row["text"])
            if len(held) == 64 * _ROWS_A_BATCH or size > MAX_NOTE_CHARACTERS:
                writer.write_table(pa.Table.from_pylist(held, schema))
                held, size = [], 0
        writer.write_table(pa.Table.from_pylist(held, schema))


def to_row(document: Document) -> dict[str, Any]:
    spans = [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "source": s.source}
        for s in document.spans
    ]
    return {
        "id": document.id,
        "patient": document.patient,
        "text": document.text,
        "spans": spans,
        "meta": to_json(document.meta),
    }


def write_cells(rows: Iterable[Sequence[Any]], path: Path, header: Sequence[str]) -> None:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    rows = iter(rows)
    held = list(islice(rows, _ROWS_HELD))
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
                held = list(islice(rows, _ROWS_HELD))
    except pa.ArrowException:
        raise CorpusError("a column that was kept holds values of several types; write csv") from None


def to_cell(value: Any) -> Any:
    return value


def begins(head: bytes) -> bool:
    return head.startswith(b"PAR1")


def count(path: Path) -> int:
    with needing("Parquet", "parquet"):
        import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


def sample(paths: Sequence[Path], n_sample: int) -> Counted:
    with needing("Parquet", "parquet"):
        import pyarrow.parquet as pq

    n_rows = size = sample_rows = sample_size = 0
    for path in paths:
        metadata = pq.read_metadata(path)
        for index in range(metadata.num_row_groups):
            group = metadata.row_group(index)
            if sample_rows < n_sample:
                sample_rows += group.num_rows
                sample_size += group.total_byte_size
            n_rows += group.num_rows
            size += group.total_byte_size
    return Counted(n_rows, True, longer_than_first(n_rows, size, sample_rows, sample_size))


FORMAT = register(
    Format(
        name="parquet",
        suffixes=(".parquet", ".pq"),
        read=read,
        begins=begins,
        one=OneTable(to_row, write, write_cells, to_cell),
        count=count,
        sample=sample,
        columns=columns,
        media_type="application/vnd.apache.parquet",
        in_row_groups=True,
        extra=("pyarrow", "parquet"),
    )
)
